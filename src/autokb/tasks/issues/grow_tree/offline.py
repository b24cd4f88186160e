"""A tree without a model: the seed's headline without attribute words, children from what customers reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autokb.core.attributes import ANY, NONE, Attributes, Values
from autokb.core.domain import Attribute, DomainSpec
from autokb.tasks.issues.find_themes.naming import stem
from autokb.tasks.issues.grow_tree.headline import content_words, says_problem
from autokb.tasks.issues.grow_tree.shapes import Child, Report, Tree
from autokb.tasks.issues.grow_tree.wording import Mention, mentions, named, opened, shows, with_values, without
from autokb.text.lexicon import implied_sets, settled

MOST = 8  # children of a parent
FROM_THEME = 2  # of these at most so many that only the theme reports, not the seed's own cluster
OFTEN, SHARE = 3, 0.25  # what only the theme reports counts when so many, and such a share of them, say it
CENTRAL = 3  # the wording comes from so many most central reports, or half of them; others may mean other things
TRIED = 8  # at most so many reports' wording is tried for the parent, of the most central third
LONG = 70  # characters of a line that is read rather than seen
NOTHING = 2  # a line of attribute words alone
Spec = Mapping[str, Attribute]
Combination = tuple[tuple[str, str], ...]


def grow(
    seed: Report, spec: Spec, cluster: Sequence[Report], theme: Sequence[Report], product: frozenset[str] = frozenset()
) -> Tree:
    """Return the parent and its children; ``cluster`` is ordered from the most central report on.

    The words of ``product`` say of no issue what it is about.
    """
    reports, silent = cluster or (seed,), _Silence(spec, product)
    parent = _parent(seed, spec, reports, silent)
    children = list(_children(parent, spec, reports, theme, silent))
    ids = tuple(dict.fromkeys(report.raw_issue for report in cluster))
    return Tree(Child(parent.text, parent.attributes, ids), tuple(children))


def _parent(seed: Report, spec: Spec, reports: Sequence[Report], silent: _Silence) -> Child:
    """Choose the wording that says a problem, fixes least and is most like the others; of equals the most central."""
    tried = reports[: min(TRIED, max(CENTRAL, len(reports) // 3))]
    lines = dict.fromkeys((seed.headline, *(r.headline for r in tried), *(r.sentence for r in tried if r.sentence)))
    worded = list(dict.fromkeys(_generalised(line, spec) for line in lines))
    said = _shares(reports, silent.product)
    usual = {text: _usual(text, said) for text in worded}
    few = max(usual.values()) / 2  # a line of words that hardly any other report has speaks for itself alone

    def rank(text: str) -> tuple[float, ...]:
        held = len({m.attribute for m in named(text, spec)}) + (usual[text] < few)
        return silent.of(text) == NOTHING, held, silent.of(text), len(text) > LONG, -usual[text]

    best = min(worded, key=rank)
    return _as_said(best if silent.of(best) < NOTHING else seed.headline, spec, reports)


def _shares(reports: Sequence[Report], product: frozenset[str]) -> dict[str, float]:
    """Return for each word the share of the reports that say it; what the domain is about counts nothing."""
    words = ({stem(w) for line in r.lines for w in content_words(line) if w not in product} for r in reports)
    counts = Counter(word for found in words for word in found)
    return {word: count / len(reports) for word, count in counts.items()}


def _usual(line: str, said: Mapping[str, float]) -> float:
    """Return how usual the words of a line are among the reports, from 0 to 1 in tenths."""
    shares = [said.get(stem(word), 0.0) for word in content_words(line)]
    return round(sum(shares) / len(shares), 1) if shares else 0.0


@dataclass(frozen=True, slots=True)
class _Silence:
    """How little a line says beside the words of attribute values and of the product."""

    spec: Spec
    product: frozenset[str]

    def of(self, line: str) -> int:
        """Return 0 for a line that says what is wrong, 1 for one that only names a thing, NOTHING for neither."""
        rest = line
        for mention in reversed(named(line, self.spec)):
            rest = rest[: mention.start] + " " + rest[mention.end :]
        words = [word for word in content_words(rest) if word not in self.product]
        return NOTHING if not words else 0 if says_problem(rest) or len(words) > 1 else 1


def _generalised(line: str, spec: Spec) -> str:
    """Take the attribute words out, one attribute after the other, as far as grammar allows it."""
    text = opened(line) or line
    for name in sorted({m.attribute for m in named(line, spec)}):
        text = without(text, spec, {name}) or text
    return text


def _as_said(text: str, spec: Spec, reports: Sequence[Report]) -> Child:
    """Fix what a text names, for all values that were reported of it."""
    fixed = {}
    for name in sorted({m.attribute for m in named(text, spec)}):
        said = frozenset(m.value for m in named(text, spec) if m.attribute == name)
        reported = frozenset(v for r in reports for v in r.attributes.get(name, ANY) - ANY - NONE)
        agreed = said & reported or said
        fixed[name] = spec[name].normal(agreed | reported if spec[name].kind == "closed" else agreed)
    for name in spec:
        if name not in fixed and reports and all(r.attributes.get(name) == NONE for r in reports):
            fixed[name] = NONE
    return Child(text, _possible(fixed, spec))


def _possible(fixed: Mapping[str, Values], spec: Spec) -> Attributes:
    """Name every attribute; give up fixed values, last ones first, until the configuration allows the rest."""
    kept = dict(fixed)
    while kept and not DomainSpec("", attributes=spec).allows(kept):
        kept.popitem()
    full = settled(kept, spec)
    if not DomainSpec("", attributes=spec).allows(full):
        full = kept
    return {name: full.get(name, ANY) for name in spec}


def _fixed(attributes: Attributes) -> dict[str, Values]:
    return {name: values for name, values in attributes.items() if values not in (ANY, NONE)}


@dataclass(frozen=True, slots=True)
class _Candidate:
    combination: Combination
    attributes: Attributes
    cluster: tuple[Report, ...]
    theme: int


def _children(
    parent: Child, spec: Spec, cluster: Sequence[Report], theme: Sequence[Report], silent: _Silence
) -> Iterator[Child]:
    taken_texts, borrowed, given = {parent.text.casefold()}, 0, 0
    central = {report.raw_issue for report in cluster[: max(CENTRAL, len(cluster) // 2)]}
    for candidate in _candidates(parent, spec, cluster, theme):
        if given == MOST:
            return
        if not candidate.cluster:
            if borrowed == FROM_THEME:
                continue
            borrowed += 1
        own = _own_words(candidate, spec, central, silent)
        text = _worded(candidate, parent, spec, taken_texts, own)
        if text is None:
            continue
        taken_texts.add(text.casefold())
        given += 1
        ids = tuple(dict.fromkeys(r.raw_issue for r in candidate.cluster if r.raw_issue))
        yield Child(text, candidate.attributes, ids)


def _candidates(parent: Child, spec: Spec, cluster: Sequence[Report], theme: Sequence[Report]) -> list[_Candidate]:
    """Return the reported combinations that the configuration allows inside the parent, most frequent first."""
    seen: dict[str, _Candidate] = {}
    for combination in dict.fromkeys(c for r in (*cluster, *theme) for c in _combinations(r, parent, spec)):
        attributes = _inside(parent, combination, spec)
        if attributes is None or attributes == parent.attributes:
            continue
        mine = tuple(r for r in cluster if _says(r, combination))
        if len(mine) == 1 and (len(cluster) == 1 or len(combination) > 1) and not _seen(mine[0], combination, spec):
            continue  # one customer's mention in passing is no variant of the issue
        others = sum(_says(r, combination) for r in theme)
        if mine or (len(combination) == 1 and others >= max(OFTEN, SHARE * len(theme))):
            candidate = _Candidate(combination, attributes, mine, others)
            seen.setdefault(str(sorted((n, sorted(v)) for n, v in attributes.items())), candidate)
    return sorted(seen.values(), key=lambda c: (-len(c.cluster), -c.theme, len(c.combination), c.combination))


def _combinations(report: Report, parent: Child, spec: Spec) -> Iterator[Combination]:
    """Give each value of a report alone, then all values that it says alone together."""
    said = {name: values for name, values in _fixed(report.attributes).items() if name in spec}
    pairs = [(name, value) for name in spec if name in said for value in sorted(said[name])]
    free = [(n, v) for n, v in pairs if parent.attributes[n] == ANY or len(parent.attributes[n]) > 1]
    guessed = _values(mentions(parent.text, spec)) - _values(named(parent.text, spec))  # pairing is wireless anyway
    own = [(n, v) for n, v in free if not _implied(n, said, spec) and (n, v) not in guessed]
    narrowed = {n for n, _ in own if _narrowed(n, said, spec)}
    yield from (((n, v),) for n, v in own if n not in narrowed)
    together = tuple((n, v) for n, v in own if len(said[n]) == 1)
    if len(together) > 1:
        yield together


def _implied(name: str, said: Mapping[str, Values], spec: Spec) -> bool:
    """Return whether the other values of the report settle this one, so that it says nothing of its own."""
    others = {n: v for n, v in said.items() if n != name}
    if settled(others, spec).get(name) != said[name]:
        return False
    # Of two values that settle each other the one that settles more stays.
    back = {n for n in others if settled({name: said[name]}, spec).get(n) == others[n]}
    return not any(settled({n: others[n]}, spec).get(name) == said[name] for n in back if n > name) or not back


def _values(found: Sequence[Mention]) -> set[tuple[str, str]]:
    return {(mention.attribute, mention.value) for mention in found}


def _narrowed(name: str, said: Mapping[str, Values], spec: Spec) -> bool:
    """Return whether the report's other values go with this one anyway: iOS with a phone or a tablet."""
    implied = implied_sets({n: v for n, v in said.items() if n != name}, spec)
    return name in implied and said[name] <= implied[name]


