"""JSON from outside: numbers that every reader of JSON has, texts that have UTF-8, and a reason for all else."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from autokb.core.storable import without_surrogates

LARGEST_WHOLE = 2**63 - 1  # the largest whole number of SQLite, and of most readers of JSON
_DIGITS = len(str(LARGEST_WHOLE)) + 1  # with its sign; a longer one is refused before it is worked out
_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")  # an escape of a surrogate, or one as it is
_OBJECT = re.compile(r'\{(?=\s*")')  # where an object begins that has a name; prose has braces too
_SHOWN = 20  # characters of a number that is refused


def parse_json(text: str, read_object: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Read one JSON text; ValueError says why it is none.

    NaN, Infinity, fractions beyond a float and whole numbers beyond 64 bits are refused; RecursionError where it is
    nested too deeply. Lone surrogates are replaced, in names too. ``read_object`` is given the pairs of each object.
    """
    value = _decoder(read_object).decode(text)
    return _with_storable_texts(value) if _HALF.search(text) else value


def find_json_object(text: str, read_object: Callable[[list[tuple[str, Any]]], Any] | None = None) -> dict[str, Any]:
    """Return the one JSON object of a text, with prose or a code fence around it or without.

    ValueError says why there is none, RecursionError where it is nested too deeply; see ``parse_json``.
    """
    stripped = text.strip()
    try:
        value = parse_json(stripped, read_object)
    except json.JSONDecodeError:
        if (start := _OBJECT.search(stripped)) is None:
            raise
        value, end = _decoder(read_object).raw_decode(stripped, start.start())
        if _OBJECT.search(stripped, end):
            raise ValueError("there are two JSON objects") from None
        value = _with_storable_texts(value) if _HALF.search(stripped) else value
    if not isinstance(value, dict):
        raise json.JSONDecodeError("it is something else", stripped, 0)
    return value


@lru_cache(maxsize=8)  # making one costs as much as reading a line
def _decoder(read_object: Callable[[list[tuple[str, Any]]], Any] | None) -> json.JSONDecoder:
    return json.JSONDecoder(
        parse_constant=_refuse_constant,
        parse_float=_read_fraction,
        parse_int=_read_whole,
        object_pairs_hook=read_object,
    )


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _read_fraction(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"the number {_shown(digits)} is too large")
    return number


def _read_whole(digits: str) -> int:
    if len(digits) > _DIGITS or abs(number := int(digits)) > LARGEST_WHOLE:
        raise ValueError(f"the number {_shown(digits)} is too large")
    return number


def _shown(digits: str) -> str:
    return digits if len(digits) <= _SHOWN else f"{digits[:_SHOWN]}... of {len(digits):,} characters"


def _with_storable_texts(value: Any) -> Any:
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_with_storable_texts(part) for part in value]
    if isinstance(value, dict):
        return {without_surrogates(name): _with_storable_texts(part) for name, part in value.items()}
    return value
