"""Numbers as people write them (``3``, ``5yr``, ``twenty-two``, ``a few``), and the configured group they fall into."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autokb.core.domain import ENGLISH, Attribute
from autokb.heuristics.attributes.words import AttributeWords
from autokb.text.lexicons import language_data, word_lists

_DIGITS = re.compile(r"(\d{1,4})([a-z]{1,5})?\Z")
_SHORTEST_TENS, _LONGEST_ONES = 20, 9  # twenty and above take one to nine behind them: twenty-two


@dataclass(frozen=True, slots=True)
class Number:
    """A number in words ``start`` to ``end``; ``unit`` is what is written onto it (``5yr``)."""

    value: float
    start: int
    end: int
    unit: str = ""


def number_at(words: tuple[str, ...], here: int, language: str = ENGLISH) -> Number | None:
    """Return the exact number that starts at this word."""
    word = words[here]
    if digits := _DIGITS.match(word):
        return Number(float(digits.group(1)), here, here + 1, digits.group(2) or "")
    written = language_data(language).number_words
    if word not in written:
        return None
    value = written[word]
    one = written.get(words[here + 1], 0.0) if value >= _SHORTEST_TENS and here + 1 < len(words) else 0.0
    return Number(value + one, here, here + 2) if 0 < one <= _LONGEST_ONES else Number(value, here, here + 1)


def amount_at(words: tuple[str, ...], here: int, language: str = ENGLISH) -> Number | None:
    """Return the number or rough amount (``a few``, ``half a``) that starts at this word."""
    if found := number_at(words, here, language):
        return found
    for phrase, value in word_lists(AttributeWords, language).amounts.items():
        if words[here : here + len(phrase)] == phrase:
            return Number(value, here, here + len(phrase))
    return None


def configured_groups(attribute: Attribute, begins: Mapping[str, float], fewest: int) -> list[tuple[float, str]]:
    """Return where the attribute's values begin as groups of a scale, lowest first; nothing where too few are known."""
    found = sorted((begins[value.casefold()], value) for value in attribute.values if value.casefold() in begins)
    return found if len(found) >= fewest else []


def group_at(groups: Sequence[tuple[float, str]], amount: float) -> str:
    """Return the last group that has begun at an amount, the first one where none has."""
    begun = [value for begin, value in groups if begin <= amount]
    return begun[-1] if begun else groups[0][1]
