"""Whether steps of two solutions that are told to the same customer ask for opposite things.

Two sentences must speak of the same: half of the words that name something stand in both. They disagree where amounts
of one unit lie apart; and, of two instructions without a condition, where one undoes what the other does, or forbids
what the other asks for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from autokb.core.domain import ENGLISH
from autokb.heuristics.attributes.numbers import number_at
from autokb.heuristics.grounding.support import GroundingWords, negations_and_conditions
from autokb.heuristics.solutions.instructions import instructs
from autokb.heuristics.solutions.words import ManualWords
from autokb.text.lexicons import ignoring_case, pattern_of, word_lists
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences
from autokb.text.words import content_words, split_words

SAME_SUBJECT = 0.5  # share of the words of two sentences that both have (Jaccard), from which on they speak of the same
FEWEST_SHARED = 2  # words that both have: a single one is a coincidence
OPPOSITE = " <> "  # in the lexicon, between two ways
_JOINS_AMOUNTS = frozenset({"to", "or", "and", "bis", "oder", "und"})  # between the two numbers of one amount
Amount = tuple[float, float]  # from, to


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The positions of steps of two solutions that ask for opposite things, and in which way, as a sentence."""

    step: int
    other: int
    reason: str


@dataclass(frozen=True, slots=True)
class _Statement:
    """One sentence: what it speaks of, the amounts by their units, and which way it goes.

    ``ways`` are pairs of the number of two opposites and which of them it is. What is no instruction, or is bound to a
    condition, has none, and ``forbids`` is None.
    """

    step: int
    subject: frozenset[str]
    amounts: Mapping[str, Amount]
    ways: frozenset[tuple[int, bool]]
    forbids: bool | None


def find_disagreement(steps: Sequence[str], others: Sequence[str], language: str = ENGLISH) -> Disagreement | None:
    """Return the first two steps of two solutions that disagree; None where none do."""
    mine, theirs = _statements(tuple(steps), language), _statements(tuple(others), language)
    for one in mine:
        for other in theirs:
            if _speak_of_the_same(one, other) and (reason := _reason(one, other, mine, theirs)):
                return Disagreement(one.step, other.step, reason)
    return None


@lru_cache(maxsize=4_096)
def _statements(steps: tuple[str, ...], language: str) -> tuple[_Statement, ...]:
    return tuple(
        _statement(number, text[start:end], language)
        for number, text in enumerate(map(plain_text, steps))
        for start, end in sentences(text, language=language)
    )


def _statement(step: int, text: str, language: str) -> _Statement:
    subject, amounts = content_words(text, language), _amounts(text, language)
    bound = word_lists(GroundingWords).conditions | word_lists(GroundingWords).negating_conditions
    if negations_and_conditions(text) & bound or not instructs(text, language):
        return _Statement(step, subject, amounts, frozenset(), None)
    forbids = pattern_of(ManualWords, "forbidding_steps", language).match(text) is not None
    pairs = () if forbids else _opposites(language)
    ways = ((n, side) for n, pair in enumerate(pairs) for side in (False, True) if pair[side].search(text))
    return _Statement(step, subject, amounts, frozenset(ways), forbids)


@cache
def _opposites(language: str) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    known = word_lists(ManualWords, language)
    pairs = [(one, other) for one, _, other in (pair.partition(OPPOSITE) for pair in known.opposite_steps)]
    raising, lowering = (pattern_of(ManualWords, name, language) for name in ("raising_steps", "lowering_steps"))
    return (*((ignoring_case(one), ignoring_case(other)) for one, other in pairs), (raising, lowering))


@cache
def _units(language: str) -> Mapping[str, str]:
    """Return the units by each of their spellings."""
    return {word: unit.split()[0] for unit in word_lists(ManualWords, language).units for word in unit.split()}


def _amounts(text: str, language: str) -> dict[str, Amount]:
    """Return by its unit the range of what is said of it: ``5 to 10 minutes``, ``ten minutes``."""
    words = split_words(text)
    units = _units(language)
    found: dict[str, Amount] = {}
    numbers: list[float] = []  # of an amount whose unit is still to come
    here = 0
    while here < len(words.folded):
        number = number_at(words.folded, here, language)
        if number is None:
            numbers = []
            here += 1
            continue
        numbers.append(number.value)
        here = number.end
        following = "".join(words.folded[here : here + 1])
        word = number.unit or following
        if word in units and (number.unit or not words.breaks(here)):
            unit = units[word]
            known = (*found.get(unit, ()), *numbers)
            found[unit] = (min(known), max(known))
            numbers = []
        elif following in _JOINS_AMOUNTS:
            here += 1
    return found


def _speak_of_the_same(one: _Statement, other: _Statement) -> bool:
    shared = len(one.subject & other.subject)
    return shared >= FEWEST_SHARED and shared >= SAME_SUBJECT * len(one.subject | other.subject)


def _reason(one: _Statement, other: _Statement, mine: Sequence[_Statement], theirs: Sequence[_Statement]) -> str:
    for unit in sorted(one.amounts.keys() & other.amounts.keys()):
        (low, high), (other_low, other_high) = one.amounts[unit], other.amounts[unit]
        if high < other_low or other_high < low:
            return f"They name different amounts: {_told(one.amounts[unit])} and {_told(other.amounts[unit])}."
    for way, side in sorted(one.ways):
        here, there = (way, side), (way, not side)
        if there in other.ways and not (_goes(mine, other, there) or _goes(theirs, one, here)):
            return "One undoes what the other does."
    if {one.forbids, other.forbids} == {True, False}:
        return "One forbids what the other asks for."
    return ""


def _told(amount: Amount) -> str:
    low, high = amount
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _goes(statements: Sequence[_Statement], about: _Statement, way: tuple[int, bool]) -> bool:
    """Return whether a solution also goes this way, as one does that switches something off and on again."""
    return any(way in one.ways and _speak_of_the_same(one, about) for one in statements)
