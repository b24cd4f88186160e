"""How sure a mean over queries is: percentile bootstrap intervals, every column over the same resamples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000  # the ends of an interval then vary from seed to seed by some 0.7 % of its width
SEED = 20250101  # fixed, so that the same values always give the same interval
CONFIDENCE = 0.95  # share of resampled means between the two ends
COUNTS_AT_ONCE = 4_000_000  # counts (resamples x queries) in memory together: a hundred thousand queries fit too

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean or share with the ends of its 95 % interval; all three are None where nothing could be measured."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    def as_json(self) -> dict[str, float | None]:
        """Return the shape of the interface."""
        return {"value": self.value, "low": self.low, "high": self.high}


NOT_MEASURED = Interval()


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean of one value a query with its interval (ValueError without any value)."""
    return mean_intervals({"": values})[""]


def measured_mean(values: Sequence[float]) -> Interval:
    """Return the same, and without any value that nothing was measured."""
    return mean_interval(values) if values else NOT_MEASURED


def percentile_interval(value: float, resampled: NDArray[np.float64]) -> Interval:
    """Return a figure with the middle 95 % of what it was in each resample."""
    tail = (1 - CONFIDENCE) / 2
    low, high = (float(end) for end in np.quantile(resampled, [tail, 1 - tail]))
    # Sums in another order differ in their last digit: a figure is never outside its own interval.
    return Interval(value, min(low, value), max(high, value))


def mean_intervals(columns: Mapping[K, Sequence[float]]) -> dict[K, Interval]:
    """Return the mean of each column with its interval; row n of every column is the same query.

    The percentile bootstrap (Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13): queries are
    drawn with replacement, and the interval holds the middle 95 % of the resampled means. All columns see the same
    resamples. Without columns there is nothing to return; columns without rows are a ValueError.
    """
    if not columns:
        return {}
    table = np.array([list(column) for column in columns.values()], dtype=np.float64).T  # queries x columns
    if table.shape[0] == 0:
        raise ValueError("a mean needs at least one query")
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(_resampled_means(table), [tail, 1 - tail], axis=0)
    means = table.mean(axis=0)
    # Sums in another order differ in their last digit: a mean is never outside its own interval.
    low, high = np.minimum(low, means), np.maximum(high, means)
    ends = zip(means.tolist(), low.tolist(), high.tolist(), strict=True)
    return {name: Interval(*three) for name, three in zip(columns, ends, strict=True)}


def _resampled_means(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the means of all resamples, (RESAMPLES, columns), worked out in blocks that fit into memory.

    How often each query was drawn, times the table, is one matrix product for all columns.
    """
    queries = table.shape[0]
    rng = np.random.default_rng(SEED)
    block = max(1, COUNTS_AT_ONCE // queries)
    means = []
    for start in range(0, RESAMPLES, block):
        size = min(block, RESAMPLES - start)
        drawn = rng.integers(0, queries, size=(size, queries)) + np.arange(size)[:, None] * queries
        counts = np.bincount(drawn.ravel(), minlength=size * queries).reshape(size, queries)
        means.append(counts @ table / queries)
    return np.concatenate(means)
