"""A lexicon finds the names of attribute values in a text; it knows no grammar beyond a plain negation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from autokb.core.attributes import ANY, Attributes, Values
from autokb.core.domain import ENGLISH, Attribute, DomainSpec
from autokb.text.lexicons import language_data
from autokb.text.word_forms import inflections, misspellings
from autokb.text.words import Words, split_words

# Between the words of one name: blanks, a hyphen, a mark of a trade.
_JOINT = re.compile(r"[ \t\u00a0_./&'’\"*™®-]{0,3}\Z")
_WITH_VERSION = re.compile(r"([^\W\d_]{2,})\d+\Z")  # windows11
_LETTER_WITH_VERSION = re.compile(r"([^\W\d_])\d+\Z")  # galaxy s23
_LONGEST_ABBREVIATION = 4  # letters of a name in capitals
_NAME_WITHIN = 8  # words before an adjective in which its attribute is named
_NEGATION_WITHIN = 4  # words before a name in which a negation counts

Spec = Mapping[str, Attribute]


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """Words, or characters, ``start`` to ``end`` (half open) name this value."""

    start: int
    end: int
    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """One spelling of a value, folded.

    ``exact`` is the only way to write it where it is an everyday word (US, IT) or the plural of an abbreviation (POPs);
    ``beside`` are the words of the attribute's name, one of which an adjective needs: hard water.
    """

    words: tuple[str, ...]
    attribute: str
    value: str
    exact: str = ""
    beside: frozenset[str] = frozenset()


class Lexicon:
    """Every spelling of every value in one language, ready to be looked up word by word."""

    def __init__(self, attributes: Iterable[Attribute], language: str) -> None:
        self._language = language
        self._data = language_data(language)
        conjunctions = "|".join(map(re.escape, sorted(self._data.alternative_conjunctions)))
        self._alternatives = re.compile(r"\s*/\s*" + (rf"|\s+(?:{conjunctions})\s+" if conjunctions else ""))
        self._entries: dict[str, list[_Entry]] = {}
        for attribute in attributes:
            self._add_attribute(attribute)
        for entries in self._entries.values():
            entries.sort(key=lambda e: (-len(e.words), e.attribute, e.value))
        known = set(self._entries)
        self._misspelt: dict[str, tuple[str, ...]] = {}
        for word in sorted(w for w, es in self._entries.items() if any(len(e.words) == 1 for e in es)):
            for misspelt in dict.fromkeys(misspellings(word)):
                if misspelt not in known and misspelt not in self._data.near_misses:
                    self._misspelt[misspelt] = (*self._misspelt.get(misspelt, ()), word)

    def _add_attribute(self, attribute: Attribute) -> None:
        more = (*attribute.examples, *attribute.synonyms) if attribute.kind == "open" else ()
        values = dict.fromkeys((*attribute.values, *more))
        names = {value: (*self._names_in(value), *attribute.synonyms.get(value, ())) for value in values}
        claimed = frozenset("".join(split_words(name).folded) for given in names.values() for name in given)
        for value, given in names.items():
            has_synonyms = len(given) > len(self._names_in(value))
            # An open attribute's value without a capital is an everyday word: hard, soft.
            beside = frozenset[str]()
            if attribute.kind == "open" and value.islower() and value.replace(" ", "").isalpha():
                beside = self._words_in(attribute.name)
            for name in dict.fromkeys((*given, *self._common_names(value, has_synonyms, claimed))):
                self._add_name(attribute.name, value, name, beside if name == value else frozenset())

    def _names_in(self, value: str) -> tuple[str, ...]:
        """Return the names that a value's own name holds: ``iPhone / iPad`` is two, a remark in brackets is none."""
        parts = [part.strip() for part in self._alternatives.split(re.sub(r"\([^)]*\)", " ", value))]
        return tuple(p for p in dict.fromkeys((value, *parts)) if p and p.casefold() not in self._data.general_values)

    def _common_names(self, value: str, has_synonyms: bool, claimed: frozenset[str]) -> Iterator[str]:
        """Give what everybody calls a value, without the names that the configuration gives to some value itself."""
        for name in self._data.value_names.get(value.casefold(), ()):
            bare = name.lstrip("?")
            if not (has_synonyms and name.startswith("?")) and bare.replace(" ", "") not in claimed:
                yield bare

    def _words_in(self, name: str) -> frozenset[str]:
        """Return the words of an attribute's name with their inflections; none where no word joins it to a value."""
        words = split_words(name.replace("_", " ")).folded if self._data.linking_words else ()
        return frozenset(form for word in words for form in inflections(word, self._language))

    def _add_name(self, attribute: str, value: str, name: str, beside: frozenset[str]) -> None:
        split = split_words(name)
        if not split.folded:
            return
        first = split.folded[0]
        is_everyday = len(split.folded) == 1 and (first in self._data.everyday_words or len(first) == 1)
        exact = split.raw[0] if is_everyday and first.isascii() else ""
        for words in self._spell_forms(split.folded):
            is_plural = words != split.folded and _is_abbreviation(name, value)
            entry = _Entry(words, attribute, value, _plural_abbreviation(name, words) if is_plural else exact, beside)
            if entry not in (entries := self._entries.setdefault(words[0], [])):
                entries.append(entry)

    def _spell_forms(self, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """Give a name in singular and plural, and written as one word: smart phone, smartphones."""
        for last in inflections(words[-1], self._language):
            yield (*words[:-1], last)
            if len(words) > 1 and len(joined := "".join(words[:-1]) + last) > 3 and joined.isalnum():
                yield (joined,)

    def values_named(self, name: str) -> Iterator[tuple[str, str]]:
        """Give the (attribute, value) pairs that have this word or phrase as a spelling."""
        words = split_words(name).folded
        for entry in self._entries.get(words[0], ()) if words else ():
            if entry.words == words:
                yield entry.attribute, entry.value

    def mentions(self, text: Words) -> list[Mention]:
        """Return the values named in a text, in order; within one attribute the longest spelling counts."""
        found: list[Mention] = []
        last: dict[str, tuple[int, int]] = {}  # the place of each attribute's last mention
        for start in range(len(text.folded)):
            for entry, end in self._entries_at(text, start):
                place = last.get(entry.attribute, (-1, 0))
                if start >= place[1] or place == (start, end):
                    last[entry.attribute] = (start, end)
                    found.append(Mention(start, end, entry.attribute, entry.value))
        return sorted(set(found))

    def is_negated(self, text: Words, start: int) -> bool:
        """Return whether a plain negation precedes a word, with small words between them at most."""
        for here in range(start - 1, max(-1, start - 1 - _NEGATION_WITHIN), -1):
            if text.breaks(here + 1):
                return False
            if text.folded[here] in self._data.negations:
                return True
            if text.folded[here] not in self._data.words_under_negation:
                return False
        return False

    # Complex: an entry must pass four tests at the same word, and the cheaper ones come first.
    def _entries_at(self, text: Words, start: int) -> Iterator[tuple[_Entry, int]]:
        """Give the names that begin at a word, the longest first, with the word after each."""
        if joined := self._joined_with_next(text, start):
            yield from ((e, start + 2) for e in self._entries[joined] if len(e.words) == 1)
        for entry in (e for form in self._known_forms(text.folded[start]) for e in self._entries[form]):
            end = start + len(entry.words)
            if entry.exact and text.raw[start] != entry.exact:
                continue
            if entry.beside and not self._is_beside(text, start, end, entry.beside):
                continue
            if self._matches_words_from(text, start, entry.words) and not self._has_other_sense(text, start, end):
                yield entry, end

    def _joined_with_next(self, text: Words, start: int) -> str | None:
        """Return the known word that two words make: blue-tooth."""
        if start + 1 >= len(text.folded) or text.gaps[start + 1] not in ("-", " "):
            return None
        joined = text.folded[start] + text.folded[start + 1]
        return joined if len(joined) > 3 and joined in self._entries else None

    def _known_forms(self, word: str) -> tuple[str, ...]:
        """Return the known word that a word is, is the genitive or a version of, or those that it is a slip of."""
        if word in self._entries:
            return (word,)
        bare = word.removesuffix("'s").removesuffix("'")
        if bare in self._entries:
            return (bare,)
        if (versioned := _WITH_VERSION.match(bare)) and versioned.group(1) in self._entries:
            return (versioned.group(1),)
        return self._misspelt.get(bare, ())

    def _is_beside(self, text: Words, start: int, end: int, names: frozenset[str]) -> bool:
        """Return whether an adjective is said of what its attribute names: hard (tap) water, the water is very hard."""
        after = text.folded[end : end + 2]
        if self._data.infinitive_words.intersection(after[:1]):  # hard to turn
            return False
        if any(word in names and not text.breaks(here) for here, word in enumerate(after, end)):
            return True
        if set(text.gaps[start]) & set(":="):
            return start > 0 and text.folded[start - 1] in names
        first = start
        while first > max(0, start - _NAME_WITHIN) and not text.breaks(first):
            first -= 1
        before = text.folded[first:start]
        is_joined = bool(before) and before[-1] in self._data.linking_words
        return not names.isdisjoint(before if is_joined else before[-1:])

    def _matches_words_from(self, text: Words, start: int, words: tuple[str, ...]) -> bool:
        """Return whether a text goes on as a name does after its first word."""
        for here, word in enumerate(words[1:], start + 1):
            if here >= len(text.folded) or not _JOINT.match(text.gaps[here]):
                return False
            found = text.folded[here]
            if found != word and found.removesuffix("'s") != word:
                versioned = _WITH_VERSION.match(found) or _LETTER_WITH_VERSION.match(found)
                if not versioned or versioned.group(1) != word:
                    return False
        return True

    def _has_other_sense(self, text: Words, start: int, end: int) -> bool:
        """Return whether its neighbours show that a word means something else: a MAC address, open windows."""
        other = self._data.other_senses.get(text.folded[start]) if end == start + 1 else None
        if other is None or (other.only_small and text.raw[start] != text.folded[start]):
            return False
        before = text.folded[start - 1] if start and not text.breaks(start) else ""
        after = text.folded[end] if end < len(text.folded) and not text.breaks(end) else ""
        return before in other.after or after in other.before


def _is_abbreviation(name: str, value: str) -> bool:
    """Return whether a short name stands in capitals in its value: pop in POP3."""
    return name.isalpha() and len(name) <= _LONGEST_ABBREVIATION and name.upper() in value


def _plural_abbreviation(name: str, words: tuple[str, ...]) -> str:
    return name.upper() + words[0][len(name) :]


_compiled = lru_cache(maxsize=32)(Lexicon)


def lexicon(spec: DomainSpec | Spec, language: str = ENGLISH) -> Lexicon:
    """Return the lexicon of a specification, compiled once; ``language`` is that of attributes without a domain."""
    if isinstance(spec, DomainSpec):
        return _compiled(tuple(spec.attributes.values()), spec.language)
    return _compiled(tuple(spec.values()), language)


def collect_values(pairs: Iterable[tuple[str, str]], spec: Spec) -> dict[str, Values]:
    """Collect (attribute, value) pairs into sets in their one spelling; an attribute that is Any says nothing."""
    sets: dict[str, set[str]] = {}
    for name, value in pairs:
        sets.setdefault(name, set()).add(value)
    normal = {name: spec[name].normal(frozenset(values)) for name, values in sorted(sets.items())}
    return {name: values for name, values in normal.items() if values}


def text_attributes(text: str, spec: DomainSpec) -> Attributes:
    """Return what a heading or step says it is for (``On Windows``, ``macOS:``); a plain negation is honoured."""
    words, names = split_words(text), lexicon(spec)
    found = (m for m in names.mentions(words) if not names.is_negated(words, m.start))
    return {
        n: v for n, v in collect_values(((m.attribute, m.value) for m in found), spec.attributes).items() if v != ANY
    }


def conditional_attributes(names: Sequence[str], negated: bool, spec: DomainSpec) -> Attributes:
    """Return whom conditional markup is for: ``win10`` is Windows where the domain knows it, versions say nothing."""
    known = lexicon(spec)
    attributes = collect_values((pair for name in names for pair in _values_of_mark(name, known)), spec.attributes)
    if negated:
        attributes = {
            name: rest
            for name, values in attributes.items()
            if spec.attributes[name].kind == "closed" and (rest := frozenset(spec.attributes[name].values) - values)
        }
    return {name: values for name, values in attributes.items() if values != ANY}


def _values_of_mark(name: str, known: Lexicon) -> Iterator[tuple[str, str]]:
    name = name.strip().lstrip("=").casefold()
    if found := list(known.values_named(name)):
        yield from found
        return
    data = language_data()
    for prefix, values in data.markup_prefixes.items():
        if re.fullmatch(rf"{prefix}(?:{data.markup_endings})?(?:{data.markup_versions}|[\d._-].*)?", name):
            for value in values:
                yield from known.values_named(value)
            return
