"""How sure a share over chunks is: chunks of one document are alike, so documents are drawn first, then chunks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from autokb.evaluation.bootstrap import COVERED, SEED, Estimate

MOST = 2_000  # resamples
DRAWS = 20_000_000  # chunks drawn at most in all, so that a large collection takes seconds too
FEWEST = 200
Part = tuple[float, float]  # how much of one chunk, and of how much


def ratio(documents: Sequence[Sequence[Part]]) -> Estimate | None:
    """Return the sum of all first numbers over that of all second ones, with a 95 % interval; None of nothing.

    ``documents`` holds the parts of each document. A resample draws documents, and within each drawn one as many
    parts as it has; a single document is resampled within itself.
    """
    filled = [np.array(parts, dtype=np.float64) for parts in documents if len(parts)]
    if not filled or not sum(float(parts[:, 1].sum()) for parts in filled):
        return None
    whole = np.concatenate(filled)
    value = float(whole[:, 0].sum() / whole[:, 1].sum())
    found = _resampled(whole, np.array([len(parts) for parts in filled]))
    tail = (1 - COVERED) / 2
    low, high = (float(end) for end in np.quantile(found, [tail, 1 - tail])) if len(found) else (value, value)
    # Sums in another order differ in their last digit: a mean never stands outside its own interval.
    return Estimate(value, min(low, value), max(high, value))


def _resampled(whole: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    rng = np.random.default_rng(SEED)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    times = max(FEWEST, min(MOST, DRAWS // len(whole)))
    found = np.full(times, np.nan)
    for n in range(times):
        drawn = rng.integers(0, len(sizes), size=len(sizes))
        many = sizes[drawn]
        rows = np.repeat(starts[drawn], many) + (rng.random(int(many.sum())) * np.repeat(many, many)).astype(np.int64)
        above, below = whole[rows].sum(axis=0)
        found[n] = above / below if below else np.nan
    kept: NDArray[np.float64] = found[~np.isnan(found)]
    return kept
