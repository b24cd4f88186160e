"""Which issues a model sees when there are too many for one request: those that are least alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

LINE_CHARACTERS = 240  # of an issue: enough to see its kind
MOST_LINES = 300  # issues in a request: the lists of a few hundred that the paper shows whole fit
MOST_CHARACTERS = 60_000  # of all lines, some 15,000 tokens: a model with a window of 32,000 can read them and reply
MOST_COMPARED = 6_000  # issues that the choice is made from; comparing more takes seconds and shows no further theme
DECIMALS = 6  # of a cosine; smaller differences come from the order of a sum


def issue_line(text: str) -> str:
    """Return an issue as one line, cut at the last word that fits."""
    whole = " ".join(text.split())
    return whole if len(whole) <= LINE_CHARACTERS else whole[:LINE_CHARACTERS].rsplit(" ", 1)[0] + " …"


def sample_issues(issues: Sequence[str], vectors: Any) -> list[int]:
    """Return the positions of the issues that are shown, in order; all of them where they fit.

    Of too many, each further one is the one least like those chosen before it (farthest first), so that rare kinds
    of issues are seen too. Without ``vectors`` (a unit row for each issue) they are spread evenly.
    """
    sizes = [len(issue_line(text)) for text in issues]
    if len(issues) <= MOST_LINES and sum(sizes) <= MOST_CHARACTERS:
        return list(range(len(issues)))
    most = MOST_LINES if vectors is None else MOST_COMPARED
    order = [int(n) for n in np.unique(np.linspace(0, len(issues) - 1, min(len(issues), most)).astype(int))]
    if vectors is not None:
        order = _farthest_first(np.asarray(vectors)[order], order)
    left, found = MOST_CHARACTERS, []
    for position in order:
        left -= sizes[position]
        if left < 0:
            break
        found.append(position)
    return sorted(found)


def _farthest_first(rows: Any, positions: Sequence[int]) -> list[int]:
    """Return up to MOST_LINES positions, from the most central issue on; of equals the first."""
    unit = np.asarray(rows, dtype=np.float64)
    nearest = np.full(len(unit), -np.inf)
    here = int(np.round(unit @ unit.mean(axis=0), DECIMALS).argmax())
    found = [here]
    while len(found) < min(MOST_LINES, len(unit)):
        nearest = np.maximum(nearest, np.round(unit @ unit[here], DECIMALS))
        nearest[here] = np.inf
        here = int(nearest.argmin())
        found.append(here)
    return [positions[n] for n in found]
