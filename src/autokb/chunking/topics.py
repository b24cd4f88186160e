"""Where the topic of running text changes: neighbours that share fewer words than those around them."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from math import sqrt
from statistics import fmean, pstdev

AROUND = 800  # characters on each side of a gap that are compared
NEAREST = 12  # texts on each side of a gap that are compared
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
    depths = [left + right for left, right in zip(_climbs(likeness), _climbs(likeness[::-1])[::-1], strict=True)]
    if len(depths) < 2:
        return []
    floor = max(0.0, fmean(depths) + DEPTH * pstdev(depths))
    places = list(accumulate(sizes, initial=0))
    found = [0, len(sizes)]
    for depth, gap in sorted(((d, n + 1) for n, d in enumerate(depths)), key=lambda pair: (-pair[0], pair[1])):
        if depth <= floor:
            break
        after = bisect(found, gap)
        if min(places[gap] - places[found[after - 1]], places[found[after]] - places[gap]) >= SMALLEST:
            found.insert(after, gap)
    return found[1:-1]


def _side(words: Sequence[Counter[str]], sizes: Sequence[int], gap: int, step: int) -> Counter[str]:
    """Return the words beside a gap."""
    place, left = (gap - 1 if step < 0 else gap), AROUND
    found: Counter[str] = Counter()
    for here in range(place, place + step * NEAREST, step):
        if not 0 <= here < len(words) or left <= 0:
            break
        found.update(words[here])
        left -= sizes[here]
    return found


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    dot = sum(count * other[word] for word, count in one.items())
    norm = sqrt(sum(c * c for c in one.values()) * sum(c * c for c in other.values()))
    return dot / norm if norm else 0.0


def _climbs(likeness: Sequence[float]) -> list[float]:
    """Return how far the likeness climbs from each gap to the left, before it falls."""
    peaks: list[float] = []
    for n, here in enumerate(likeness):
        peaks.append(peaks[-1] if n and likeness[n - 1] >= here else here)
    return [peak - here for peak, here in zip(peaks, likeness, strict=True)]
