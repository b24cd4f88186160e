"""Systems over the same cases: a value for each case, the means with their intervals, and differences in pairs.

And what an evaluation needs of whoever answers tasks and embeds texts, with what that cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from autokb.core.nouns import Failure
from autokb.core.spending import Spending
from autokb.core.vectors import Vectors
from autokb.plugins.lab.evaluation.report import Record
from autokb.stats.bootstrap import Interval, mean_intervals
from autokb.tasks.task import In, Out, Task

Embed = Callable[[Sequence[str]], Vectors]  # texts -> vectors of length 1, (texts, dimensions)


class TaskRunner(Protocol):
    """Answers tasks, by a model or offline as the settings say."""

    def run(self, stage: str, task: Task[In, Out], items: Sequence[In], names: Sequence[str]) -> Sequence[Out | None]:
        """Return the reply to each item; None for one that failed, which is reported under its name."""
        ...


@dataclass(frozen=True, slots=True)
class ModelUsage(Record):
    """The items that failed, and what models cost: ``calls``, ``cached``, ``tokens`` and ``cost``."""

    failures: tuple[Failure, ...]
    spending: Spending


@dataclass(frozen=True, slots=True)
class Difference(Record):
    """The mean of a system's metric minus that of the baseline, over the same queries."""

    system: str
    baseline: str
    metric: str
    interval: Interval


Column = tuple[str, str]  # a system and a metric


@dataclass(frozen=True, slots=True)
class Experiment:
    """The values of all cases by system and metric, and what follows from them."""

    values: Mapping[Column, Mapping[str, float]]
    intervals: Mapping[Column, Interval]
    differences: tuple[Difference, ...]

    @classmethod
    def over(cls, values: Mapping[Column, Mapping[str, float]], baseline: str) -> Experiment:
        """Measure columns of the same cases; where no system is called like the baseline the first takes its place.

        Every metric of a system must be one of the baseline too.
        """
        columns = {column: list(of_cases.values()) for column, of_cases in values.items()}
        systems = [system for system, _ in columns]
        first = baseline if baseline in systems else next(iter(systems), baseline)
        paired = {
            (system, metric): [a - b for a, b in zip(column, columns[first, metric], strict=True)]
            for (system, metric), column in columns.items()
            if system != first
        }
        found = mean_intervals(paired)
        differences = tuple(Difference(system, first, metric, of) for (system, metric), of in found.items())
        return cls(values, mean_intervals(columns), differences)

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
