"""Numbers as people write them: ``3``, ``5yr``, ``twenty-two``, ``a few``."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WRITTEN = {word: float(n) for n, word in enumerate(re.findall(r"\w+", _ONES))}
TEN = {word: 10.0 * n for n, word in enumerate(re.findall(r"\w+", _TENS), 2)}
_DIGITS = re.compile(r"(\d{1,4})([a-z]{1,5})?\Z")
_ROUGH = {
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


def number_at(said: tuple[str, ...], here: int) -> Number | None:
    """Return the exact number that starts at this word."""
    word = said[here]
    if digits := _DIGITS.match(word):
        return Number(float(digits.group(1)), here, here + 1, digits.group(2) or "")
    if word in _WRITTEN:
        return Number(_WRITTEN[word], here, here + 1)
    if word not in TEN:
        return None
    one = _WRITTEN.get(said[here + 1], 0.0) if here + 1 < len(said) else 0.0
    return Number(TEN[word] + one, here, here + 2) if 0 < one < 10 else Number(TEN[word], here, here + 1)


def amount_at(said: tuple[str, ...], here: int) -> Number | None:
    """Return the number or rough amount (``a few``, ``half a``) that starts at this word."""
    if found := number_at(said, here):
        return found
    for words, value in _ROUGH.items():
        if said[here : here + len(words)] == words:
            return Number(value, here, here + len(words))
    return None
