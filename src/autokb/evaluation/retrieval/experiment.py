"""An experiment asks every system every question and says how good each is and how sure that is."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.core.errors import BadInputError
from autokb.evaluation.retrieval.datasets import LabelledQuery, Qrels
from autokb.evaluation.retrieval.metrics import RETRIEVAL, Relevant, distinct, metric
from autokb.evaluation.retrieval.system_names import RAW
from autokb.evaluation.runner import ModelUsage
from autokb.evaluation.statistics.bootstrap import Interval, mean_intervals
from autokb.evaluation.statistics.paired_differences import Difference, paired_differences

System = Callable[[str], Sequence[str]]  # the text of a question -> ids of documents, best first
Rankings = Mapping[str, tuple[str, ...]]  # by query id
OnAnswer = Callable[[str], None]  # is called with a system's name after each of its answers


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system's metrics, and its ranking of documents for every query."""

    metrics: Mapping[str, Interval]
    rankings: Rankings

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return {
            "metrics": metrics_json(self.metrics),
            "rankings": {query: list(ranking) for query, ranking in self.rankings.items()},
        }


@dataclass(frozen=True, slots=True)
class SystemResults:
    """All systems over the same queries; ``relevant`` lets a stored answer be compared with another, query by query."""

    systems: Mapping[str, SystemResult]
    differences: tuple[Difference, ...]
    relevant: Mapping[str, Relevant]

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return {
            "systems": {name: result.as_json() for name, result in self.systems.items()},
            "differences": [difference.as_json() for difference in self.differences],
            "relevant": {query: dict(grades) for query, grades in self.relevant.items()},
        }


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """What ``evaluate retrieval`` answers for labelled questions; ``given`` counts all of them."""

    results: SystemResults
    given: int
    unresolved: tuple[str, ...]
    seconds: float
    usage: ModelUsage | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        measured = len(self.results.relevant)
        return {
            **self.results.as_json(),
            "queries": {"given": self.given, "measured": measured, "unresolved": list(self.unresolved)},
            "seconds": self.seconds,
            **(self.usage.as_json() if self.usage else {}),
        }


def ignore_answer(_system: str) -> None:
    """Report no progress."""


def evaluate_retrieval(
    systems: Mapping[str, System],
    queries: Sequence[LabelledQuery],
    qrels: Qrels,
    *,
    metrics: Sequence[str] = RETRIEVAL,
    baseline: str = RAW,
    on_answer: OnAnswer = ignore_answer,
) -> RetrievalReport:
    """Rank documents for all queries by every system; the metrics are over those that have a relevant document.

    Raises BadInputError without a system or without a query that can be measured.
    """
    started = time.perf_counter()
    relevant = qrels.relevant(queries)  # before the work: files that do not fit are refused at once
    if not systems:
        raise BadInputError("There is no system to evaluate; name one with --systems, for example raw.")
    rankings: dict[str, dict[str, tuple[str, ...]]] = {name: {} for name in systems}
    for name, system in systems.items():
        for query in queries:
            rankings[name][query.id] = distinct(system(query.text))
            on_answer(name)
    results = measure(rankings, relevant, metrics=metrics, baseline=baseline)
    return RetrievalReport(results, len(queries), qrels.unresolved, time.perf_counter() - started)


def measure(
    rankings: Mapping[str, Rankings],
    relevant: Mapping[str, Relevant],
    *,
    metrics: Sequence[str] = RETRIEVAL,
    baseline: str = RAW,
) -> SystemResults:
    """Score the rankings of every system: metrics with intervals, and paired differences to the baseline.

    ``relevant`` decides which queries count; no ranking of one counts as an empty ranking. Where no system is called
    like the baseline, the first one takes its place.
    """
    columns: dict[tuple[str, str], list[float]] = {}
    for system, ranked in rankings.items():
        for name in metrics:
            score = metric(name)
            columns[system, name] = [score(distinct(ranked.get(q, ())), grades) for q, grades in relevant.items()]
    intervals = mean_intervals(columns)
    systems = {
        system: SystemResult({name: intervals[system, name] for name in metrics}, ranked)
        for system, ranked in rankings.items()
    }
    first = baseline if baseline in rankings else next(iter(rankings))
    return SystemResults(systems, paired_differences(columns, first), relevant)


def metrics_json(metrics: Mapping[str, Interval]) -> dict[str, Any]:
    """Return metrics in the shape of the interface."""
    return {name: interval.as_json() for name, interval in metrics.items()}
