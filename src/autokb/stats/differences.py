"""Differences of two series of values over the same cases."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from autokb.stats.bootstrap import Interval, mean_interval, ratio_interval


def paired_difference(after: Sequence[float], before: Sequence[float]) -> Interval:
    """Return the mean of after minus before with its interval; value n of both is the same query."""
    return mean_interval([a - b for a, b in zip(after, before, strict=True)])


def relative_difference(after: Sequence[float], before: Sequence[float]) -> Interval:
    """Return how many per cent the mean of after is above that of before; value n of both is the same query.

    Not measured where the mean of before is 0.
    """
    ratio = ratio_interval([[pair] for pair in zip(after, before, strict=True)])
    return ratio.map(lambda times: (times - 1) * 100)


def paired_t_test(after: Sequence[float], before: Sequence[float]) -> float | None:
    """Return the two-sided p value of Student's paired t-test; value n of both is the same query.

    None for fewer than two queries, or where every query differs by the same amount, which has no spread to test.
    Where nothing differs at all it is 1.
    """
    differences = np.subtract(after, before, dtype=np.float64)
    if len(differences) < 2:
        return None
    mean, error = float(differences.mean()), float(differences.std(ddof=1)) / math.sqrt(len(differences))
    if not error:
        return None if mean else 1.0
    from scipy.special import stdtr

    return float(2 * stdtr(len(differences) - 1, -abs(mean / error)))
