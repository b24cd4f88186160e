"""Attribute words in a line: where they stand, how they go where grammar allows it, how a missing value is added."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from autokb.core.domain import Attribute
from autokb.tasks.issues.grow_tree.headline import content_words, says_problem
from autokb.text.lexicon import Spec, lexicon, split_words

_VERSION = re.compile(
    r"(?:[ -]?v?\d[\d.]*\w{0,3}\b|\s+(?:pro|home|edition|lts|ultra|max|plus|mini|se)\b(?=\W|\Z))+", re.IGNORECASE
)
_BETWEEN = re.compile(r"\s*(?:,|/|&|\+)\s*|\s*,?\s*\b(?:and|or)\b\s*(?:(?:the|my|a|an|both)\s+)?|\s+", re.IGNORECASE)
_HEADS = (
    "account accounts mail mails email emails e-mail e-mails address addresses inbox server servers phone phones "
    "laptop laptops computer computers pc pcs machine machines tablet tablets device devices system user users app "
    "version desktop browser calendar contacts password passwords login provider client settings folder folders"
).split()
_HEAD = re.compile(rf"\s+(?:{'|'.join(map(re.escape, _HEADS))})\b", re.IGNORECASE)
_DETERMINERS = r"(?:(?:my|our|the|a|an|his|her|their|your|this|that|new|old|both|another|any)\s+){0,2}"
_BEFORE = re.compile(
    rf"(?:\s|\A)(?:on|in|with|for|from|to|into|onto|under|using|via|through|at|by|of|between|running|inside)\s+{_DETERMINERS}\Z",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"\s*(?:[.,;:!?)\]|…/–-]|\Z)|\s+(?:and|but|or|when|while|after|before|since|because|if|as|so|then|than|with|without|"
    r"on|in|to|for|from|at|by|via|using|is|isn't|are|aren't|was|wasn't|were|will|won't|can|can't|cannot|could|couldn't|do|"
    r"does|doesn't|don't|did|didn't|has|have|had|hasn't|haven't|not|no|keep|keeps|kept|any|anymore|any more|again|even|"
    r"despite|during|until|which|that|where|how|every|each|today)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"n't\b|\b(?:i|my|we|our|it|its|to|is|are|was|were|be|can|cant|cannot|wont|will|would|do|does|did|has|have|had|how|what|why|where|when|"
    r"not|use|using|the|a|an|and|or|of|than|as|add|open|get|set|connect|sync|find|see|detect|recogni[sz]e|lose|lost|reset|"
    r"clean|update|charge|remove|install|reach|one|two|both|each|every|any|left|right|\w+s)\s+\Z|n't\b|\b(?:i|to|is|are|can|cannot|how|does|do)\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"\A(?:(?:my|our|the|a|an|these|this|both)\s+)*\Z", re.IGNORECASE)
_DENIES = re.compile(
    r"\s+(?=(?:\w+n['’]t|wont|dont|doesnt|didnt|cant|isnt|will not|do not|does not|did not|can not|cannot|not|never|"
    r"no longer|keeps?|kept)\b\s*\w)",
    re.IGNORECASE,
)
_LEADS = re.compile(r"\s*[-–:|,]+\s+")
_TRAILS = re.compile(r"\s*[-–:|,/]+\s*\Z")
_PART = re.compile(
    r"\b(?:one|two|both|all|some|most|many|none|each|either|half|part|side|left|right|pair|couple)\s*\Z", re.IGNORECASE
)
_LOOSE = re.compile(
    r"(?:[\s,;:/|–-]|\b(?:and|or|both|either|since|for|at|of|to|than|by|after|before|during|until|while|when|is|are|was|on|in|with|for|from|via|using|my|the|a|an)\b)+(?=[.!?…]*\Z)",
    re.IGNORECASE,
)
_OPENER = re.compile(r"\A(?:my|our)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mention:
    """Characters ``start`` to ``end`` of a line say this value."""

    start: int
    end: int
    attribute: str
    value: str


def mentions(line: str, spec: Spec) -> list[Mention]:
    """Return the values that a line (in NFKC) names, in order."""
    words = split_words(line)
    starts, ends, at = [], [], 0
    for gap, raw in zip(words.gaps, words.raw, strict=True):
        starts.append(at + len(gap))
        at = starts[-1] + len(raw)
        ends.append(at)
    found = lexicon(spec).mentions(words)
    return [Mention(starts[m.start], ends[m.end - 1], m.attribute, m.value) for m in found]


def named(line: str, spec: Spec) -> list[Mention]:
    """Return the mentions that name a value, in order; verbs that let one guess it (to pair: Bluetooth) name none."""
    verbs = {name: _verbs(attribute) for name, attribute in spec.items()}
    found = [m for m in mentions(line, spec) if line[m.start : m.end].casefold() not in verbs[m.attribute]]
    return sorted(found, key=lambda m: (m.start, -m.end, m.attribute, m.value))


def _verbs(attribute: Attribute) -> frozenset[str]:
    """Return the synonyms of an attribute that are forms of one verb: ``pair`` where ``pairing`` stands beside it."""
    found: set[str] = set()
    for words in attribute.synonyms.values():
        given = {word.casefold() for word in words}
        for word in given:
            forms = {word, f"{word}s", f"{word}ed", f"{word}ing", f"{word.removesuffix('e')}ing", f"{word}d"}
            if any(form.endswith("ing") and form != word for form in forms & given):
                found |= forms
    return frozenset(found)


def without(line: str, spec: Spec, attributes: Collection[str]) -> str | None:
    """Return the line without the words of these attributes, or None where it would no longer read well."""
    found = named(line, spec)
    groups = _groups(line, [m for m in found if m.attribute in attributes])
    if not groups:
        return opened(line)
    others = [m for m in found if m.attribute not in attributes]
    for start, end in reversed(groups):
        # "wired headphones" loses "wired", never the word that it belongs to
        described = any(m.start < start and not line[m.end : start].strip() for m in others)
        describes = any(m.end > end and not line[end : m.start].strip() for m in others)
        shorter = None if described else line[:start] + line[end:].lstrip() if describes else _cut(line, start, end)
        if shorter is None:
            return None
        line = shorter
    line = opened(_LOOSE.sub("", line))
    # One word alone names a thing (Volume), unless it names what is wrong (Fever).
    return line if content_words(line) and (len(line.split()) >= 2 or says_problem(line.strip("?"))) else None


def opened(line: str) -> str:
    """Return a line that begins with what it is about (not with ``My``) and with a capital."""
    bare = " ".join(_OPENER.sub("", line.strip(" ,;:-–|")).split())
    bare = re.sub(r"\s+([,.;:!?…])", r"\1", bare)
    bare = re.sub(r"(?<=\w)\.\Z", "", bare)
    return bare[:1].upper() + bare[1:] if bare[:1].islower() and not bare[1:2].isupper() else bare


def shows(line: str, attribute: Attribute, value: str) -> bool:
    """Return whether a reader sees the value: its own name or one of its configured synonyms."""
    names = (value, *attribute.synonyms.get(value, ()))
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line, re.IGNORECASE) for name in names)


def with_values(line: str, values: Sequence[str]) -> str:
    """Add values in brackets at the end."""
    return f"{line.rstrip(' .')} ({', '.join(values)})" if values else line


def _groups(line: str, found: Iterable[Mention]) -> list[tuple[int, int]]:
    """Join mentions that overlap or stand in one list (Windows and Linux) into spans to cut."""
    groups: list[tuple[int, int]] = []
    for mention in sorted(found, key=lambda m: (m.start, -m.end)):
        start, end = mention.start, _with_version(line, mention.end)
        if groups and (start <= groups[-1][1] or _BETWEEN.fullmatch(line, groups[-1][1], start)):
            groups[-1] = (groups[-1][0], max(end, groups[-1][1]))
        else:
            groups.append((start, end))
    return groups


def _with_version(line: str, end: int) -> int:
    version = _VERSION.match(line, end)
    return version.end() if version else end


def _cut(line: str, start: int, end: int) -> str | None:
    """Cut a span out by the first way that leaves a sentence; None when there is none."""
    before, span, after = line[:start], line[start:end], line[end:]
    if before.endswith("(") and after.startswith(")"):
        return f"{before[:-1].rstrip()}{after[1:]}"
    if before.endswith("[") and after.startswith("]"):
        return f"{before[:-1].rstrip()}{after[1:]}"
    if (preposition := _BEFORE.search(before)) and _FOLLOWS.match(after):
        if _PART.search(before[: preposition.start()]):
            return None  # "one of my earbuds" says nothing without the earbuds
        return before[: preposition.start()] + after
    if _SUBJECT.match(before) and (denies := _DENIES.match(after)):
        return after[denies.end() :]  # "Buds won't pair": what will not is the product
    if not before.strip() and (lead := _LEADS.match(after)):
        return after[lead.end() :]
    if not after.strip(" .!?)") and (trail := _TRAILS.search(before)):
        return before[: trail.start()] + after
    if _HEAD.match(after):
        return before + after.lstrip()
    last = span.rsplit(" ", 1)
    if len(last) == 2 and last[1].casefold() in _HEADS:
        return before + last[1] + after  # "Outlook account" loses Outlook only
    if not after.strip(" .!?)") and not _SENTENCE.search(before):
        return before + after  # a title such as "Firmware update iPhone"
    return None
