"""The words of a text that say what it is about, and the stem that the forms of such a word have in common."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from autokb.core.domain import ENGLISH
from autokb.text.lexicons import WordLists, word_lists
from autokb.text.stemming import stem
from autokb.text.words import stop_words

_WORD = re.compile(r"(?<!\w)[^\W\d_][\w'’-]*")
# Endings that are taken off, the longest first; "ers" of "headers" before "s".
_ENDINGS = ("ings", "ing", "ied", "ies", "ers", "ed", "es", "er", "s", "e", "y")
_SHORTEST_STEM = 4  # letters; less is left of no word


@dataclass(frozen=True, slots=True)
class SubjectWords(WordLists):
    """Words that say of no issue what it is about: grammar, manners, and what is said of every problem."""

    file: ClassVar[str] = "subject_words"

    grammar_words: frozenset[str] = frozenset()
    manners: frozenset[str] = frozenset()
    words_of_every_problem: frozenset[str] = frozenset()
    foreign_words: frozenset[str] = frozenset()


@cache
def silent_words(language: str = ENGLISH) -> frozenset[str]:
    """Return the folded words that say of no issue what it is about."""
    known = word_lists(SubjectWords, language)
    own = known.grammar_words | known.manners | known.words_of_every_problem
    return stop_words(language) | own | known.foreign_words


def subject_words(text: str, language: str = ENGLISH) -> list[str]:
    """Return the words of a text that say what it is about, folded, in their order and as often as they occur."""
    words = (word.casefold().replace("’", "'") for word in _WORD.findall(text))
    silent = silent_words(language)
    return [word for word in words if word not in silent and (len(word) > 2 or not word.isascii())]


def subject_stem(word: str, language: str = ENGLISH) -> str:
    """Return what ``crash``, ``crashes``, ``crashed`` and ``crashing`` have in common; crude, never shown.

    In English it takes off less than Snowball's stemmer (``stem``), so that names and ids of themes last.
    """
    if language != ENGLISH:
        return stem(word, language)
    for ending in _ENDINGS:
        rest = word.removesuffix(ending)
        if rest == word or len(rest) < _SHORTEST_STEM:
            continue
        if ending == "s" and rest.endswith(("s", "u", "i", "o")):
            continue  # status, tennis
        doubled = rest[-1] == rest[-2] and rest[-1] not in "sl" and ending in ("ing", "ed", "er")
        return rest[:-1] if doubled else rest  # stopped: stop
    return word
