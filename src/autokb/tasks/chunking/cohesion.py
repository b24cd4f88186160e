"""Where a text turns to something else, told without a model by its headings and by the words that neighbours share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import sqrt
from statistics import fmean, pstdev

from autokb.text.content_words import content_words
from autokb.text.plain_text import plain_text

AROUND = 2  # pieces on either side of a gap whose words are compared
HEADING = -1.0  # the cohesion at a heading: below what any two texts can have
_HEADING = re.compile(r"\s{0,3}(?:#{1,6}\s|={1,6} ?[^=\s])")


def cohesions(pieces: Sequence[str]) -> list[float]:
    """Return how much what stands before each piece but the first shares with what follows: 0 to 1, -1 at a heading.

    The share is the cosine of the two sets of content words.
    """
    words = [content_words(plain_text(piece)) for piece in pieces]
    return [
        HEADING
        if _HEADING.match(pieces[n])
        else _cosine(_union(words[max(0, n - AROUND) : n]), _union(words[n : n + AROUND]))
        for n in range(1, len(pieces))
    ]


def is_only_heading(piece: str) -> bool:
    """Return whether a piece is a heading and nothing else."""
    return bool(_HEADING.match(piece)) and "\n" not in piece.strip()


def _union(parts: Sequence[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*parts)


def _cosine(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / sqrt(len(one) * len(other)) if one and other else 0.0


def turns(pieces: Sequence[str]) -> list[int]:
    """Return before which pieces (from 1) the text turns: at headings, and where it holds together least.

    That is a cohesion below the mean of the text by more than a standard deviation; at least one gap is chosen.
    """
    found = cohesions(pieces)
    told = [c for c in found if c != HEADING]
    floor = fmean(told) - pstdev(told) if told else 0.0
    chosen = [n for n, c in enumerate(found, 1) if c == HEADING or c < floor]
    return chosen or [found.index(min(found)) + 1]
