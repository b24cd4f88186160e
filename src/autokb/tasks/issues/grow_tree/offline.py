"""A tree without a model: the seed's headline without attribute words, children from what customers reported."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autokb.knowledge.attributes import ANY, NONE, Attributes, Values
from autokb.knowledge.domain import Attribute, DomainSpec
from autokb.knowledge.lexicon import settled
from autokb.tasks.issues.grow_tree.shapes import Child, Report, Tree
from autokb.tasks.issues.grow_tree.wording import mentions, opened, shows, with_values, without

MOST = 8  # children of a parent
FROM_THEME = 2  # of these at most so many that only the theme reports, not the seed's own cluster
OFTEN, SHARE = 3, 0.25  # what only the theme reports counts when so many, and such a share of them, say it
CENTRAL = 3  # the wording comes from so many most central reports, or the third of them; others mean other things
TRIED = 12  # reports whose wording is tried for the parent where the seed's does not hold for all
ALL_SAY = 5  # reports that all say the value of an attribute which the text can do without
Spec = Mapping[str, Attribute]
Combination = tuple[tuple[str, str], ...]


def grow(seed: Report, spec: Spec, cluster: Sequence[Report], theme: Sequence[Report]) -> Tree:
    """Return the parent and its children; ``cluster`` is ordered from the most central report on."""
    reports = cluster or (seed,)
    parent = _parent(seed, spec, reports)
    children = list(_children(parent, spec, reports, theme))
    ids = tuple(dict.fromkeys(report.raw_issue for report in cluster))
    return Tree(Child(parent.text, parent.attributes, ids), tuple(children))


def _parent(seed: Report, spec: Spec, reports: Sequence[Report]) -> Child:
    """Choose the first wording that holds for all reports: the seed's, another's, at last the seed's as it is."""
    first = _generalised(seed.headline, spec, reports)
    if _holds(first, reports):
        return first
    for report in reports[:TRIED]:
        other = _generalised(report.headline, spec, reports)
        if _holds(other, reports) and not _fixed(other.attributes):
            return other
    return first


def _holds(parent: Child, reports: Sequence[Report]) -> bool:
    """Return whether what the text cannot do without is the same in all reports that say it."""
    said = mentions_by_name(parent, reports)
    return all(len(values) <= 1 for values in said.values())


def mentions_by_name(parent: Child, reports: Sequence[Report]) -> dict[str, set[str]]:
    """Return for each attribute that the parent fixes the values its reports say."""
    return {
        name: {v for report in reports for v in report.attributes.get(name, ANY) - ANY - NONE}
        for name in _fixed(parent.attributes)
    }


def _generalised(line: str, spec: Spec, reports: Sequence[Report]) -> Child:
    """Take the attribute words out, one attribute after the other; where they cannot go the attribute stays fixed."""
    text, fixed = opened(line) or line, {}
    for name in sorted({m.attribute for m in mentions(line, spec)}):
        shorter = None if _always_said(name, line, spec, reports) else without(text, spec, {name})
        if shorter is not None:
            text = shorter
    for name in sorted({m.attribute for m in mentions(text, spec)}):
        named = frozenset(m.value for m in mentions(text, spec) if m.attribute == name)
        reported = frozenset(v for r in reports for v in r.attributes.get(name, ANY) - ANY - NONE)
        agreed = named & reported or named
        fixed[name] = spec[name].normal(agreed | reported if spec[name].kind == "closed" else agreed)
    for name in spec:
        if name not in fixed and reports and all(r.attributes.get(name) == NONE for r in reports):
            fixed[name] = NONE
    return Child(text, _possible(fixed, spec))


def _always_said(name: str, line: str, spec: Spec, reports: Sequence[Report]) -> bool:
    """Return whether many reports all say one and the same value: then the issue is about it."""
    said = {report.attributes.get(name, ANY) for report in reports}
    return spec[name].kind == "closed" and len(reports) >= ALL_SAY and len(said) == 1 and not said & {ANY, NONE}


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


def _children(parent: Child, spec: Spec, cluster: Sequence[Report], theme: Sequence[Report]) -> Iterator[Child]:
    taken_texts, borrowed, given = {parent.text.casefold()}, 0, 0
    central = {report.raw_issue for report in cluster[: max(CENTRAL, len(cluster) // 3)]}
    for candidate in _candidates(parent, spec, cluster, theme):
        if given == MOST:
            return
        if not candidate.cluster:
            if borrowed == FROM_THEME:
                continue
            borrowed += 1
        text = _worded(candidate, parent, spec, taken_texts, central)
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
    own = [(n, v) for n, v in free if not _implied(n, said, spec)]
    yield from (((n, v),) for n, v in own)
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


def _worded(
    candidate: _Candidate, parent: Child, spec: Spec, taken: Collection[str], central: Collection[str]
) -> str | None:
    """Word a child from the cleanest report that says nothing else, or from the parent; show every value."""
    for line in (*_own_words(candidate, spec, central), parent.text):
        hidden = [value for name, value in candidate.combination if not shows(line, spec[name], value)]
        text = with_values(line, hidden)
        if text.casefold() not in taken:
            return text
    text = with_values(parent.text, [value for _, value in candidate.combination])
    return text if text.casefold() not in taken else None


def _own_words(candidate: _Candidate, spec: Spec, central: Collection[str]) -> list[str]:
    lines = []
    for order, report in enumerate(candidate.cluster):
        if report.raw_issue not in central:
            continue
        line = opened(report.headline)
        named = mentions(line, spec)
        inside = all(m.value in candidate.attributes.get(m.attribute, ANY) for m in named)
        if line and inside:
            hidden = sum(not shows(line, spec[name], value) for name, value in candidate.combination)
            lines.append((hidden, len(line) > 100, order, line))
    return [line for *_, line in sorted(lines)][:3]
