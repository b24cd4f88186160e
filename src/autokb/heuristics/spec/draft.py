"""A draft by counting: known groups of values that issues and documents both name, versions, and general rules.

It understands nothing: what it proposes is there, what it does not propose may be there too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from autokb.core.domain import Attribute, Rule
from autokb.heuristics.attributes.contrast import affected_mentions
from autokb.heuristics.spec.families import families, family_words, general_rules
from autokb.heuristics.spec.labels import label_family
from autokb.heuristics.spec.proposal import (
    MOST_ATTRIBUTES,
    MOST_SYNONYMS,
    MOST_VALUES,
    DraftedAttribute,
    DraftedRule,
    DraftedSpec,
    DraftSpec,
    Synonyms,
)
from autokb.heuristics.spec.versions import version_families
from autokb.text.lexicon import Mention, lexicon
from autokb.text.words import Words, split_words

FEWEST_ISSUES, FEWEST_DOCUMENTS = 2, 1  # that must name a value for it to be proposed
ISSUES_A_MENTION = 200  # of many issues one in so many must: what is mentioned in passing distinguishes no customers
MOST_ISSUES = 12  # that an attribute names


@dataclass
class _Occurrences:
    """In which issues and documents a value occurs, by their numbers from 1, and in which words."""

    issues: set[int] = field(default_factory=set)
    documents: set[int] = field(default_factory=set)
    words: Counter[str] = field(default_factory=Counter)

    def are_enough(self, issues: int) -> bool:
        """Return whether enough of so many issues, and a document, name the value."""
        fewest = max(FEWEST_ISSUES, issues / ISSUES_A_MENTION)
        return len(self.issues) >= fewest and len(self.documents) >= FEWEST_DOCUMENTS


_ByValue = Mapping[str, _Occurrences]


# Complex: every count is over the same split issues and documents, a comprehension each.
def draft_spec(item: DraftSpec) -> DraftedSpec:
    """Propose the groups of which at least two values occur in issues and documents, most issues first."""
    known = {value.casefold() for _, values in item.attributes for value in values}
    issues = [split_words(text) for text in item.issues]
    documents = [split_words(f"{title}\n{opening}") for title, opening in item.documents]
    candidates = _candidates(item, issues, documents)
    occurrences = _count(candidates, issues, documents, item.language)
    found: list[tuple[int, DraftedAttribute]] = []
    for name, attribute in candidates.items():
        if drafted := _drafted(attribute, occurrences[name], known, len(issues)):
            found.append((len(set().union(*(one.issues for one in occurrences[name].values()))), drafted))
    found.sort(key=lambda pair: -pair[0])
    configured = {rule for rule, _ in item.rules}
    return DraftedSpec(
        attributes=tuple(drafted for _, drafted in found[:MOST_ATTRIBUTES]),
        rules=tuple(
            _with_count(rule, item.documents) for rule in general_rules(item.language) if rule.id not in configured
        ),
    )


def _candidates(item: DraftSpec, issues: Sequence[Words], documents: Sequence[Words]) -> dict[str, Attribute]:
    """Return the attributes that are looked for: general ones, and those made of names that the domain uses."""
    taken = {name.casefold() for name, _ in item.attributes}
    openings = [opening for _, opening in item.documents]
    labels = label_family(issues, openings, family_words(item.language), item.language)
    versions = version_families(issues, documents, item.language)
    return {a.name: a for a in (*families(item.language), *versions, *labels) if a.name not in taken}


def _count(
    candidates: Mapping[str, Attribute], issues: Sequence[Words], documents: Sequence[Words], language: str
) -> Mapping[str, _ByValue]:
    """Count the values: in an issue those that it is about, in a document all that occur."""
    words = lexicon(candidates, language)
    found: defaultdict[str, defaultdict[str, _Occurrences]] = defaultdict(lambda: defaultdict(_Occurrences))
    for number, text in enumerate(issues, 1):
        for mention in affected_mentions(text, words.mentions(text), candidates, language):
            one = found[mention.attribute][mention.value]
            if number not in one.issues:
                one.words[_words_of(text, mention)] += 1
            one.issues.add(number)
    for number, text in enumerate(documents, 1):
        for mention in words.mentions(text):
            found[mention.attribute][mention.value].documents.add(number)
    return found


def _words_of(text: Words, mention: Mention) -> str:
    """Return the words that name a value, as they are written but for the letters' case."""
    first, *more = range(mention.start, mention.end)
    return (text.folded[first] + "".join(text.gaps[n] + text.folded[n] for n in more)).removesuffix("'s")


# Complex: what is named often, listed in order and shown are three choices from the same counts.
def _drafted(attribute: Attribute, found: _ByValue, known: set[str], issues: int) -> DraftedAttribute | None:
    """Return the proposal, unless too few values are named or the configuration has most of them already."""
    order = attribute.values or attribute.examples
    named = [value for value in order if value in found and found[value].are_enough(issues)]
    if len(named) < 2 or sum(value.casefold() in known for value in named) * 2 >= len(named):
        return None
    most_named = sorted(named, key=lambda v: -len(found[v].issues))[:MOST_VALUES]
    values = tuple(sorted(most_named, key=order.index))
    return DraftedAttribute(
        name=attribute.name,
        kind=attribute.kind,
        values=values if attribute.kind == "closed" else (),
        synonyms=tuple(_synonyms(values, found)),
        examples=() if attribute.kind == "closed" else values,
        why="Named so often: " + ", ".join(_counted(value, found[value]) for value in values),
        issues=tuple(sorted(set().union(*(found[v].issues for v in values)))[:MOST_ISSUES]),
    )


def _counted(value: str, found: _Occurrences) -> str:
    documents = len(found.documents)
    return f"{value} in {len(found.issues)} issues and {documents} document{'s' if documents != 1 else ''}"


def _synonyms(values: Sequence[str], found: _ByValue) -> Iterator[Synonyms]:
    """Yield the words that issues have for a value and for no other one, the most frequent first."""
    owners = Counter(word for value in values for word in found[value].words)
    names = {value.casefold() for value in values}
    for value in values:
        ranked = sorted(found[value].words.items(), key=lambda pair: (-pair[1], pair[0]))
        words = [word for word, _ in ranked if word not in names and owners[word] == 1]
        if words:
            yield Synonyms(value=value, words=tuple(words[:MOST_SYNONYMS]))


def _with_count(rule: DraftedRule, documents: Sequence[tuple[str, str]]) -> DraftedRule:
    """Say of a general rule how many of the documents say what it forbids: solutions are made from them."""
    pattern = Rule(rule.id, rule.text, rule.patterns)
    broken = sum(pattern.match_patterns(opening) is not None for _, opening in documents)
    count = f"{broken} of {len(documents)} documents say what it forbids" if documents else "there are no documents yet"
    return rule.model_copy(update={"why": f"{rule.why}; {count}."})
