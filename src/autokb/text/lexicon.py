"""The lexicon finds the words of attribute values in a text; it knows no grammar beyond a plain negation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from autokb.core.attributes import ANY, NONE, Attributes, Values
from autokb.core.domain import Attribute, DomainSpec
from autokb.text.lexicon_words import (
    EVERYDAY,
    FALSE_FRIENDS,
    OTHER_WORDS,
    SILENT,
    SWITCHES,
    common_words,
    inflections,
    slips,
    word_set,
)

READ_AT_MOST = 100_000  # characters of a text; what a customer says stands before that, and hostile texts stay cheap

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+(?:['’][^\W{_CJK}]+)*(?:[+#]+(?!\w))?")
_BREAK = re.compile(r"[.!?;:|…。！？](?=\s|$|\W)|\n|[。！？]|\s[-–—]+\s|—")
_JOINT = re.compile(r"[ \t\u00a0_./&'’\"*™®-]{0,3}\Z")
_DIGITS = re.compile(r"([^\W\d_]{2,})\d+\Z")
_NEGATION = word_set("not without except excluding unless isn't aren't no")
_BETWEEN = word_set("a an the on in with for using via your any if you use have are")

Spec = Mapping[str, Attribute]
_Key = tuple[tuple[str, str, tuple[tuple[str, tuple[str, ...]], ...]], ...]


@dataclass(frozen=True, slots=True)
class Words:
    """A text as words: as written, case folded, and the gap before each (``gaps[0]`` is what precedes the first)."""

    raw: tuple[str, ...]
    folded: tuple[str, ...]
    gaps: tuple[str, ...]

    def breaks(self, position: int) -> bool:
        """Return whether a sentence or line ends before this word."""
        return position > 0 and _BREAK.search(self.gaps[position]) is not None


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """Words ``start`` to ``end`` (half open) name this value."""

    start: int
    end: int
    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class _Entry:
    words: tuple[str, ...]
    attribute: str
    value: str
    exact: str = ""


def split_words(text: str) -> Words:
    """Split the first READ_AT_MOST characters of a text into words; a CJK character is a word of its own."""
    text = unicodedata.normalize("NFKC", text[:READ_AT_MOST]).replace("’", "'")
    raw, folded, gaps, end = [], [], [], 0
    for token in _TOKEN.finditer(text):
        raw.append(token.group())
        folded.append(token.group().casefold())
        gaps.append(text[end : token.start()])
        end = token.end()
    return Words(tuple(raw), tuple(folded), tuple(gaps))


class Lexicon:
    """Every spelling of every value, ready to be looked up word by word."""

    def __init__(self, key: _Key) -> None:
        self._entries: dict[str, list[_Entry]] = {}
        for name, kind, values in key:
            self._add_attribute(name, kind, values)
        for entries in self._entries.values():
            entries.sort(key=lambda e: (-len(e.words), e.attribute, e.value))
        known = set(self._entries)
        self._slips = {
            slip: word
            for word in sorted(w for w, es in self._entries.items() if any(len(e.words) == 1 for e in es))
            for slip in slips(word)
            if slip not in known and slip not in OTHER_WORDS
        }

    def _add_attribute(self, name: str, kind: str, values: tuple[tuple[str, tuple[str, ...]], ...]) -> None:
        given = {value: (*_spellings(value), *words) for value, words in values}
        claimed = frozenset("".join(split_words(w).folded) for words in given.values() for w in words)
        for value, words in given.items():
            common = common_words(value, len(words) > len(_spellings(value)), claimed)
            for word in dict.fromkeys((*words, *common)):
                self._add(name, value, word)

    def _add(self, attribute: str, value: str, phrase: str) -> None:
        split = split_words(phrase)
        if not split.folded:
            return
        everyday = len(split.folded) == 1 and (split.folded[0] in EVERYDAY or len(split.folded[0]) == 1)
        exact = split.raw[0] if everyday and not _TOKEN.sub("", split.raw[0]) and split.raw[0].isascii() else ""
        for words in _variants(split.folded):
            entry = _Entry(words, attribute, value, exact)
            if entry not in (entries := self._entries.setdefault(words[0], [])):
                entries.append(entry)

    def values_named(self, name: str) -> Iterator[tuple[str, str]]:
        """Give the (attribute, value) pairs that have this word or phrase as a spelling."""
        words = split_words(name).folded
        for entry in self._entries.get(words[0], ()) if words else ():
            if entry.words == words:
                yield entry.attribute, entry.value

    def mentions(self, text: Words) -> list[Mention]:
        """Return the values named in a text, in order; within one attribute the longest spelling counts."""
        found: list[Mention] = []
        busy: dict[str, tuple[int, int]] = {}
        for start in range(len(text.folded)):
            for entry, end in self._at(text, start):
                taken = busy.get(entry.attribute, (-1, 0))
                if start >= taken[1] or taken == (start, end):
                    busy[entry.attribute] = (start, end)
                    found.append(Mention(start, end, entry.attribute, entry.value))
        return sorted(set(found))

    def _at(self, text: Words, start: int) -> Iterator[tuple[_Entry, int]]:
        word = text.folded[start]
        joined = self._joined(text, start)
        if joined:
            yield from ((e, start + 2) for e in self._entries[joined] if len(e.words) == 1)
        first = self._known(word)
        for entry in self._entries.get(first, ()) if first else ():
            end = start + len(entry.words)
            if entry.exact and text.raw[start] != entry.exact:
                continue
            if self._continues(text, start, entry.words) and not _means_else(text, start, end):
                yield entry, end

    def _known(self, word: str) -> str | None:
        if word in self._entries:
            return word
        bare = word.removesuffix("'s").removesuffix("'")
        if bare in self._entries:
            return bare
        if (digits := _DIGITS.match(bare)) and digits.group(1) in self._entries:
            return digits.group(1)
        return self._slips.get(bare)

    def _joined(self, text: Words, start: int) -> str | None:
        if start + 1 >= len(text.folded) or text.gaps[start + 1] not in ("-", " "):
            return None
        joined = text.folded[start] + text.folded[start + 1]
        return joined if len(joined) > 3 and joined in self._entries else None

    def _continues(self, text: Words, start: int, words: tuple[str, ...]) -> bool:
        for offset, word in enumerate(words[1:], 1):
            here = start + offset
            if here >= len(text.folded) or not _JOINT.match(text.gaps[here]):
                return False
            said = text.folded[here]
            if said != word and said.removesuffix("'s") != word:
                digits = _DIGITS.match(said) or re.match(r"([^\W\d_])\d+\Z", said)
                if not digits or digits.group(1) != word:
                    return False
        return True


def _spellings(value: str) -> tuple[str, ...]:
    """Return what a value's name alone says: ``iPhone / iPad`` is two names, a remark in brackets is none."""
    parts = [p.strip() for p in re.split(r"\s*/\s*|\s+or\s+", re.sub(r"\([^)]*\)", " ", value))]
    return tuple(p for p in dict.fromkeys((value, *parts)) if p and p.casefold() not in SILENT)


