"""Other forms of a word: plural and singular, and the slips of fast fingers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from autokb.core.domain import ENGLISH
from autokb.text.lexicons import language_data
from autokb.text.stemming import stem
from autokb.text.words import READ_AT_MOST, normalized, stop_words

_VOWELS = "aeiou"
_SHORTEST_MISSPELT = 6  # letters; a slip in a shorter word is too often another word


# Complex: one branch for each rule of English spelling.
def inflections(word: str, language: str = ENGLISH) -> Iterator[str]:
    """Give the folded word, its plural, and its singular where the word is a plain plural.

    The rules are those of English; a word of another language is given as it is.
    """
    yield word
    if language != ENGLISH or not word.isalpha():
        return
    data = language_data(language)
    if word in data.irregular_plurals:
        yield data.irregular_plurals[word]
    elif word.endswith(("s", "x", "z", "ch", "sh")):
        yield word + "es"
    elif word.endswith("y") and word[-2:-1] not in _VOWELS:
        yield word[:-1] + "ies"
    else:
        yield word + "s"
    looks_plural = len(word) > 4 and word.endswith("s") and not word.endswith(("ss", "us", "is", "os"))
    if looks_plural and word not in data.words_without_singular:
        yield word[:-3] + "y" if word.endswith("ies") else word[:-1]


def misspellings(word: str) -> Iterator[str]:
    """Give a folded word with one slip inside it: a letter left out, doubled or swapped, one vowel for another."""
    if len(word) < _SHORTEST_MISSPELT or not word.isascii() or not word.isalpha():
        return
    for i in range(1, len(word) - 1):
        yield word[:i] + word[i + 1 :]
        yield word[:i] + word[i] + word[i:]
        if i < len(word) - 2:
            yield word[:i] + word[i + 1] + word[i] + word[i + 2 :]
        if word[i] in _VOWELS and len(word) > _SHORTEST_MISSPELT:
            yield from (word[:i] + vowel + word[i + 1 :] for vowel in _VOWELS if vowel != word[i])


# Letters; measured on 1,000 questions about five manuals: with shorter ones the slip is too often another real word.
_SHORTEST = 4
_LONGEST = 40  # letters; the work grows with the square, and what is longer was not typed
_SHORTEST_WITH_ANOTHER_LETTER = 6  # letters; in a shorter word another letter is mostly another word
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
# An address as a whole, or a word, of which one with a digit, an underscore or an apostrophe is never misspelt.
_ADDRESS_OR_WORD = re.compile(r"(?:www\.|(?=\S{0,200}(?:@|://|\\)))\S+|\w+(?:['’]\w+)*")


@dataclass(frozen=True, slots=True)
class Spelling:
    """The words of a knowledge base and of its language, to read misspelt ones by.

    A word is misspelt when neither the documents nor the language know it or its stem. It is read as the most frequent
    word of the documents that is one slip away: a letter too many or too few, another letter, or one elsewhere in the
    word. The first letter is right, or has changed places with the second.
    """

    _language: str
    _known: Container[str]
    _known_stems: Container[str]
    _counts: Mapping[str, int]
    _by_rest: Mapping[str, tuple[str, ...]]  # the words of the documents by what is left without one of their letters

    @classmethod
    def of(
        cls,
        texts: Iterable[str],
        language: str = ENGLISH,
        *,
        known: Collection[str],
        extra_words: Iterable[str] = (),
    ) -> Spelling:
        """Read the words of a knowledge base's texts.

        ``known`` are the ordinary words of the language, folded, which are right even if no text holds them. Without
        them nothing is corrected, because an ordinary word could not be told from a misspelt one. ``extra_words`` are
        words or phrases that count as if a text held them, such as the names of attribute values.
        """
        counts: Counter[str] = Counter()
        for source in (texts, extra_words):
            for text in source:
                counts.update(count_words(text))
        by_rest: defaultdict[str, list[str]] = defaultdict(list)
        for word in counts if known else ():
            for rest in rests(word):
                by_rest[rest].append(word)
        ordinary, ordinary_stems = _ordinary(frozenset(known), language)
        return cls(
            language,
            ordinary.union(counts),
            ordinary_stems.union(stem(word, language) for word in counts),
            dict(counts),
            {rest: tuple(words) for rest, words in by_rest.items()},
        )

    def with_words(self, counts: Mapping[str, int]) -> Spelling:
        """Return it with more words of the knowledge base, those that matter for some question: all that it says, their
        stems, and those that are one slip away.
        """
        by_rest: defaultdict[str, list[str]] = defaultdict(list)
        for word in counts:
            for rest in rests(word):
                by_rest[rest].append(word)
        mine, stems = dict(self._counts), {stem(word, self._language) for word in counts}
        return replace(
            self,
            _known=_Either(self._known, counts),
            _known_stems=_Either(self._known_stems, stems),
            _counts={**mine, **{word: n + mine.get(word, 0) for word, n in counts.items()}},
            _by_rest={**self._by_rest, **{r: (*self._by_rest.get(r, ()), *some) for r, some in by_rest.items()}},
        )

    def words_to_look_up(self, text: str) -> list[str]:
        """Return the folded words of a text that may be slips, as far as is known: ``with_words`` knows more."""
        found = (match.group().casefold() for match in _ADDRESS_OR_WORD.finditer(text[:READ_AT_MOST]))
        return [w for w in dict.fromkeys(found) if w.isalpha() and len(w) <= _LONGEST and w not in self._known]

    def correct(self, text: str) -> str:
        """Return a customer's text with its misspelt words replaced and everything else as it was.

        Left alone are words of fewer than four letters, those with digits, apostrophes or capitals inside, and
        addresses.
        """
        return _ADDRESS_OR_WORD.sub(self._read_word, text[:READ_AT_MOST]) + text[READ_AT_MOST:]

    # Complex: one condition for each kind of word that is left as it is, the cheapest first.
    def _read_word(self, found: re.Match[str]) -> str:
        word = found.group()
        folded = word.casefold()
        if folded in self._known or not _SHORTEST <= len(word) <= _LONGEST:
            return word
        if not word.isalpha() or not word[1:].islower():
            return word
        if stem(folded, self._language) in self._known_stems:
            return word
        near = {other for rest in _without_one_letter(folded) for other in self._by_rest.get(rest, ())}
        meant = [other for other in near if _is_one_slip(folded, other)]
        if not meant:
            return word
        nearest = min(meant, key=lambda other: (-self._counts[other], other))
        return nearest.capitalize() if word[0].isupper() else nearest


@lru_cache(maxsize=8)
def _ordinary(known: frozenset[str], language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a language, which are the same for each of its knowledge bases, and their stems."""
    every = known.union(stop_words(language))
    return every, frozenset(stem(word, language) for word in every)


