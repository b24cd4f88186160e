"""An experiment asks every system every question and says how good each is and how sure that is."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.core.errors import BadInputError
from autokb.evaluation.bootstrap import Estimate, estimates
from autokb.evaluation.datasets import LabelledQuery, Resolved, answerable
from autokb.evaluation.metrics import RETRIEVAL, Relevant, distinct, metric

System = Callable[[str], Sequence[str]]  # the text of a question -> ids of documents, best first
Ranking = tuple[str, ...]
Rankings = Mapping[str, Ranking]  # by query id
BASELINE = "raw"


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better a system is than the baseline, query by query."""

    system: str
    baseline: str
    metric: str
    estimate: Estimate

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        named = {"system": self.system, "baseline": self.baseline, "metric": self.metric}
        return {**named, **self.estimate.as_json()}


def evaluate_retrieval(
    systems: Mapping[str, System],
    queries: Sequence[LabelledQuery],
    resolved: Resolved,
    *,
    metrics: Sequence[str] = RETRIEVAL,
    baseline: str = BASELINE,
    done: Callable[[str], None] = lambda _system: None,
) -> dict[str, Any]:
    """Answer ``evaluate retrieval``: rankings of all queries, metrics of those with a relevant document.

    ``done`` is called with the system's name after each question (for a progress bar).
    """
    started = time.perf_counter()
    relevant = answerable(queries, resolved)  # before the work: files that do not fit are said at once
    if not systems:
        raise BadInputError("There is no system to evaluate; name one with --systems, for example raw.")
    rankings = {name: ask_all(name, system, queries, done) for name, system in systems.items()}
    answer = measure(rankings, relevant, metrics=metrics, baseline=baseline)
    answer["queries"] = {"given": len(queries), "measured": len(relevant), "unresolved": list(resolved.unresolved)}
    answer["seconds"] = time.perf_counter() - started
    return answer


def ask_all(
    name: str, system: System, queries: Sequence[LabelledQuery], done: Callable[[str], None] = lambda _system: None
) -> dict[str, Ranking]:
    """Ask one system every question."""
    rankings = {}
    for query in queries:
        rankings[query.id] = distinct(system(query.text))
        done(name)
    return rankings


def measure(
    rankings: Mapping[str, Rankings],
    relevant: Mapping[str, Relevant],
    *,
    metrics: Sequence[str] = RETRIEVAL,
    baseline: str = BASELINE,
) -> dict[str, Any]:
    """Score rankings that exist: systems with intervals, paired differences to the baseline, and what was relevant.

    ``relevant`` decides which queries count; it stands in the answer, so that a stored answer can be compared with
    another one query by query.
    """
    columns = {(s, m): per_query(ranked, relevant, m) for s, ranked in rankings.items() for m in metrics}
    flat = estimates({f"{s}\0{m}": values for (s, m), values in columns.items()})
    systems = {
        s: {
            "metrics": {m: flat[f"{s}\0{m}"].as_json() for m in metrics},
            "rankings": {query: list(ranking) for query, ranking in ranked.items()},
        }
        for s, ranked in rankings.items()
    }
    found = differences(columns, metrics, baseline if baseline in rankings else next(iter(rankings)))
    return {
        "systems": systems,
        "differences": [d.as_json() for d in found],
        "relevant": {query: dict(grades) for query, grades in relevant.items()},
    }


def per_query(rankings: Rankings, relevant: Mapping[str, Relevant], name: str) -> list[float]:
    """Return the metric of every query that has a relevant document; no ranking counts as an empty one."""
    score = metric(name)
    return [score(distinct(rankings.get(query, ())), grades) for query, grades in relevant.items()]


def differences(
    columns: Mapping[tuple[str, str], Sequence[float]], metrics: Sequence[str], baseline: str
) -> list[Difference]:
    """Return every system's paired differences to the baseline, system by system."""
    pairs = {}
    for (system, name), values in columns.items():
        if system != baseline and name in metrics:
            pairs[system, name] = [a - b for a, b in zip(values, columns[baseline, name], strict=True)]
    flat = estimates({f"{s}\0{m}": values for (s, m), values in pairs.items()})
    return [Difference(s, baseline, m, flat[f"{s}\0{m}"]) for s, m in pairs]
