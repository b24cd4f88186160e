"""Numbers as people write them (``3``, ``5yr``, ``twenty-two``, ``a few``), and the configured group they fall into."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autokb.core.domain import Attribute

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WRITTEN = {word: float(n) for n, word in enumerate(_ONES.split())}
TENS = {word: 10.0 * n for n, word in enumerate(_TENS.split(), 2)}
_DIGITS = re.compile(r"(\d{1,4})([a-z]{1,5})?\Z")
_ROUGH_AMOUNTS = {
    ("a", "couple", "of"): 2.0,
    ("couple", "of"): 2.0,
    ("a", "few"): 3.0,
    ("few",): 3.0,
    ("several",): 5.0,
    ("many",): 5.0,
    ("half", "a"): 0.5,
    ("half", "an"): 0.5,
    ("a",): 1.0,
    ("an",): 1.0,
}


@dataclass(frozen=True, slots=True)
class Number:
    """A number in words ``start`` to ``end``; ``unit`` is what is written onto it (``5yr``)."""

    value: float
    start: int
    end: int
    unit: str = ""


def number_at(words: tuple[str, ...], here: int) -> Number | None:
    """Return the exact number that starts at this word."""
    word = words[here]
    if digits := _DIGITS.match(word):
        return Number(float(digits.group(1)), here, here + 1, digits.group(2) or "")
    if word in _WRITTEN:
        return Number(_WRITTEN[word], here, here + 1)
    if word not in TENS:
        return None
    one = _WRITTEN.get(words[here + 1], 0.0) if here + 1 < len(words) else 0.0
    return Number(TENS[word] + one, here, here + 2) if 0 < one < 10 else Number(TENS[word], here, here + 1)


def amount_at(words: tuple[str, ...], here: int) -> Number | None:
    """Return the number or rough amount (``a few``, ``half a``) that starts at this word."""
    if found := number_at(words, here):
        return found
    for phrase, value in _ROUGH_AMOUNTS.items():
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