@dataclass(frozen=True, slots=True)
class _Either:
    """The union of two containers."""

    one: Container[str]
    other: Container[str]

    def __contains__(self, word: object) -> bool:
        return word in self.one or word in self.other


def count_words(text: str) -> Counter[str]:
    """Return how often a text has each of its words, folded, as slips are mended by."""
    return Counter(word.casefold().removesuffix("'s") for word in _WORD.findall(normalized(text)))


def rests(word: str) -> list[str]:
    """Return a word and what is left of it without each of its letters; none of one that nobody's slip is mended to."""
    if not (_SHORTEST <= len(word) <= _LONGEST and word.isalpha()):
        return []
    return list(dict.fromkeys(_without_one_letter(word)))


def _without_one_letter(word: str) -> Iterator[str]:
    """Give a word and what is left of it without each of its letters; words one slip apart share one of these."""
    yield word
    for here in range(len(word)):
        yield word[:here] + word[here + 1 :]


def _is_one_slip(word: str, other: str) -> bool:
    """Tell one slip from two, and from another word, where two words share what is left without one letter."""
    if len(word) != len(other):
        return word[0] == other[0] and not word.startswith(other)  # an ending more makes another word: thingy, thing
    if sorted(word) == sorted(other):  # a letter has moved
        return word[0] == other[0] or word[:2] == other[1::-1]
    changed = [pair for pair in zip(word, other, strict=True) if pair[0] != pair[1]]
    is_inside = len(changed) == 1 and word[0] == other[0] and word[-1] == other[-1]
    return is_inside and len(word) >= _SHORTEST_WITH_ANOTHER_LETTER
