"""Phrases that a rule forbids, as a person writes them: found in any inflection and order, unless the text denies them.

``turn off firewall`` is found in "turning the firewall off" and in "the firewall must be turned off", for what is not
advised in one order is not offered in another one either; it is not found in "do not turn off the firewall". Words with
strokes between them are alternatives: ``turn/switch off antivirus/firewall``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise, product
from typing import ClassVar

from autokb.core.domain import ENGLISH
from autokb.text.lexicons import WordLists, word_lists
from autokb.text.stemming import stem
from autokb.text.words import Words, normalized, split_words

MOST_BETWEEN = 7  # words between two of a phrase: "turning both antivirus, VPN, proxy and firewall off"
_SENTENCE_END = re.compile(r"[.!?;:…][\"'”’)\]*_]*\s|\n|[。！？]")
_PUNCTUATION = re.compile(r"[,;:()\[\]–—]")


@dataclass(frozen=True)
class PhraseWords(WordLists):
    """Words of a language around a forbidden phrase; the YAML file says of each list what it is for."""

    file: ClassVar[str] = "forbidden_phrases"
    passed_over: frozenset[str] = frozenset()
    negations: tuple[str, ...] = ()
    negations_after: tuple[str, ...] = ()
    between: frozenset[str] = frozenset()
    taken_back_by: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    irregular_forms: Mapping[str, str] = field(default_factory=dict)


def find_forbidden(phrases: Sequence[str], text: str, language: str = ENGLISH) -> str | None:
    """Return the words of a text that say one of the phrases without denying it, or None."""
    if not phrases:
        return None
    words, stems, ends = _read_text(text, language)
    wanted = [parts for phrase in phrases for parts in _read_phrase(phrase, language)]
    for start, end in ends:
        there = set(stems[start:end])
        for parts in wanted:
            if there.issuperset(parts):
                for found in _occurrences(parts, stems, start, end):
                    if not _is_denied(found, words, start, end, language):
                        return _quote(text, words, found)
    return None


@lru_cache(maxsize=4_096)
def _read_phrase(phrase: str, language: str) -> tuple[tuple[str, ...], ...]:
    """Return the stems of each alternative, without words that need not be there unless it has no others."""
    passed_over = word_lists(PhraseWords, language).passed_over
    found = []
    for chosen in product(*(word.strip("/").split("/") for word in phrase.split())):
        folded = split_words(" ".join(chosen)).folded
        needed = [word for word in folded if word not in passed_over] or folded
        found.append(tuple(_stem(word, language) for word in needed))
    return tuple(parts for parts in found if parts)


@lru_cache(maxsize=4_096)
def _read_text(text: str, language: str) -> tuple[Words, tuple[str, ...], tuple[tuple[int, int], ...]]:
    """Return a text's words, their stems, and where its sentences begin and end among them."""
    words = split_words(text)
    starts = [0, *(n for n, gap in enumerate(words.gaps) if n and _SENTENCE_END.search(gap))]
    ends = [*starts[1:], len(words.folded)]
    stems = tuple(_stem(word, language) for word in words.folded)
    return words, stems, tuple(zip(starts, ends, strict=True))


def _stem(word: str, language: str) -> str:
    return stem(word_lists(PhraseWords, language).irregular_forms.get(word, word), language)


def _occurrences(parts: Sequence[str], stems: Sequence[str], start: int, end: int) -> Iterator[list[int]]:
    """Yield where the parts of a phrase stand near each other in a sentence, in any order.

    Round each place of its rarest part, the last of several, the nearest place of each other part counts.
    """
    places = [[n for n in range(start, end) if stems[n] == part] for part in parts]
    for middle in min(reversed(places), key=len):
        found = sorted({min(some, key=lambda n: abs(n - middle)) for some in places})
        if all(second - first <= MOST_BETWEEN + 1 for first, second in pairwise(found)):
            yield found


def _is_denied(found: Sequence[int], words: Words, start: int, end: int, language: str) -> bool:
    """Return whether a negation stands right before one of the words found, or right after the last."""
    lists = word_lists(PhraseWords, language)
    after = found[-1] + 1
    if any(_stands_at(phrase, words, after, end) for phrase in lists.negations_after):
        return words.folded[after + 1 : after + 2] == () or words.folded[after + 1] not in lists.taken_back_by
    return any(_has_negation_before(n, words, start, lists) for n in found)


def _has_negation_before(place: int, words: Words, start: int, lists: PhraseWords) -> bool:
    """Return whether a negation denies the word at a place: small words, or one word and an ``or``, may come between.

    Nothing with a comma or a bracket: "if it does not, contact us".
    """
    joined = False
    n = place - 1
    while n >= start and not _PUNCTUATION.search(words.gaps[n + 1]):
        for phrase in lists.negations:
            parts = phrase.split()
            first = n - len(parts) + 1
            if first >= start and _stands_at(phrase, words, first, n + 1):
                return words.folded[n + 1] not in lists.taken_back_by
        if words.folded[n] in lists.joining and not joined:
            joined = True
            n -= 1  # and the word before it
        elif words.folded[n] not in lists.between and words.folded[n] not in lists.passed_over:
            return False
        n -= 1
    return False


def _stands_at(phrase: str, words: Words, place: int, end: int) -> bool:
    parts = tuple(phrase.split())
    return place + len(parts) <= end and words.folded[place : place + len(parts)] == parts


def _quote(text: str, words: Words, found: Sequence[int]) -> str:
    last = found[-1]
    return normalized(text)[words.starts[found[0]] : words.starts[last] + len(words.raw[last])]
