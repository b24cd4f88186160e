"""An experiment asks every system every question and says how good each is and how sure that is."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from autokb.core.errors import BadInputError
from autokb.core.test_sets import LabelledQuery
from autokb.plugins.lab.evaluation.experiment import Column, Difference, Experiment, ModelUsage
from autokb.plugins.lab.evaluation.report import Record
from autokb.plugins.lab.evaluation.retrieval.datasets import Qrels
from autokb.plugins.lab.evaluation.retrieval.metrics import RETRIEVAL, Relevant, distinct, metric
from autokb.plugins.lab.evaluation.system_names import RAW
from autokb.stats.bootstrap import Interval

Ranker = Callable[[str], Sequence[str]]  # the text of a question -> ids of documents or chunks, best first
NodeRanker = Callable[[str], Sequence[tuple[str, str]]]  # the text of a question -> (node, its tree), best first
Rankings = Mapping[str, tuple[str, ...]]  # by query id
ShownDocuments = Callable[[str, int], Collection[str]]  # (a question, k) -> the documents of what k shows
OnAnswer = Callable[[str], None]  # is called with a system's name after each of its answers
SHOWN_RANKS = (1, 3, 5, 10)  # places up to which a page is looked for


@dataclass(frozen=True, slots=True)
class System:
    """What ranks documents for a question, and what else it gives: nodes, chunks, the documents of what it shows."""

    documents: Ranker
    nodes: NodeRanker | None = None
    shown: ShownDocuments | None = None
    chunks: Ranker | None = None


@dataclass(frozen=True, slots=True)
class SystemResult(Record):
    """One system's metrics, and its ranking of documents for every query.

    ``per_query`` holds, by metric, the values that the rankings do not give.
    """

    metrics: Mapping[str, Interval]
    rankings: Rankings
    per_query: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SystemResults(Record):
    """All systems over the same queries; ``relevant`` lets a stored answer be compared with another, query by query."""

    systems: Mapping[str, SystemResult]
    differences: tuple[Difference, ...]
    relevant: Mapping[str, Relevant]


@dataclass(frozen=True, slots=True)
class QueryCounts(Record):
    """How many questions were given and how many measured, and the documents that the knowledge base lacks."""

    given: int
    measured: int
    unresolved: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RetrievalReport(Record):
    """What ``evaluate retrieval`` answers for labelled questions."""

    results: SystemResults
    queries: QueryCounts
    seconds: float
    usage: ModelUsage | None = None


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

    Of a system that shows solutions, ``shown@k`` says whether a relevant document is among those of what k shows.
    Raises BadInputError without a system or without a query that can be measured.
    """
    started = time.perf_counter()
    relevant = qrels.relevant(queries)  # before the work: files that do not fit are refused at once
    if not systems:
        raise BadInputError("There is no system to evaluate; name one with --systems, for example raw.")
    rankings: dict[str, dict[str, tuple[str, ...]]] = {name: {} for name in systems}
    shown_in: dict[Column, dict[str, float]] = {}
    for query in queries:  # then systems: what two of them work out alike of a question they can share
        for name, system in systems.items():
            rankings[name][query.id] = distinct(system.documents(query.text))
            if system.shown is not None and (wanted := relevant.get(query.id)):
                hit = False
                for k in SHOWN_RANKS:  # what k shows, more than k shows too
                    hit = hit or not wanted.keys().isdisjoint(system.shown(query.text, k))
                    shown_in.setdefault((name, f"shown@{k}"), {})[query.id] = float(hit)
            on_answer(name)
    results = measure(rankings, relevant, metrics=metrics, baseline=baseline, shown=shown_in)
    counts = QueryCounts(len(queries), len(relevant), qrels.unresolved)
    return RetrievalReport(results, counts, time.perf_counter() - started)


def measure(
    rankings: Mapping[str, Rankings],
    relevant: Mapping[str, Relevant],
    *,
    metrics: Sequence[str] = RETRIEVAL,
    baseline: str = RAW,
    shown: Mapping[Column, Mapping[str, float]] | None = None,
) -> SystemResults:
    """Score the rankings of every system: metrics with intervals, and paired differences to the baseline.

    ``relevant`` decides which queries count; no ranking of one counts as an empty ranking. Where no system is called
    like the baseline, the first one takes its place. ``shown`` are values that the rankings do not give.
    """
    scores = {name: metric(name) for name in metrics}
    ranked = Experiment.over(
        {
            (system, name): {q: score(distinct(of_system.get(q, ())), grades) for q, grades in relevant.items()}
            for system, of_system in rankings.items()
            for name, score in scores.items()
        },
        baseline,
    )
    beside = Experiment.over(shown or {}, baseline)
    systems = {
        system: SystemResult((ranked + beside).metrics(system), of_system, beside.per_case(system))
        for system, of_system in rankings.items()
    }
    return SystemResults(systems, ranked.differences, relevant)
