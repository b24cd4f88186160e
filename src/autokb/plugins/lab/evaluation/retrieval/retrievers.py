"""The study of retrievers: encoder by search, recall of documents, and how near the first one is to the question.

Response prediction paper, tables 2 and 8 and figure 4: documents are found by the vectors of their windows alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

import numpy as np

from autokb.core.vectors import Vectors
from autokb.plugins.lab.evaluation.experiment import Difference, ModelUsage
from autokb.plugins.lab.evaluation.report import Record
from autokb.plugins.lab.evaluation.retrieval.baselines import first_documents
from autokb.plugins.lab.evaluation.retrieval.experiment import QueryCounts, Rankings, SystemResults, measure
from autokb.plugins.lab.evaluation.retrieval.metrics import Relevant, metric
from autokb.retrieval.search import ChunkIndex, vectors_only
from autokb.stats.differences import relative_difference
from autokb.stats.shares import Share, share
from autokb.stores.vector_index import GraphIndex

RECALLS = ("recall@1", "recall@3", "recall@5", "recall@10")
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # cosines; the paper's is 0.7, of another encoder
EXACT, GRAPH = "exact", "hnsw"
NO_GRAPH = "HNSW was not measured: the extra usearch is not installed (pip install 'autokb[usearch]')."
DECILES = tuple(round(n / 10, 1) for n in range(1, 10))
BINS = 20  # of the cosines from 0 to 1; what is below 0 is counted into the first
RIGHT, WRONG, IN_DOMAIN, OFF_TOPIC = "right", "wrong", "in_domain", "off_topic"


@dataclass(frozen=True)
class EncodedQuestions:
    """What one encoder makes of a study: the index of the documents, and the questions' vectors by id."""

    index: ChunkIndex
    questions: Mapping[str, Vectors]
    off_topic: Vectors

    @property
    def dimensions(self) -> int:
        """The length of the vectors."""
        return int(self.index.vectors.vectors.shape[1])


@dataclass(frozen=True, slots=True)
class FirstCosines(Record):
    """Cosines of the documents found first: deciles (10 to 90 %), counts of ``BINS``, shares of at least a threshold.

    ``n`` is how many questions there are; of none there are no deciles.
    """

    n: int
    deciles: tuple[float, ...]
    histogram: tuple[int, ...]
    at_least: Mapping[str, Share]

    @classmethod
    def of(cls, cosines: Sequence[float]) -> FirstCosines:
        """Count the cosines of one kind of question."""
        values = np.asarray(cosines, dtype=np.float64)
        deciles = tuple(float(value) for value in np.quantile(values, DECILES)) if len(values) else ()
        counts, _ = np.histogram(np.clip(values, 0.0, 1.0), bins=BINS, range=(0.0, 1.0))
        shares = {f"{t:g}": share(int(np.count_nonzero(values >= t)), len(values)) for t in THRESHOLDS}
        return cls(len(values), deciles, tuple(counts.tolist()), shares)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverReport(Record):
    """What ``evaluate retrievers`` answers; systems are called ``ENCODER/SEARCH``.

    ``over_worst`` is how many per cent the mean recall of an encoder is above that of the worst one of its search.
    ``cosines`` are those of the first documents by encoder and kind of question: those whose first document is right,
    wrong, both (``in_domain``), and questions about something else.
    """

    results: SystemResults
    over_worst: tuple[Difference, ...]
    dimensions: Mapping[str, int]
    cosines: Mapping[str, Mapping[str, FirstCosines]]
    queries: QueryCounts
    questions: str
    off_topic: str
    notes: tuple[str, ...]
    usage: ModelUsage
    seconds: float


def by_graph(index: ChunkIndex) -> ChunkIndex:
    """Return the index with its windows in an HNSW graph, however few they are."""
    return replace(index, vectors=GraphIndex.of(index.vectors.vectors))


def has_graph() -> bool:
    """Return whether the extra is installed that makes the graph."""
    return find_spec("usearch") is not None


def rank_by_vectors(index: ChunkIndex, questions: Mapping[str, Vectors]) -> Rankings:
    """Rank documents for every question by their nearest windows."""
    return {q: tuple(first_documents(index, vectors_only(index, v).documents)) for q, v in questions.items()}


def measure_retrievers(
    encoded: Mapping[str, EncodedQuestions], relevant: Mapping[str, Relevant]
) -> tuple[SystemResults, tuple[Difference, ...]]:
    """Measure every encoder by every search, and how many per cent each is above the worst encoder of its search."""
    searches = {EXACT: lambda index: index, **({GRAPH: by_graph} if has_graph() else {})}
    rankings = {
        f"{encoder}/{search}": rank_by_vectors(arrange(one.index), one.questions)
        for search, arrange in searches.items()
        for encoder, one in encoded.items()
    }
    results = measure(rankings, relevant, metrics=RECALLS, baseline=next(iter(rankings)))
    over_worst = (d for search in searches for d in _over_worst(results, [f"{e}/{search}" for e in encoded]))
    return results, tuple(over_worst)


def _over_worst(results: SystemResults, systems: Sequence[str]) -> list[Difference]:
    """Compare the systems of one search with that of the lowest recall, of the first document first."""

    def recalls(system: str) -> list[float]:
        return [results.systems[system].metrics[name].value or 0.0 for name in RECALLS]

    worst = min(systems, key=recalls)
    found = []
    for name in RECALLS:
        score = metric(name)
        values = {s: [score(results.systems[s].rankings[q], r) for q, r in results.relevant.items()] for s in systems}
        found += [
            Difference(s, worst, name, relative_difference(values[s], values[worst])) for s in systems if s != worst
        ]
    return sorted(found, key=lambda difference: systems.index(difference.system))


def first_cosines(one: EncodedQuestions, relevant: Mapping[str, Relevant]) -> dict[str, FirstCosines]:
    """Return the cosines of the documents found first, by kind of question."""
    cosines: dict[str, list[float]] = {RIGHT: [], WRONG: []}
    for question, grades in relevant.items():
        documents = vectors_only(one.index, one.questions[question]).documents
        first = int(np.argmax(documents))
        is_right = grades.get(one.index.documents[first], 0) > 0
        cosines[RIGHT if is_right else WRONG].append(float(documents[first]))
    cosines[IN_DOMAIN] = [*cosines[RIGHT], *cosines[WRONG]]
    cosines[OFF_TOPIC] = [vectors_only(one.index, vector).nearest for vector in one.off_topic]
    return {kind: FirstCosines.of(values) for kind, values in cosines.items()}


def best_threshold(cosines: Mapping[str, FirstCosines]) -> float:
    """Return the threshold that tells the two kinds best apart: most in-domain questions above, fewest others."""

    def apart(threshold: float) -> float:
        ours, others = (cosines[kind].at_least[f"{threshold:g}"].value or 0.0 for kind in (IN_DOMAIN, OFF_TOPIC))
        return ours - others

    return max(THRESHOLDS, key=apart)
