"""A draft without a model: known groups of values that issues and documents both name, versions, and general rules.

It counts words and understands nothing: what it proposes is there, what it does not propose may be there too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autokb.core.domain import Attribute, Rule
from autokb.tasks.issues.draft_spec.families import FAMILIES, KNOWN_WORDS, RULES
from autokb.tasks.issues.draft_spec.labels import label_family
from autokb.tasks.issues.draft_spec.shapes import (
    MOST_ATTRIBUTES,
    MOST_VALUES,
    MOST_WORDS,
    DraftedAttribute,
    DraftedRule,
    DraftedSpec,
    DraftSpec,
    Synonyms,
)
from autokb.tasks.issues.draft_spec.versions import version_families
from autokb.tasks.issues.extract_attributes.contrast import concerned
from autokb.text.lexicon import Mention, Words, lexicon, split_words

ISSUES, DOCUMENTS = 2, 1  # how many must name a value for it to be proposed
ONE_IN = 200  # of many issues more must: what one in hundreds says by the way tells no customers apart
NAMED = 12  # issues that an attribute names


@dataclass
class _Seen:
    """In which issues and documents a value stands, and in which words."""

    issues: set[int] = field(default_factory=set)
    documents: set[int] = field(default_factory=set)
    words: Counter[str] = field(default_factory=Counter)

    def counts(self, issues: int) -> bool:
        """Return whether enough of so many issues, and a document, name it."""
        return len(self.issues) >= max(ISSUES, issues / ONE_IN) and len(self.documents) >= DOCUMENTS


def draft(item: DraftSpec) -> DraftedSpec:
    """Propose the groups of which two values at least stand in issues and documents, most issues first."""
    taken = {name.casefold() for name, _ in item.attributes}
    known = {value.casefold() for _, listed in item.attributes for value in listed}
    issues = [split_words(text) for text in item.issues]
    documents = [split_words(f"{title}\n{opening}") for title, opening in item.documents]
    texts = [opening for _, opening in item.documents]
    more = (*version_families(issues, documents), *label_family(issues, texts, KNOWN_WORDS))
    looked_for = {a.name: a for a in (*FAMILIES, *more) if a.name not in taken}
    seen = _count(looked_for, issues, documents)
    found = [
        drafted
        for attribute in looked_for.values()
        if (drafted := _drafted(attribute, seen[attribute.name], known, len(issues))) is not None
    ]
    found.sort(key=lambda a: -len(_shown(seen[a.name])))
    ids = {rule for rule, _ in item.rules}
    rules = tuple(_ruled(rule, item.documents) for rule in RULES if rule.id not in ids)
    return DraftedSpec(attributes=tuple(found[:MOST_ATTRIBUTES]), rules=rules)


def _count(
    looked_for: Mapping[str, Attribute], issues: Sequence[Words], documents: Sequence[Words]
) -> Mapping[str, Mapping[str, _Seen]]:
    """Count the values: in an issue those that it is about, in a document all that stand there."""
    words = lexicon(looked_for)
    seen: defaultdict[str, defaultdict[str, _Seen]] = defaultdict(lambda: defaultdict(_Seen))
    for number, text in enumerate(issues, 1):
        for mention in concerned(text, words.mentions(text), looked_for):
            one = seen[mention.attribute][mention.value]
            if number not in one.issues:
                one.words[_words(text, mention)] += 1
            one.issues.add(number)
    for number, text in enumerate(documents, 1):
        for mention in words.mentions(text):
            seen[mention.attribute][mention.value].documents.add(number)
    return seen


def _words(text: Words, mention: Mention) -> str:
    """Return what stands for a value, as it is written but for the letters' case."""
    first, *more = range(mention.start, mention.end)
    said = text.folded[first] + "".join(text.gaps[n] + text.folded[n] for n in more)
    return said.removesuffix("'s")


def _drafted(attribute: Attribute, seen: Mapping[str, _Seen], known: set[str], issues: int) -> DraftedAttribute | None:
    """Return the proposal, unless too few values are named or the configuration has most of them already."""
    order = attribute.values or attribute.examples
    named = [value for value in order if value in seen and seen[value].counts(issues)]
    if len(named) < 2 or sum(value.casefold() in known for value in named) * 2 >= len(named):
        return None
    closed = attribute.kind == "closed"
    kept = sorted(sorted(named, key=lambda v: -len(seen[v].issues))[:MOST_VALUES], key=order.index)
    return DraftedAttribute(
        name=attribute.name,
        kind=attribute.kind,
        values=tuple(kept) if closed else (),
        synonyms=_synonyms(kept, seen),
        examples=() if closed else tuple(kept),
        why="Named so often: " + ", ".join(_counted(value, seen[value]) for value in kept),
        issues=tuple(sorted(set().union(*(seen[v].issues for v in kept)))[:NAMED]),
    )


def _counted(value: str, seen: _Seen) -> str:
    documents = len(seen.documents)
    return f"{value} in {len(seen.issues)} issues and {documents} document{'s' if documents != 1 else ''}"


def _shown(seen: Mapping[str, _Seen]) -> set[int]:
    return set().union(*(one.issues for one in seen.values())) if seen else set()


def _synonyms(kept: Sequence[str], seen: Mapping[str, _Seen]) -> tuple[Synonyms, ...]:
    """Return the words that issues have for a value and for no other one, the most frequent first."""
    owners = Counter(word for value in kept for word in seen[value].words)
    names = {value.casefold() for value in kept}
    found = []
    for value in kept:
        ranked = sorted(seen[value].words.items(), key=lambda pair: (-pair[1], pair[0]))
        own = [word for word, _ in ranked if word not in names and owners[word] == 1]
        if own:
            found.append(Synonyms(value=value, words=tuple(own[:MOST_WORDS])))
    return tuple(found)


def _ruled(rule: DraftedRule, documents: Sequence[tuple[str, str]]) -> DraftedRule:
    """Say of a general rule how many of the documents say what it forbids: solutions are made from them."""
    pattern = Rule(rule.id, rule.text, rule.patterns)
    broken = sum(pattern.broken_by(opening) is not None for _, opening in documents)
    said = f"{broken} of {len(documents)} documents say what it forbids" if documents else "there are no documents yet"
    return rule.model_copy(update={"why": f"{rule.why}; {said}."})
