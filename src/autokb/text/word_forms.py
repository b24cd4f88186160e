"""Other forms of a word: plural and singular, and the slips of fast fingers."""

from __future__ import annotations

from collections.abc import Iterator

from autokb.core.domain import ENGLISH
from autokb.text.lexicons import language_data

_VOWELS = "aeiou"
_SHORTEST_MISSPELT = 6  # letters; a slip in a shorter word is too often another word


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
