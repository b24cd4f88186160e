"""Where the topic of running text changes: neighbours that share fewer words than those around them (TextTiling)."""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import sqrt
from statistics import fmean, pstdev

AROUND = 800  # characters on each side of a gap that are compared
NEAREST = 12  # texts on each side of a gap that are compared
SMALLEST = 300  # characters; a topic is not shorter
DEPTH = 0.5  # standard deviations that a valley is deeper than the mean one, as in Hearst's TextTiling
_WORD = re.compile(r"\w{4,}")
_STEM = 6  # characters of a word that count: inflections mostly differ behind them
WordCounts = dict[str, int]


def topic_shifts(texts: Sequence[str]) -> list[int]:
    """Return before which of the texts a new topic begins, by lexical cohesion.

    The words on both sides of each gap are compared; where their similarity lies in a valley that is clearly deeper
    than the others, the topic changes. No two changes are closer than a topic is long.
    """
    words = [Counter(word[:_STEM] for word in _WORD.findall(text.casefold())) for text in texts]
    sizes = [len(text) for text in texts]
    similarities = [_cosine(before, after) for before, after in _sides(words, sizes)]
    depths = [a + b for a, b in zip(_climbs(similarities), _climbs(similarities[::-1])[::-1], strict=True)]
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


def _sides(words: Sequence[Counter[str]], sizes: Sequence[int]) -> Iterator[tuple[WordCounts, WordCounts]]:
    """Yield the words on both sides of each gap; the next step changes them in place, which keeps it linear."""
    before, after = WordCounts(), WordCounts()
    first, end = 0, 1
    size_before = size_after = 0
    for gap in range(1, len(words)):
        _add(before, words[gap - 1], 1)
        size_before += sizes[gap - 1]
        while size_before - sizes[first] >= AROUND or gap - first > NEAREST:
            _add(before, words[first], -1)
            size_before -= sizes[first]
            first += 1
        if gap > 1:
            _add(after, words[gap - 1], -1)
            size_after -= sizes[gap - 1]
        while end < len(words) and size_after < AROUND and end - gap < NEAREST:
            _add(after, words[end], 1)
            size_after += sizes[end]
            end += 1
        yield before, after


def _add(inside: WordCounts, words: Counter[str], times: int) -> None:
    for word, count in words.items():
        now = inside.get(word, 0) + count * times
        if now:
            inside[word] = now
        else:
            del inside[word]


def _cosine(one: WordCounts, other: WordCounts) -> float:
    dot = sum(count * other[word] for word, count in one.items() if word in other)
    norm = sqrt(sum(c * c for c in one.values()) * sum(c * c for c in other.values()))
    return dot / norm if norm else 0.0


def _climbs(similarities: Sequence[float]) -> list[float]:
    """Return how far the similarity climbs from each gap to the left, before it falls."""
    peaks: list[float] = []
    for n, here in enumerate(similarities):
        peaks.append(peaks[-1] if n and similarities[n - 1] >= here else here)
    return [peak - here for peak, here in zip(peaks, similarities, strict=True)]
