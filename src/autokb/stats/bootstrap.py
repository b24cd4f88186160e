"""How sure a mean over queries is: percentile bootstrap intervals, every column over the same resamples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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

    def map(self, change: Callable[[float], float]) -> Interval:
        """Return the interval of another unit: each of the three that is known is changed."""
        return Interval(*(None if end is None else change(end) for end in (self.value, self.low, self.high)))


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
    found = zip(columns, table.mean(axis=0).tolist(), _resampled_means(table).T, strict=True)
    return {name: percentile_interval(mean, resampled) for name, mean, resampled in found}


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


MOST_RESAMPLES = 2_000  # the ends of an interval then vary from seed to seed by some 1.5 % of its width
FEWEST_RESAMPLES = 200  # however large the collection: fewer leave too few ratios beyond the ends
MOST_DRAWS = 20_000_000  # chunks drawn in all resamples together, so that a large collection takes seconds too
Ratio = tuple[float, float]  # numerator and denominator of one chunk or structure


def ratio_interval(documents: Sequence[Sequence[Ratio]]) -> Interval:
    """Return the sum of all numerators over that of all denominators, with its 95 % interval.

    ``documents`` holds the ratios of each document. A two-stage cluster bootstrap (Davison and Hinkley 1997, Bootstrap
    Methods and their Application, section 3.8): a resample draws documents, and within each drawn one as many ratios as
    it has; a single document is resampled within itself. Without a denominator above 0 nothing is measured.
    """
    clusters = [np.array(ratios, dtype=np.float64) for ratios in documents if len(ratios)]
    if not clusters or not sum(float(ratios[:, 1].sum()) for ratios in clusters):
        return NOT_MEASURED
    everything = np.concatenate(clusters)
    value = float(everything[:, 0].sum() / everything[:, 1].sum())
    resampled = _resampled_ratios(everything, np.array([len(ratios) for ratios in clusters]))
    if not len(resampled):
        return Interval(value, value, value)
    return percentile_interval(value, resampled)


def _resampled_ratios(rows: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the ratio of each resample of clusters and of rows within them; one without a denominator is left out.

    ``rows`` are numerators and denominators, cluster after cluster; ``sizes`` is the number of rows of each cluster.
    """
    rng = np.random.default_rng(SEED)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    resamples = max(FEWEST_RESAMPLES, min(MOST_RESAMPLES, MOST_DRAWS // len(rows)))
    ratios = np.full(resamples, np.nan)
    for n in range(resamples):
        drawn = rng.integers(0, len(sizes), size=len(sizes))
        lengths = sizes[drawn]
        within = (rng.random(int(lengths.sum())) * np.repeat(lengths, lengths)).astype(np.int64)
        numerator, denominator = rows[np.repeat(starts[drawn], lengths) + within].sum(axis=0)
        ratios[n] = numerator / denominator if denominator else np.nan
    defined: NDArray[np.float64] = ratios[~np.isnan(ratios)]
    return defined
