"""Which urgent warnings of a domain a customer's words call for.

A phrase of ``urgent`` in domain.yaml is found in any inflection, in the order of its words and with few others between
them, within one sentence: ``numb legs`` is found in "numbness in both my legs". Words with strokes between them are
alternatives, words with hyphens stand side by side, and ``not`` is any negation: ``not/short-of breathe/breath``. What
the customer denies ("no chest pain") is not found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

from autokb.core.domain import ENGLISH, DomainSpec, Urgent
from autokb.text.lexicons import AsWritten, WordLists, word_lists
from autokb.text.stemming import stem
from autokb.text.words import Words, content_words, split_words

MOST_BETWEEN = 3  # words between two of a phrase, small ones not counted: "pain in the left side of my chest"
# Of them behind a negation of the phrase: "cannot even breathe", but no "do not have trouble breathing".
MOST_AFTER_NOT = 1
MOST_JOINED = 3  # words that a negation reaches over before an "or": no pain in the chest or trouble breathing
ANY_NEGATION = "not"  # the word of a phrase that stands for all negations, in every language

_Option = tuple[str, ...]  # stems that stand side by side
_Phrase = tuple[frozenset[_Option], ...]


@dataclass(frozen=True)
class UrgencyWords(WordLists):
    """Words of a language around an urgent phrase; the YAML file says of each list what it is for."""

    file: ClassVar[str] = "urgency"
    negations: frozenset[str] = frozenset()
    verb_negations: frozenset[str] = frozenset()
    near_negations: frozenset[str] = frozenset()
    taken_back_by: frozenset[str] = frozenset()
    passed_over: frozenset[str] = frozenset()
    under_negation: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    contrast: frozenset[str] = frozenset()
    irregular_forms: Mapping[str, str] = field(default_factory=dict)
    heading: tuple[AsWritten, ...] = ()
    at_once: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Text:
    """A customer's text: its words without apostrophes, their stems, and what begins a new thought."""

    folded: tuple[str, ...]
    stems: tuple[str, ...]
    words: Words
    lists: UrgencyWords

    def begins_thought(self, place: int) -> bool:
        return self.words.breaks(place) or self.folded[place] in self.lists.contrast


def find_urgent(text: str, spec: DomainSpec) -> tuple[Urgent, ...]:
    """Return the urgent entries that a text matches, most specific first.

    One that needs all the words of another and more comes before it; for the rest the order of domain.yaml holds.
    """
    if not spec.urgent:
        return ()
    words, lists = split_words(text), word_lists(UrgencyWords, spec.language)
    folded = tuple(map(_plain, words.folded))
    read = _Text(folded, tuple(_stem(word, spec.language) for word in folded), words, lists)
    there = frozenset(read.stems)
    found: list[tuple[Urgent, frozenset[int]]] = []
    for entry in spec.urgent:
        places = _places_of_any(entry.when, read, there, spec.language)
        together = _places_of_any(entry.together_with, read, there, spec.language)
        if not places or (entry.together_with and not together):
            continue
        if _places_of_any(entry.unless, read, there, spec.language):
            continue
        places |= together
        before = next((n for n, (_, others) in enumerate(found) if others < places), len(found))
        found.insert(before, (entry, places))
    return tuple(entry for entry, _ in found)


def heading_of_warning(title: str, steps: Sequence[str], text: str, language: str) -> str:
    """Return what stands above a warning: that it is urgent, and its line that says what to do at once.

    Of several lines that are as grave, the one that says most of the customer's ``text``.
    """
    lists, lines, said = word_lists(UrgencyWords, language), (title, *steps), content_words(text, language)
    grave = ([line for line in lines if phrase in line.casefold()] for phrase in lists.at_once)
    found = next(filter(None, grave), [lines[min(1, len(steps))]])
    return ": ".join(
        (*(lists.heading or ("!",)), max(found, key=lambda line: len(said & content_words(line, language))))
    )


@lru_cache(maxsize=8_192)
def _read_phrase(phrase: str, language: str = ENGLISH) -> _Phrase:
    """Return for each part of a phrase what may stand there."""
    parts = []
    for part in phrase.split():
        chosen = (split_words(option).folded for option in part.split("/"))
        parts.append(frozenset(tuple(_stem(_plain(word), language) for word in words) for words in chosen if words))
    return tuple(part for part in parts if part)


def _plain(word: str) -> str:
    return word.replace("'", "")  # customers leave it out: cant


def _stem(word: str, language: str) -> str:
    lists = word_lists(UrgencyWords, language)
    return stem(lists.irregular_forms.get(word, word), language)


def _places_of_any(phrases: Sequence[str], text: _Text, there: frozenset[str], language: str) -> frozenset[int]:
    """Return the places of the words of all phrases that a text says and does not deny."""
    places: set[int] = set()
    for phrase in phrases:
        parts = _read_phrase(phrase, language)
        if all(any(option[0] in there or option[0] == ANY_NEGATION for option in part) for part in parts):
            says = (found for start in range(len(text.stems)) for found in _occurrences(parts, text, start))
            said = (found for found in says if not any(_has_negation_before(place, found, text) for place in found))
            places.update(next(said, ()))
    return frozenset(places)


def _occurrences(parts: _Phrase, text: _Text, start: int) -> Iterator[tuple[int, ...]]:
    """Yield the places of the words of a phrase of which the first stands at ``start``."""
    for option in parts[0]:
        end = start + len(option)
        if not _stands_at(option, text, start):
            continue
        here = tuple(range(start, end))
        if len(parts) == 1:
            yield here
            continue
        denies = option == (ANY_NEGATION,)
        between, most = 0, MOST_AFTER_NOT if denies else MOST_BETWEEN
        while end < len(text.stems) and between <= most and not text.begins_thought(end):
            if denies and "," in text.words.gaps[end]:  # "did not help, it is going on"
                break
            yield from (here + rest for rest in _occurrences(parts[1:], text, end))
            between += text.folded[end] not in text.lists.passed_over
            end += 1


def _stands_at(option: _Option, text: _Text, start: int) -> bool:
    if option == (ANY_NEGATION,):
        return text.folded[start] in text.lists.verb_negations | text.lists.near_negations
    return text.stems[start : start + len(option)] == option


def _has_negation_before(place: int, found: Sequence[int], text: _Text) -> bool:
    """Return whether a negation that is no word of the phrase denies its word at a place."""
    lists, reach = text.lists, 0
    for here in range(place - 1, -1, -1):
        word = text.folded[here]
        if here in found or text.begins_thought(here + 1) or "," in text.words.gaps[here + 1]:
            return False
        if word in lists.negations | lists.verb_negations:
            return text.folded[here + 1] not in lists.taken_back_by
        if word in lists.joining:
            reach = MOST_JOINED
        elif word not in lists.passed_over | lists.under_negation:
            if not reach:
                return False
            reach -= 1
    return False
