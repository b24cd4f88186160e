"""How much better one system is than another, query by query: what both find hard does not blur the difference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autokb.evaluation.record import Record
from autokb.evaluation.statistics.bootstrap import Interval, mean_interval, mean_intervals


@dataclass(frozen=True, slots=True)
class Difference(Record):
    """The mean of a system's metric minus that of the baseline, over the same queries."""

    system: str
    baseline: str
    metric: str
    interval: Interval


def paired_difference(after: Sequence[float], before: Sequence[float]) -> Interval:
    """Return the mean of after minus before with its interval; value n of both is the same query."""
    return mean_interval([a - b for a, b in zip(after, before, strict=True)])


def paired_differences(columns: Mapping[tuple[str, str], Sequence[float]], baseline: str) -> tuple[Difference, ...]:
    """Return the differences of every system to the baseline, system by system.

    ``columns`` holds, by system and metric, one value a query; every metric of a system is one of the baseline too.
    """
    paired = {
        (system, metric): [a - b for a, b in zip(values, columns[baseline, metric], strict=True)]
        for (system, metric), values in columns.items()
        if system != baseline
    }
    intervals = mean_intervals(paired)
    return tuple(Difference(system, baseline, metric, found) for (system, metric), found in intervals.items())


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
