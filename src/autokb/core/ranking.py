"""Things and how likely each one is; a retrieval method makes a better ranking of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.core.nouns import Hit

Scores = NDArray[np.float64]
Positions = NDArray[np.int64]


@dataclass(frozen=True)
class Ranking:
    """Every thing with its score: ``scores[n]`` belongs to ``ids[n]``. The order of equals is that of the ids."""

    ids: tuple[str, ...]
    scores: Scores

    def best(self, k: int) -> tuple[Hit, ...]:
        """Return the k highest, best first, ties in the order of the ids."""
        return tuple(Hit(self.ids[n], float(self.scores[n])) for n in best_first(self.scores, k))

    def by_id(self) -> Mapping[str, float]:
        """Return each thing's score under its id."""
        return dict(zip(self.ids, self.scores.tolist(), strict=True))


def best_first(scores: NDArray[np.floating], k: int) -> Positions:
    """Return the positions of the k highest scores, best first, ties by position."""
    if k <= 0:
        return np.zeros(0, dtype=np.int64)
    if k < len(scores):
        lowest = np.partition(scores, len(scores) - k)[len(scores) - k]
        candidates = np.flatnonzero(scores >= lowest)  # ties with the last one stay in, so that position decides
    else:
        candidates = np.arange(len(scores))
    return candidates[np.argsort(-scores[candidates], kind="stable")][:k]
