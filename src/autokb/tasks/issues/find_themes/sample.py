"""Which issues a model sees when there are too many for one request: those that are least alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

LINE = 240  # characters of an issue: enough to see its kind
LINES = 300  # issues in a request: the lists of a few hundred that the paper shows whole fit
CHARACTERS = 60_000  # of all lines, some 15,000 tokens: a model with a window of 32,000 can read them and reply
LOOKED_AT = 6_000  # issues that the choice is made from; comparing more takes seconds and shows no further theme
SAME = 6  # decimals of a likeness; smaller differences come from the order of a sum


def line(text: str) -> str:
    """Return an issue as one line, cut at the last word that fits."""
    whole = " ".join(text.split())
    return whole if len(whole) <= LINE else whole[:LINE].rsplit(" ", 1)[0] + " …"


def chosen(issues: Sequence[str], vectors: Any) -> list[int]:
    """Return the positions of the issues that are shown, in order; all of them where they fit.

    Of too many, each further one is the one least like those chosen before it (farthest first), so that rare kinds
    of issues are seen too. Without ``vectors`` (a unit row for each issue) they are spread evenly.
    """
    sizes = [len(line(text)) for text in issues]
    if len(issues) <= LINES and sum(sizes) <= CHARACTERS:
        return list(range(len(issues)))
    positions = _evenly(len(issues), LOOKED_AT if vectors is not None else LINES)
    order = positions if vectors is None else _farthest_first(np.asarray(vectors)[positions], positions)
    task, found = CHARACTERS, []
    for position in order:
        task -= sizes[position]
        if task < 0:
            break
        found.append(position)
    return sorted(found)


def _evenly(count: int, most: int) -> list[int]:
    return [int(n) for n in np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))]


def _farthest_first(rows: Any, positions: Sequence[int]) -> list[int]:
    """Return up to LINES positions, from the most central issue on; of equals the first."""
    unit = np.asarray(rows, dtype=np.float64)
    nearest = np.full(len(unit), -np.inf)
    here = int(np.round(unit @ unit.mean(axis=0), SAME).argmax())
    found = [here]
    while len(found) < min(LINES, len(unit)):
        nearest = np.maximum(nearest, np.round(unit @ unit[here], SAME))
        nearest[here] = np.inf
        here = int(nearest.argmin())
        found.append(here)
    return [positions[n] for n in found]
