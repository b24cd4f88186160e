"""How sure a mean over queries is: 95 % percentile intervals from resampled queries, the same for every column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
SEED = 20250101
COVERED = 0.95
CELLS = 4_000_000  # counts held at once, so that a hundred thousand queries fit in memory too

Column = Sequence[float]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def as_json(self) -> dict[str, float]:
        """Return the shape of the interface."""
        return {"value": self.value, "low": self.low, "high": self.high}


def estimate(values: Column) -> Estimate:
    """Return the mean of one value a query with its interval."""
    return estimates({"": values})[""]


def paired_difference(after: Column, before: Column) -> Estimate:
    """Return the mean of after minus before, query by query, with its interval."""
    return estimate([a - b for a, b in zip(after, before, strict=True)])


def estimates(columns: Mapping[str, Column]) -> dict[str, Estimate]:
    """Return the estimates of many columns over the same queries; every column sees the same resamples."""
    if not columns:
        return {}
    table = np.array([list(c) for c in columns.values()], dtype=np.float64).T  # queries x columns
    if table.shape[0] == 0:
        raise ValueError("a mean needs at least one query")
    tail = (1 - COVERED) / 2
    low, high = np.quantile(_resampled_means(table), [tail, 1 - tail], axis=0)
    means = table.mean(axis=0)
    # Sums in another order differ in their last digit: a mean never stands outside its own interval.
    low, high = np.minimum(low, means), np.maximum(high, means)
    ends = zip(means.tolist(), low.tolist(), high.tolist(), strict=True)
    return {name: Estimate(*three) for name, three in zip(columns, ends, strict=True)}


def _resampled_means(table: NDArray[np.float64]) -> NDArray[np.float64]:
    queries = table.shape[0]
    rng = np.random.default_rng(SEED)
    block = max(1, CELLS // queries)
    parts = []
    for start in range(0, RESAMPLES, block):
        size = min(block, RESAMPLES - start)
        drawn = rng.integers(0, queries, size=(size, queries)) + np.arange(size)[:, None] * queries
        counts = np.bincount(drawn.ravel(), minlength=size * queries).reshape(size, queries)
        parts.append(counts @ table / queries)
    return np.concatenate(parts)
