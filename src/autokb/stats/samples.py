"""What a sample of durations says: mean and quantiles, each with its bootstrap interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.stats.bootstrap import NOT_MEASURED, SEED, Interval, percentile_interval

RESAMPLES = 2_000  # the ends of an interval then vary from seed to seed by some 1.5 % of its width
DRAWS_AT_ONCE = 200_000  # numbers in memory together: 1.6 MB stay in a processor's cache, which halves the time
# Of two samples that are compared while somebody waits: numbers drawn from the larger one, which take some 0.1 s.
MOST_DRAWS, FEWEST_RESAMPLES = 10_000_000, 200
QUANTILES: Mapping[str, float] = {"p50": 0.5, "p90": 0.9}
PERCENTILES = (0.5, 0.95, 0.99)  # of the time that people and programs wait for an answer
FIGURES = ("mean", *QUANTILES)


def nearest_rank(ordered: Sequence[float], part: float) -> float | None:
    """Return the smallest value that a ``part`` (0 to 1) of an ascending sample does not exceed; None of no sample."""
    return ordered[math.ceil(part * len(ordered)) - 1] if ordered else None


def sample_figures(values: Sequence[float]) -> dict[str, Interval]:
    """Return mean, p50 and p90 of a sample with their percentile bootstrap intervals.

    Of a single value nobody knows how sure it is: its intervals have no ends.
    """
    if not len(values):
        return dict.fromkeys(FIGURES, NOT_MEASURED)
    sample = np.asarray(values, dtype=np.float64)
    found = _figures(sample)
    if len(sample) < 2:
        return {name: Interval(value) for name, value in found.items()}
    resampled = _resampled(sample, np.random.default_rng(SEED), RESAMPLES)
    assert resampled is not None, "two values or more"
    return {name: _interval(value, resampled[name]) for name, value in found.items()}


@dataclass(frozen=True, slots=True)
class ComparedFigure:
    """One figure of two samples, the difference of the first to the second, and the same as a share of the second."""

    after: Interval
    before: Interval
    difference: Interval
    relative: Interval


def compare_samples(after: Sequence[float], before: Sequence[float]) -> dict[str, ComparedFigure]:
    """Return mean, p50 and p90 of two independent samples, with percentile bootstrap intervals of all that is compared.

    Each sample is drawn from by itself. Of fewer than two values nobody knows how sure they are: no interval has ends.
    """
    samples = [np.asarray(values, dtype=np.float64) for values in (after, before)]
    most = max(map(len, samples))
    resamples = max(FEWEST_RESAMPLES, min(RESAMPLES, MOST_DRAWS // max(1, most)))
    rng = np.random.default_rng(SEED)
    drawn = [_resampled(sample, rng, resamples) for sample in samples]
    known = [_figures(sample) if len(sample) else dict.fromkeys(FIGURES) for sample in samples]
    found = {}
    for name in FIGURES:
        one, two = (figures[name] for figures in known)
        many = [None if rows is None else rows[name] for rows in drawn]
        found[name] = ComparedFigure(
            _interval(one, many[0]), _interval(two, many[1]), *_compared(one, two, many[0], many[1])
        )
    return found


def _compared(
    one: float | None, two: float | None, after: NDArray[np.float64] | None, before: NDArray[np.float64] | None
) -> tuple[Interval, Interval]:
    if one is None or two is None:
        return NOT_MEASURED, NOT_MEASURED
    both = None if after is None or before is None else (after, before)
    difference = _interval(one - two, None if both is None else both[0] - both[1])
    if not two:
        return difference, NOT_MEASURED
    if both is None or not both[1].all():
        return difference, Interval(one / two - 1)
    return difference, _interval(one / two - 1, both[0] / both[1] - 1)


def _interval(value: float | None, resampled: NDArray[np.float64] | None) -> Interval:
    return Interval(value) if value is None or resampled is None else percentile_interval(value, resampled)


def _figures(sample: NDArray[np.float64]) -> dict[str, float]:
    rows = _figures_of_rows(sample[None, :].copy())
    return {name: float(rows[name][0]) for name in FIGURES}


def _figures_of_rows(rows: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Return every figure of each row, whose values this puts in order.

    One sort serves all quantiles, and NumPy sorts faster than it partitions; a quantile lies between two neighbours.
    """
    found = {"mean": rows.mean(axis=1)}
    rows.sort(axis=1)
    for name, quantile in QUANTILES.items():
        place = (rows.shape[1] - 1) * quantile
        left = int(place)
        found[name] = np.quantile(rows[:, left : left + 2], place - left, axis=1)
    return found


def _resampled(
    sample: NDArray[np.float64], rng: np.random.Generator, resamples: int
) -> dict[str, NDArray[np.float64]] | None:
    """Return every figure of each resample, drawn in blocks that fit into memory; None of fewer than two values."""
    if len(sample) < 2:
        return None
    found: dict[str, list[NDArray[np.float64]]] = {name: [] for name in FIGURES}
    block = max(1, DRAWS_AT_ONCE // len(sample))
    for start in range(0, resamples, block):
        size = (min(block, resamples - start), len(sample))
        rows = sample.take(rng.integers(0, len(sample), size=size, dtype=np.int32))
        for name, figures in _figures_of_rows(rows).items():
            found[name].append(figures)
    return {name: np.concatenate(parts) for name, parts in found.items()}
