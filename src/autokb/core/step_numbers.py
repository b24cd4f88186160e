"""By which number people are shown a step: that of the manual's own list, so that "go back to step 3" stays right."""

from __future__ import annotations

import re
from collections.abc import Sequence

_OWN_NUMBER = re.compile(r"\s*(\d{1,3})[.)]\s")


def step_numbers(steps: Sequence[str], quotes: Sequence[str]) -> tuple[int | None, ...]:
    """Return the number of each step; None for what stands before, between or after the steps of the manual's list.

    Steps are counted where each has no quote of its own, where the manual counts none, and where what is taken from
    its list is not the whole of it from 1 on.
    """
    counted = tuple(range(1, len(steps) + 1))
    if len(quotes) != len(steps):
        return counted
    own = [_OWN_NUMBER.match(quote) for quote in quotes]
    listed = [int(found[1]) for found in own if found]
    if not listed or listed != [*counted[: len(listed)]]:
        return counted
    return tuple(int(found[1]) if found else None for found in own)
