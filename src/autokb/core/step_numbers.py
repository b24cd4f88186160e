"""How steps are marked for people: as the manual's own list marks them, so that "go back to step 3" stays right."""

from __future__ import annotations

import re
from collections.abc import Sequence

BULLET = 0  # in place of a number: one of several things that the manual lists in no order

_OWN_NUMBER = re.compile(r"\s*(\d{1,3})[.)]\s")
_OWN_BULLET = re.compile(r"\s*[-*+•‣]\s")


def step_numbers(steps: Sequence[str], quotes: Sequence[str]) -> tuple[int | None, ...]:
    """Return the number of each step; ``BULLET`` for an item of a list without numbers, None for any other text.

    A manual may have several lists, each from 1 on. Steps are counted through where a list is not whole, as a gap
    would look like a slip, and where a step has no quote of its own.
    """
    counted = tuple(range(1, len(steps) + 1))
    if len(quotes) != len(steps):
        return counted
    own = [_own_number(quote) for quote in quotes]
    before = 0
    for number in filter(None, own):
        if number not in (1, before + 1):
            return counted
        before = number
    return tuple(own)


def marked(number: int | None, step: str) -> str:
    """Return a step behind its number or its bullet, as a line of plain text."""
    if number is None:
        return step
    return f"- {step}" if number == BULLET else f"{number}. {step}"


def _own_number(quote: str) -> int | None:
    if found := _OWN_NUMBER.match(quote):
        return int(found[1])
    return BULLET if _OWN_BULLET.match(quote) else None