def _variants(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for last in inflections(words[-1]):
        yield (*words[:-1], last)
        if len(words) > 1 and len(joined := "".join(words[:-1]) + last) > 3 and joined.isalnum():
            yield (joined,)


def _means_else(text: Words, start: int, end: int) -> bool:
    """Return whether the word is one of the known false friends: a MAC address, a phone number, open windows."""
    friend = FALSE_FRIENDS.get(text.folded[start]) if end == start + 1 else None
    if friend is None or (text.folded[start] == "windows" and text.raw[start] != "windows"):
        return False
    before = text.folded[start - 1] if start and not text.breaks(start) else ""
    after = text.folded[end] if end < len(text.folded) and not text.breaks(end) else ""
    return before in friend[0] or after in friend[1]


def _frozen(spec: Spec) -> _Key:
    return tuple(
        (
            a.name,
            a.kind,
            tuple(
                (v, tuple(a.synonyms.get(v, ())))
                for v in dict.fromkeys((*a.values, *(() if a.kind == "closed" else (*a.examples, *a.synonyms))))
            ),
        )
        for a in spec.values()
    )


_compiled = lru_cache(maxsize=32)(Lexicon)
# Looking a long configuration up by its content costs more than reading a step; the same object needs it only once.
_seen: dict[int, tuple[Spec, Lexicon]] = {}


def lexicon(spec: DomainSpec | Spec) -> Lexicon:
    """Return the lexicon of a specification, compiled once."""
    attributes = spec.attributes if isinstance(spec, DomainSpec) else spec
    known = _seen.get(id(attributes))
    if known is None or known[0] is not attributes:
        if len(_seen) >= 32:
            _seen.clear()
        known = _seen[id(attributes)] = (attributes, _compiled(_frozen(attributes)))
    return known[1]


def gathered(pairs: Iterable[tuple[str, str]], spec: Spec) -> dict[str, Values]:
    """Collect (attribute, value) pairs into sets in their one spelling; an attribute that is Any says nothing."""
    sets: dict[str, set[str]] = {}
    for name, value in pairs:
        sets.setdefault(name, set()).add(value)
    normal = {name: spec[name].normal(frozenset(values)) for name, values in sorted(sets.items())}
    return {name: values for name, values in normal.items() if values}


def text_attributes(text: str, spec: DomainSpec) -> Attributes:
    """Return what a heading or step says it is for (``On Windows``, ``macOS:``); a plain negation is honoured."""
    words = split_words(text)
    found = (m for m in lexicon(spec).mentions(words) if not _negated(words, m.start))
    return {n: v for n, v in gathered(((m.attribute, m.value) for m in found), spec.attributes).items() if v != ANY}


def _negated(text: Words, start: int) -> bool:
    for here in range(start - 1, max(-1, start - 5), -1):
        if text.breaks(here + 1):
            return False
        if text.folded[here] in _NEGATION:
            return True
        if text.folded[here] not in _BETWEEN:
            return False
    return False


def switch_attributes(names: Sequence[str], negated: bool, spec: DomainSpec) -> Attributes:
    """Return what a platform switch says: ``win10`` is Windows where the domain knows it, versions say nothing."""
    words = lexicon(spec)
    pairs = [pair for name in names for pair in _switch_values(name, words)]
    attributes = gathered(pairs, spec.attributes)
    if negated:
        attributes = {
            name: rest
            for name, values in attributes.items()
            if spec.attributes[name].kind == "closed" and (rest := frozenset(spec.attributes[name].values) - values)
        }
    return {name: values for name, values in attributes.items() if values != ANY}


def _switch_values(name: str, words: Lexicon) -> Iterator[tuple[str, str]]:
    name = name.strip().lstrip("=").casefold()
    if found := list(words.values_named(name)):
        yield from found
        return
    for prefix, candidates in SWITCHES:
        if re.fullmatch(rf"{prefix}(dows|os|x)?(xp|vista|nt|me|[\d._-].*)?", name):
            for candidate in candidates:
                yield from words.values_named(candidate)
            return


def settled(attributes: Attributes, spec: Spec) -> dict[str, Values]:
    """Add the values that the said ones settle: where only one is implied for an unknown attribute, step by step."""
    result = dict(attributes)
    while new := {name: values for name, values in implied_sets(result, spec).items() if len(values) == 1}:
        result.update(new)
    return result


def implied_sets(attributes: Attributes, spec: Spec) -> dict[str, Values]:
    """Return the values that an unknown attribute can still have by what is said: ``iOS`` leaves phone and tablet."""
    found: dict[str, Values] = {}
    for name in sorted(attributes):
        for other, values in _implied(name, attributes[name], spec).items():
            if other not in attributes:
                found[other] = found.get(other, values) & values or found[other]
    return found


def _implied(name: str, values: Values, spec: Spec) -> dict[str, Values]:
    if name not in spec or values in (ANY, NONE):
        return {}
    implied = [spec[name].implies.get(value, {}) for value in sorted(values)]
    shared = set.intersection(*(set(i) for i in implied)) & set(spec)
    sets = {other: spec[other].normal(frozenset().union(*(i[other] for i in implied))) for other in sorted(shared)}
    return {other: found for other, found in sets.items() if found and found != ANY}
