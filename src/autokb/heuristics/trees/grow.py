"""A tree of issues: the seed's title without attribute words as parent, children from what customers reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from autokb.core.attributes import ANY, NONE, Attributes, Values
from autokb.core.domain import ENGLISH, DomainSpec
from autokb.core.implications import implied_values, with_implied_values
from autokb.heuristics.attributes.extract import extract_attributes, names_value
from autokb.heuristics.subject_words import subject_stem, subject_words
from autokb.heuristics.titles.issue_title import names_problem
from autokb.heuristics.titles.phrase_editing import (
    named_values,
    value_mentions,
    with_values,
    without_opener,
    without_values,
)
from autokb.text.lexicon import Spec


@dataclass(frozen=True, slots=True)
class Report:
    """One raw issue: its headline and the attribute values it says; a name that is missing is unknown.

    ``sentence`` says the same in other words, where the customer did.
    """

    raw_issue: str
    headline: str
    attributes: Attributes
    sentence: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that say what it is about."""
        return (self.headline, self.sentence) if self.sentence else (self.headline,)


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A parent or child: its text, a value for every attribute, and the raw issues that reported it."""

    text: str
    attributes: Attributes
    raw_issues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """A parent and its children, most frequent first."""

    parent: TreeNode
    children: tuple[TreeNode, ...]


MOST_CHILDREN = 8  # of a parent
CENTRAL_REPORTS = 3  # or half of the cluster: wording comes from these, as others may mean something else
MOST_TRIED = 8  # reports whose wording is tried for the parent, of the most central third
FOREIGN = 2  # fixed attributes that a wording counts which is about something else than the seed
LONG_LINE = 70  # characters of a line that is read rather than seen
MOST_WORDINGS = 3  # lines of reports that are tried for a child
Combination = tuple[tuple[str, str], ...]  # pairs of an attribute and a value


class Content(IntEnum):
    """What a line says beside the words of attribute values and of the product, the fullest first."""

    PROBLEM = 0
    ONLY_A_THING = 1
    NOTHING = 2


def grow_tree(
    seed: Report,
    spec: Spec,
    cluster: Sequence[Report],
    product: frozenset[str] = frozenset(),
    language: str = ENGLISH,
) -> Tree:
    """Return the parent and its children; ``cluster`` is ordered from the most central report on.

    The words of ``product`` say of no issue what it is about.
    """
    reports = tuple(cluster) or (seed,)
    parent = _ParentWording(seed, spec, reports, product, language).parent()
    children = tuple(_Children(parent, spec, reports, product, language).grow())
    raw_issues = tuple(dict.fromkeys(report.raw_issue for report in cluster))
    return Tree(TreeNode(parent.text, parent.attributes, raw_issues), children)


def _content(line: str, spec: Spec, product: frozenset[str], language: str) -> Content:
    rest = line
    for mention in reversed(named_values(line, spec, language)):
        rest = rest[: mention.start] + " " + rest[mention.end :]
    words = [word for word in subject_words(rest, language) if word not in product]
    if not words:
        return Content.NOTHING
    return Content.PROBLEM if names_problem(rest.strip("?"), language) or len(words) > 1 else Content.ONLY_A_THING


@dataclass(frozen=True)
class _ParentWording:
    """Chooses the parent's text among the lines of the reports, and what it fixes."""

    seed: Report
    spec: Spec
    reports: tuple[Report, ...]
    product: frozenset[str]
    language: str

    # Complex: the rank of a wording needs five properties of every line, a dictionary each.
    def parent(self) -> TreeNode:
        """Choose the wording that says a problem, fixes least and is most usual; of equals the most central."""
        tried = self.reports[: min(MOST_TRIED, max(CENTRAL_REPORTS, len(self.reports) // 3))]
        headlines = (self.seed.headline, *(r.headline for r in tried))
        lines = dict.fromkeys((*headlines, *(r.sentence for r in tried if r.sentence)))
        general = {line: without_values(line, self.spec, self.language) for line in lines}
        foreign = {text: not self._is_about_the_seed(line) for line, text in reversed(general.items())}
        usual = {text: self._usualness(text) for text in dict.fromkeys(general.values())}
        content = {text: _content(text, self.spec, self.product, self.language) for text in usual}
        rare = max(usual.values()) / 2  # a line of words that hardly any other report has speaks for itself alone

        def rank(text: str) -> tuple[float, ...]:
            stated = _stated_values(text, self.spec, self.language)
            contradicted = sum(bool(self._reported(name) - values) for name, values in stated.items())
            fixed = len(stated) + contradicted + (usual[text] < rare) + FOREIGN * foreign[text]
            silent = content[text] is Content.NOTHING
            return silent, fixed, content[text], len(text) > LONG_LINE, -usual[text]

        best = min(usual, key=rank)
        text = self.seed.headline if content[best] is Content.NOTHING else best
        fixed = self._fixed_by(text)
        none = {n for n in self.spec if all(r.attributes.get(n) == NONE for r in self.reports)}
        return TreeNode(text, _possible(fixed | {n: NONE for n in self.spec if n in none - fixed.keys()}, self.spec))

    def _is_about_the_seed(self, line: str) -> bool:
        """Return whether half of a line's words at least are the seed's own: a neighbour's problem may be another."""
        own = {self._stem(word) for of_seed in self._seed_lines for word in self._words(of_seed)}
        stems = {self._stem(word) for word in self._words(line)}
        return line in self._seed_lines or not own or 2 * len(stems & own) >= max(1, len(stems))

    @cached_property
    def _seed_lines(self) -> frozenset[str]:
        same = [r.sentence for r in self.reports if r.headline == self.seed.headline and r.sentence]
        return frozenset((self.seed.headline, *same))

    @cached_property
    def _word_shares(self) -> Mapping[str, float]:
        """The share of the reports that say each word; what the domain is about counts nothing."""
        stems = ({self._stem(w) for line in r.lines for w in self._words(line)} for r in self.reports)
        counts = Counter(word for of_report in stems for word in of_report)
        return {word: count / len(self.reports) for word, count in counts.items()}

    def _words(self, line: str) -> list[str]:
        return [word for word in subject_words(line, self.language) if word not in self.product]

    def _stem(self, word: str) -> str:
        return subject_stem(word, self.language)

    def _usualness(self, line: str) -> float:
        """Return how usual the words of a line are among the reports, from 0 to 1 in tenths."""
        shares = [self._word_shares.get(self._stem(word), 0.0) for word in subject_words(line, self.language)]
        return round(sum(shares) / len(shares), 1) if shares else 0.0

    def _fixed_by(self, text: str) -> dict[str, Values]:
        """Return what a text fixes: the attributes it states, for all values that were reported of them.

        Where every value was reported it fixes what it says, for a text must not say what is left open.
        """
        fixed = {}
        for name, named in sorted(_stated_values(text, self.spec, self.language).items()):
            reported = self._reported(name)
            agreed = named & reported or named
            wide = self.spec[name].normal(agreed | reported if self.spec[name].kind == "closed" else agreed)
            fixed[name] = agreed if wide == ANY else wide
        return fixed

    def _reported(self, name: str) -> Values:
        """Return the values of an attribute that were reported."""
        return frozenset(v for r in self.reports for v in r.attributes.get(name, ANY) - ANY - NONE)


def _stated_values(text: str, spec: Spec, language: str) -> dict[str, Values]:
    """Return the values that a text names or that follow from its numbers: 76 years, for three weeks."""
    stated: dict[str, Values] = {}
    for mention in named_values(text, spec, language):
        stated[mention.attribute] = stated.get(mention.attribute, frozenset()) | {mention.value}
    guessable = {m.attribute for m in value_mentions(text, spec, language)}
    worked_out = extract_attributes(text, "issue", spec, language)
    more = {n: frozenset(v) for n, v in worked_out.items() if n not in guessable and not {"Any", "NONE"} & {*v}}
    return more | stated


def _possible(fixed: Mapping[str, Values], spec: Spec) -> Attributes:
    """Name every attribute; give up fixed values, last ones first, until the configuration allows the rest."""
    possible = dict(fixed)
    while possible and not DomainSpec("", attributes=spec).allows(possible):
        possible.popitem()
    full = with_implied_values(possible, spec)
    if not DomainSpec("", attributes=spec).allows(full):
        full = possible
    return {name: full.get(name, ANY) for name in spec}


@dataclass(frozen=True, slots=True)
class _Combination:
    """A combination of values that a child could fix, and who reported it."""

    combination: Combination
    attributes: Attributes
    cluster: tuple[Report, ...]


@dataclass(frozen=True)
class _Children:
    """Finds what the reports distinguish under a parent, and words it."""

    parent: TreeNode
    spec: Spec
    cluster: tuple[Report, ...]
    product: frozenset[str]
    language: str

    def grow(self) -> Iterator[TreeNode]:
        """Yield the children, most frequent first, no two with the same text."""
        texts, many = {self.parent.text.casefold()}, 0
        for candidate in self._candidates():
            if many == MOST_CHILDREN:
                return
            text = next((t for t in self._wordings(candidate) if t.casefold() not in texts), None)
            if text is None:
                continue
            texts.add(text.casefold())
            many += 1
            raw_issues = tuple(dict.fromkeys(r.raw_issue for r in candidate.cluster if r.raw_issue))
            yield TreeNode(text, candidate.attributes, raw_issues)

    def _candidates(self) -> list[_Combination]:
        """Return the reported combinations that the configuration allows inside the parent, most frequent first."""
        found: dict[str, _Combination] = {}
        for combination in dict.fromkeys(c for report in self.cluster for c in self._combinations(report)):
            attributes = self._inside_parent(combination)
            if attributes is None or attributes == self.parent.attributes:
                continue
            in_cluster = tuple(r for r in self.cluster if all(v in r.attributes.get(n, ANY) for n, v in combination))
            if self._is_variant(combination, in_cluster):
                key = str(sorted((name, sorted(values)) for name, values in attributes.items()))
                found.setdefault(key, _Combination(combination, attributes, in_cluster))
        return sorted(found.values(), key=lambda c: (-len(c.cluster), len(c.combination), c.combination))

    def _is_variant(self, combination: Combination, in_cluster: Sequence[Report]) -> bool:
        """Return whether enough reports tell of a combination; one customer's mention in passing is no variant."""
        if len(in_cluster) > 1 or (len(self.cluster) > 1 and len(combination) == 1):
            return True
        (report,) = in_cluster
        return any(names_value(line, self.spec[n], value) for line in report.lines for n, value in combination)

    def _combinations(self, report: Report) -> Iterator[Combination]:
        """Give each value of a report alone, then all values that it says alone together."""
        stated = {name: report.attributes[name] for name in self.spec if _is_fixed(report.attributes.get(name, ANY))}
        pairs = [pair for name in stated for pair in self._telling(name, stated)]
        yield from (((n, value),) for n, value in pairs if not _goes_with_others(n, stated, self.spec))
        together = tuple((n, value) for n, value in pairs if len(stated[n]) == 1)
        if len(together) > 1:
            yield together

    def _telling(self, name: str, stated: Mapping[str, Values]) -> Combination:
        """Return what a report states of an attribute that the parent leaves open and nothing else settles."""
        outer = self.parent.attributes[name]
        if (outer != ANY and len(outer) == 1) or _follows_from_others(name, stated, self.spec):
            return ()
        return tuple((name, value) for value in sorted(stated[name]) if (name, value) not in self._guessed)

    @cached_property
    def _guessed(self) -> set[tuple[str, str]]:
        """The values that the parent's text lets one guess without naming them: pairing is wireless anyway."""
        guessable = {(m.attribute, m.value) for m in value_mentions(self.parent.text, self.spec, self.language)}
        return guessable - {(m.attribute, m.value) for m in named_values(self.parent.text, self.spec, self.language)}

    def _inside_parent(self, combination: Combination) -> Attributes | None:
        """Return the child's attributes: the parent's, the combination's, and what these settle; None if outside."""
        outer = self.parent.attributes
        fixed = {name: values for name, values in outer.items() if _is_fixed(values)}
        for name, value in combination:
            if outer[name] != ANY and value not in outer[name]:
                return None
            fixed[name] = frozenset({value})
        full = with_implied_values(fixed, self.spec)
        attributes = {name: full.get(name, outer[name]) for name in self.spec}
        if any(outer[name] != ANY and not attributes[name] <= outer[name] for name in attributes):
            return None
        return attributes if DomainSpec("", attributes=self.spec).allows(attributes) else None

    def _wordings(self, candidate: _Combination) -> Iterator[str]:
        """Give texts for a child, from a clean line of a report or from the parent; each shows every value."""
        for line in (*self._lines_of(candidate), self.parent.text):
            yield with_values(line, self._hidden(line, candidate.combination))
        yield with_values(self.parent.text, [value for _, value in candidate.combination])

    def _hidden(self, line: str, combination: Combination) -> list[str]:
        return [value for name, value in combination if not names_value(line, self.spec[name], value)]

    @cached_property
    def _central(self) -> set[str]:
        """The raw issues whose wording can be trusted to mean this issue."""
        return {report.raw_issue for report in self.cluster[: max(CENTRAL_REPORTS, len(self.cluster) // 2)]}

    def _lines_of(self, candidate: _Combination) -> list[str]:
        """Return the reports' own lines that name a value of the candidate and none beside it, the fullest first."""
        found = []
        for order, report in enumerate(candidate.cluster):
            if report.raw_issue not in self._central:
                continue
            for line in filter(None, (without_opener(line, self.language) for line in report.lines)):
                mentions = value_mentions(line, self.spec, self.language)
                stated = {m.attribute: frozenset({m.value}) for m in mentions} | _stated_values(
                    line, self.spec, self.language
                )
                hidden = len(self._hidden(line, candidate.combination))
                if hidden == len(candidate.combination) or not all(
                    values <= candidate.attributes.get(name, ANY) for name, values in stated.items()
                ):
                    continue
                if (content := _content(line, self.spec, self.product, self.language)) is not Content.NOTHING:
                    found.append((hidden, len(line) > LONG_LINE, content, order, line))
        return [line for *_, line in sorted(found)][:MOST_WORDINGS]


def _is_fixed(values: Values) -> bool:
    return values not in (ANY, NONE)


def _follows_from_others(name: str, stated: Mapping[str, Values], spec: Spec) -> bool:
    """Return whether the other values of a report settle this one, so that it says nothing by itself."""
    others = {n: v for n, v in stated.items() if n != name}
    if with_implied_values(others, spec).get(name) != stated[name]:
        return False
    # Of two values that settle each other the one that settles more stays.
    back = {n for n in others if with_implied_values({name: stated[name]}, spec).get(n) == others[n]}
    later = [with_implied_values({n: others[n]}, spec).get(name) for n in back if n > name]
    return stated[name] not in later or not back


def _goes_with_others(name: str, stated: Mapping[str, Values], spec: Spec) -> bool:
    """Return whether a report's other values go with this one anyway: iOS with a phone or a tablet."""
    implied = implied_values({n: v for n, v in stated.items() if n != name}, spec)
    return name in implied and stated[name] <= implied[name]
