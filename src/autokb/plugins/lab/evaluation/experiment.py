"""Systems over the same cases: a value for each case, the means with their intervals, and differences in pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autokb.plugins.lab.evaluation.record import Record
from autokb.stats.bootstrap import (
    Interval,
    mean_intervals,
)


@dataclass(frozen=True, slots=True)
class Difference(Record):
    """The mean of a system's metric minus that of the baseline, over the same queries."""

    system: str
    baseline: str
    metric: str
    interval: Interval


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
