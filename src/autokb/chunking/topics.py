"""Where the topic of running text changes: neighbours that share fewer words than those around them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from statistics import fmean, pstdev

AROUND = 800  # characters on each side of a gap that are compared
SMALLEST = 300  # characters; a topic is not shorter
DEPTH = 0.5  # standard deviations that a valley is deeper than the mean one
_WORD = re.compile(r"\w{4,}")
_STEM = 6


def shifts(texts: Sequence[str]) -> list[int]:
    """Return before which of the texts a new topic begins, by lexical cohesion (the idea of TextTiling).

    The words on both sides of each gap are compared; where their likeness lies in a valley that is clearly deeper
    than the others, the topic changes. No two changes are closer than a topic is long.
    """
    words = [Counter(word[:_STEM] for word in _WORD.findall(text.casefold())) for text in texts]
    sizes = [len(text) for text in texts]
    likeness = [_likeness(_side(words, sizes, gap, -1), _side(words, sizes, gap, 1)) for gap in range(1, len(texts))]
    depths = [_depth(likeness, n) for n in range(len(likeness))]
    if len(depths) < 2:
        return []
    floor = fmean(depths) + DEPTH * pstdev(depths)
    found: list[int] = []
    for depth, gap in sorted(((d, n + 1) for n, d in enumerate(depths)), key=lambda pair: (-pair[0], pair[1])):
        if depth <= max(floor, 0.0):
            break
        if _roomy(sizes, gap, found):
            found.append(gap)
    return sorted(found)


def _side(words: Sequence[Counter[str]], sizes: Sequence[int], gap: int, step: int) -> Counter[str]:
    place, left = (gap - 1, AROUND) if step < 0 else (gap, AROUND)
    found: Counter[str] = Counter()
    while 0 <= place < len(words) and left > 0:
        found.update(words[place])
        left -= sizes[place]
        place += step
    return found


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    dot = sum(count * other[word] for word, count in one.items())
    norm = sqrt(sum(c * c for c in one.values()) * sum(c * c for c in other.values()))
    return dot / norm if norm else 0.0


def _depth(likeness: Sequence[float], place: int) -> float:
    return _climb(likeness, place, -1) + _climb(likeness, place, 1)


def _climb(likeness: Sequence[float], place: int, step: int) -> float:
    peak = here = likeness[place]
    place += step
    while 0 <= place < len(likeness) and likeness[place] >= peak:
        peak = likeness[place]
        place += step
    return peak - here


def _roomy(sizes: Sequence[int], gap: int, found: Sequence[int]) -> bool:
    """Return whether both topics beside a new gap are long enough."""
    before = max((g for g in found if g < gap), default=0)
    after = min((g for g in found if g > gap), default=len(sizes))
    return gap not in found and min(sum(sizes[before:gap]), sum(sizes[gap:after])) >= SMALLEST
