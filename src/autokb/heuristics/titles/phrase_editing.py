"""Words of attribute values in a line: where they are, how they leave it grammatically, how a value is added."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from autokb.core.domain import Attribute
from autokb.core.nouns import Span
from autokb.heuristics.subject_words import subject_words
from autokb.heuristics.titles.issue_title import names_problem
from autokb.text.lexicon import Spec, lexicon, split_words

_VERSION = re.compile(
    r"(?:[ -]?v?\d[\d.]*\w{0,3}\b|\s+(?:pro|home|edition|lts|ultra|max|plus|mini|se)\b(?=\W|\Z))+", re.IGNORECASE
)
_LIST_JOINT = re.compile(r"\s*(?:,|/|&|\+)\s*|\s*,?\s*\b(?:and|or)\b\s*(?:(?:the|my|a|an|both)\s+)?|\s+", re.IGNORECASE)
HEAD_NOUNS = (  # what a value describes: the account of "Outlook account"
    "account accounts mail mails email emails e-mail e-mails address addresses inbox server servers phone phones "
    "laptop laptops computer computers pc pcs machine machines tablet tablets device devices system user users app "
    "version desktop browser calendar contacts password passwords login provider client settings folder folders"
).split()
_HEAD_NOUN = re.compile(rf"\s+(?:{'|'.join(map(re.escape, HEAD_NOUNS))})\b", re.IGNORECASE)
_DETERMINERS = r"(?:(?:my|our|the|a|an|his|her|their|your|this|that|new|old|both|another|any)\s+){0,2}"
_PREPOSITION_BEFORE = re.compile(
    rf"(?:\s|\A)(?:on|in|with|for|from|to|into|onto|under|using|via|through|at|by|of|between|running|inside)\s+{_DETERMINERS}\Z",
    re.IGNORECASE,
)
_PHRASE_ENDS = re.compile(
    r"\s*(?:[.,;:!?)\]|…/–-]|\Z)|\s+(?:and|but|or|when|while|after|before|since|because|if|as|so|then|than|with|without|"
    r"on|in|to|for|from|at|by|via|using|is|isn't|are|aren't|was|wasn't|were|will|won't|can|can't|cannot|could|couldn't|do|"
    r"does|doesn't|don't|did|didn't|has|have|had|hasn't|haven't|not|no|keep|keeps|kept|any|anymore|any more|again|even|"
    r"despite|during|until|which|that|where|how|every|each|today)\b",
    re.IGNORECASE,
)
_NEEDS_OBJECT = re.compile(
    r"n't\b|\b(?:i|my|we|our|it|its|to|is|are|was|were|be|can|cant|cannot|wont|will|would|do|does|did|has|have|had|how|what|why|where|when|"
    r"not|use|using|the|a|an|and|or|of|than|as|add|open|get|set|connect|sync|find|see|detect|recogni[sz]e|lose|lost|reset|"
    r"clean|update|charge|remove|install|reach|one|two|both|each|every|any|left|right|\w+s)\s+\Z|n't\b|\b(?:i|to|is|are|can|cannot|how|does|do)\b",
    re.IGNORECASE,
)
_ONLY_DETERMINERS = re.compile(r"\A(?:(?:my|our|the|a|an|these|this|both)\s+)*\Z", re.IGNORECASE)
_NEGATED_VERB = re.compile(
    r"\s+(?=(?:\w+n['’]t|wont|dont|doesnt|didnt|cant|isnt|will not|do not|does not|did not|can not|cannot|not|never|"
    r"no longer|keeps?|kept)\b\s*\w)",
    re.IGNORECASE,
)
_MARK_BEHIND_LABEL = re.compile(r"\s*[-–:|,]+\s+")
_MARK_BEFORE_LABEL = re.compile(r"\s*[-–:|,/]+\s*\Z")
_PART_OF = re.compile(
    r"\b(?:one|two|both|all|some|most|many|none|each|either|half|part|side|left|right|pair|couple)\s*\Z", re.IGNORECASE
)
_LOOSE_END = re.compile(
    r"(?:[\s,;:/|–-]|\b(?:and|or|both|either|since|for|at|of|to|than|by|after|before|during|until|while|when|is|are|was|on|in|with|for|from|via|using|my|the|a|an)\b)+(?=[.!?…]*\Z)",
    re.IGNORECASE,
)
_OPENER = re.compile(r"\A(?:my|our)\s+", re.IGNORECASE)
_CLOSING_MARKS = " .!?)"


@dataclass(frozen=True, slots=True)
class ValueMention:
    """Characters ``start`` to ``end`` of a line name this value."""

    start: int
    end: int
    attribute: str
    value: str


def value_mentions(line: str, spec: Spec) -> list[ValueMention]:
    """Return the values that a line (in NFKC) names or lets one guess, in order."""
    words = split_words(line)
    starts, ends, at = [], [], 0
    for gap, raw in zip(words.gaps, words.raw, strict=True):
        starts.append(at + len(gap))
        at = starts[-1] + len(raw)
        ends.append(at)
    found = lexicon(spec).mentions(words)
    return [ValueMention(starts[m.start], ends[m.end - 1], m.attribute, m.value) for m in found]


def named_values(line: str, spec: Spec) -> list[ValueMention]:
    """Return the mentions that name a value, in order; verbs that let one guess it (to pair: Bluetooth) name none."""
    verbs = {name: _verb_synonyms(attribute) for name, attribute in spec.items()}
    found = [m for m in value_mentions(line, spec) if line[m.start : m.end].casefold() not in verbs[m.attribute]]
    return sorted(found, key=lambda m: (m.start, -m.end, m.attribute, m.value))


def _verb_synonyms(attribute: Attribute) -> frozenset[str]:
    """Return the synonyms of an attribute that are forms of one verb: ``pair`` where ``pairing`` is one too."""
    found: set[str] = set()
    for words in attribute.synonyms.values():
        given = {word.casefold() for word in words}
        for word in given:
            forms = {word, f"{word}s", f"{word}ed", f"{word}ing", f"{word.removesuffix('e')}ing", f"{word}d"}
            if any(form.endswith("ing") and form != word for form in forms & given):
                found |= forms
    return frozenset(found)


def without_attributes(line: str, spec: Spec, attributes: Collection[str]) -> str | None:
    """Return the line without the words of these attributes, or None where it would no longer read well."""
    found = named_values(line, spec)
    spans = _joined_spans(line, [m for m in found if m.attribute in attributes])
    if not spans:
        return without_opener(line)
    others = [m for m in found if m.attribute not in attributes]
    for span in reversed(spans):
        shorter = _without_span(line, span, others)
        if shorter is None:
            return None
        line = shorter
    line = without_opener(_LOOSE_END.sub("", line))
    if not subject_words(line):
        return None
    # One word alone names a thing (Volume), unless it names what is wrong (Fever).
    return line if len(line.split()) >= 2 or names_problem(line.strip("?")) else None


def without_opener(line: str) -> str:
    """Return a line that begins with what it is about (not with ``My``) and with a capital."""
    bare = " ".join(_OPENER.sub("", line.strip(" ,;:-–|")).split())
    bare = re.sub(r"\s+([,.;:!?…])", r"\1", bare)
    bare = re.sub(r"(?<=\w)\.\Z", "", bare)
    return bare[:1].upper() + bare[1:] if bare[:1].islower() and not bare[1:2].isupper() else bare


def with_values(line: str, values: Sequence[str]) -> str:
    """Add values in brackets at the end."""
    return f"{line.rstrip(' .')} ({', '.join(values)})" if values else line


def _joined_spans(line: str, found: Iterable[ValueMention]) -> list[Span]:
    """Return the spans to leave out, with versions; mentions that overlap or are in one list share a span."""
    spans: list[Span] = []
    for mention in sorted(found, key=lambda m: (m.start, -m.end)):
        version = _VERSION.match(line, mention.end)
        start, end = mention.start, version.end() if version else mention.end
        if spans and (start <= spans[-1][1] or _LIST_JOINT.fullmatch(line, spans[-1][1], start)):
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans


def _without_span(line: str, span: Span, others: Iterable[ValueMention]) -> str | None:
    """Leave a span out by the first way that leaves a sentence; None when there is none.

    ``others`` are mentions that stay: "wired headphones" loses "wired", never the word that it belongs to.
    """
    start, end = span
    before, words, after = line[:start], line[start:end], line[end:]
    if any(m.start < start and not line[m.end : start].strip() for m in others):
        return None
    if any(m.end > end and not line[end : m.start].strip() for m in others):
        return before + after.lstrip()
    preposition = _PREPOSITION_BEFORE.search(before)
    if preposition and _PHRASE_ENDS.match(after) and _PART_OF.search(before[: preposition.start()]):
        return None  # "one of my earbuds" says nothing without the earbuds
    return next((rest for way in _WAYS_TO_LEAVE_OUT if (rest := way(before, words, after)) is not None), None)


def _from_brackets(before: str, _words: str, after: str) -> str | None:
    """Leave out brackets that hold nothing else."""
    bracketed = (before[-1:] + after[:1]) in ("()", "[]")
    return f"{before[:-1].rstrip()}{after[1:]}" if bracketed else None


def _with_preposition(before: str, _words: str, after: str) -> str | None:
    """Leave out ``on my Mac`` where the phrase ends behind it."""
    preposition = _PREPOSITION_BEFORE.search(before)
    return before[: preposition.start()] + after if preposition and _PHRASE_ENDS.match(after) else None


def _as_subject(before: str, _words: str, after: str) -> str | None:
    """Leave out the subject of a negation: "Buds won't pair" is about what will not pair, which is the product."""
    verb = _NEGATED_VERB.match(after) if _ONLY_DETERMINERS.match(before) else None
    return after[verb.end() :] if verb else None


def _as_label(before: str, _words: str, after: str) -> str | None:
    """Leave out a label in front (``Android: no sound``) or at the end (``No sound - Android``)."""
    if not before.strip() and (mark := _MARK_BEHIND_LABEL.match(after)):
        return after[mark.end() :]
    if not after.strip(_CLOSING_MARKS) and (mark := _MARK_BEFORE_LABEL.search(before)):
        return before[: mark.start()] + after
    return None


def _from_head_noun(before: str, words: str, after: str) -> str | None:
    """Leave out what describes a thing: "Outlook account" loses Outlook only."""
    if _HEAD_NOUN.match(after):
        return before + after.lstrip()
    *described_by, last = words.rsplit(" ", 1)
    return before + last + after if described_by and last.casefold() in HEAD_NOUNS else None


def _from_title_end(before: str, _words: str, after: str) -> str | None:
    """Leave out the end of a title such as "Firmware update iPhone", which is no sentence."""
    return None if after.strip(_CLOSING_MARKS) or _NEEDS_OBJECT.search(before) else before + after


# From the text before the words, the words, and the text after them to what is left; the first that applies counts.
_WAYS_TO_LEAVE_OUT: tuple[Callable[[str, str, str], str | None], ...] = (
    _from_brackets,
    _with_preposition,
    _as_subject,
    _as_label,
    _from_head_noun,
    _from_title_end,
)