def _seen(report: Report, combination: Combination, spec: Spec) -> bool:
    return any(shows(line, spec[name], value) for line in report.lines for name, value in combination)


def _inside(parent: Child, combination: Combination, spec: Spec) -> Attributes | None:
    """Return the child's attributes: the parent's, the combination's, and what these settle."""
    fixed = {**_fixed(parent.attributes)}
    for name, value in combination:
        if parent.attributes[name] != ANY and value not in parent.attributes[name]:
            return None
        fixed[name] = frozenset({value})
    full = settled(fixed, spec)
    attributes = {name: full.get(name, parent.attributes[name]) for name in spec}
    wider = any(
        parent.attributes[name] != ANY and not attributes[name] <= parent.attributes[name] for name in attributes
    )
    return None if wider or not DomainSpec("", attributes=spec).allows(attributes) else attributes


def _says(report: Report, combination: Combination) -> bool:
    return all(value in report.attributes.get(name, ANY) for name, value in combination)


def _worded(candidate: _Candidate, parent: Child, spec: Spec, taken: Collection[str], own: Sequence[str]) -> str | None:
    """Word a child from the cleanest report that says nothing else, or from the parent; show every value."""
    for line in (*own, parent.text):
        hidden = [value for name, value in candidate.combination if not shows(line, spec[name], value)]
        text = with_values(line, hidden)
        if text.casefold() not in taken:
            return text
    text = with_values(parent.text, [value for _, value in candidate.combination])
    return text if text.casefold() not in taken else None


def _own_words(candidate: _Candidate, spec: Spec, central: Collection[str], silent: _Silence) -> list[str]:
    """Return the reports' own lines that show a value of the candidate and none beside it, the fullest first."""
    lines = []
    for order, report in enumerate(candidate.cluster):
        if report.raw_issue not in central:
            continue
        for line in map(opened, report.lines):
            inside = all(m.value in candidate.attributes.get(m.attribute, ANY) for m in mentions(line, spec))
            hidden = sum(not shows(line, spec[name], value) for name, value in candidate.combination)
            if line and inside and hidden < len(candidate.combination) and silent.of(line) < NOTHING:
                lines.append((hidden, len(line) > LONG, silent.of(line), order, line))
    return [line for *_, line in sorted(lines)][:3]
