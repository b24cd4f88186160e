"""Systems over the same cases: a value for each case, the means with their intervals, and differences in pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autokb.evaluation.record import Record
from autokb.evaluation.statistics.bootstrap import (
    Interval,
    mean_interval,
    mean_intervals,
    ratio_interval,
)


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


Column = tuple[str, str]  # a system and a metric


@dataclass(frozen=True, slots=True)
class Experiment:
    """The values of all cases by system and metric, and what follows from them."""

    values: Mapping[Column, Mapping[str, float]]
    intervals: Mapping[Column, Interval]
    differences: tuple[Difference, ...]

    @classmethod
    def over(cls, values: Mapping[Column, Mapping[str, float]], baseline: str) -> Experiment:
        """Measure columns of the same cases; where no system is called like the baseline the first takes its place."""
        columns = {column: list(of_cases.values()) for column, of_cases in values.items()}
        systems = [system for system, _ in columns]
        first = baseline if baseline in systems else next(iter(systems), baseline)
        return cls(values, mean_intervals(columns), paired_differences(columns, first))

    def __add__(self, other: Experiment) -> Experiment:
        """Put metrics over other cases beside these."""
        differences = self.differences + other.differences
        return Experiment({**self.values, **other.values}, {**self.intervals, **other.intervals}, differences)

    def metrics(self, system: str) -> dict[str, Interval]:
        """Return a system's means by metric."""
        return {metric: interval for (owner, metric), interval in self.intervals.items() if owner == system}

    def per_case(self, system: str) -> dict[str, Mapping[str, float]]:
        """Return a system's values by metric and case."""
        return {metric: of_cases for (owner, metric), of_cases in self.values.items() if owner == system}
