"""What a sample of durations says: mean and quantiles, each with its bootstrap interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from autokb.evaluation.statistics.bootstrap import CONFIDENCE, NOT_MEASURED, SEED, Interval

RESAMPLES = 2_000  # the ends of an interval then vary from seed to seed by some 1.5 % of its width
DRAWS_AT_ONCE = 4_000_000  # numbers in memory together
Figure = Callable[[NDArray[np.float64]], NDArray[np.float64]]
FIGURES: Mapping[str, Figure] = {
    "mean": lambda rows: rows.mean(axis=1),
    "p50": lambda rows: np.quantile(rows, 0.5, axis=1),
    "p90": lambda rows: np.quantile(rows, 0.9, axis=1),
}


def sample_figures(values: Sequence[float]) -> dict[str, Interval]:
    """Return mean, p50 and p90 of a sample with their percentile bootstrap intervals.

    Of a single value nobody knows how sure it is: its intervals have no ends.
    """
    if not len(values):
        return dict.fromkeys(FIGURES, NOT_MEASURED)
    sample = np.asarray(values, dtype=np.float64)
    found = {name: float(figure(sample[None, :])[0]) for name, figure in FIGURES.items()}
    if len(sample) < 2:
        return {name: Interval(value) for name, value in found.items()}
    rng = np.random.default_rng(SEED)
    resampled: dict[str, list[NDArray[np.float64]]] = {name: [] for name in FIGURES}
    block = max(1, DRAWS_AT_ONCE // len(sample))
    for start in range(0, RESAMPLES, block):
        rows = sample[rng.integers(0, len(sample), size=(min(block, RESAMPLES - start), len(sample)))]
        for name, figure in FIGURES.items():
            resampled[name].append(figure(rows))
    tail = (1 - CONFIDENCE) / 2
    ends = {name: np.quantile(np.concatenate(parts), [tail, 1 - tail]) for name, parts in resampled.items()}
    # Sums in another order differ in their last digit: a mean is never outside its own interval.
    return {
        name: Interval(value, min(float(ends[name][0]), value), max(float(ends[name][1]), value))
        for name, value in found.items()
    }
