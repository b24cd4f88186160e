"""The metrics of one ranking, a function each; a ranking is document ids in order, best first, each at most once."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from autokb.core.errors import BadInputError

Relevant = Mapping[str, float]  # document id -> grade; a grade above zero is relevant
Metric = Callable[[Sequence[str], Relevant], float]

RETRIEVAL = ("hit_rate@1", "hit_rate@3", "hit_rate@5", "hit_rate@10", "mrr", "ndcg@10")


def distinct(ranking: Iterable[str]) -> tuple[str, ...]:
    """Return the ranking with each id at its best rank only."""
    return tuple(dict.fromkeys(ranking))


def hit_rate(ranking: Sequence[str], relevant: Relevant, k: int) -> float:
    """Return 1 when at least one of the first ``k`` documents is relevant, else 0.

    ``Success@k`` of TREC and ir-measures; the mean over queries is the hit rate of the AutoKB paper (section 4.3.2).
    """
    return float(any(relevant.get(d, 0) > 0 for d in ranking[:k]))


def recall(ranking: Sequence[str], relevant: Relevant, k: int) -> float:
    """Return the share of the relevant documents that are among the first ``k``; 0 where none is relevant.

    Manning, Raghavan and Schütze 2008, Introduction to Information Retrieval, section 8.3.
    """
    wanted = {d for d, grade in relevant.items() if grade > 0}
    return sum(d in wanted for d in ranking[:k]) / len(wanted) if wanted else 0.0


def reciprocal_rank(ranking: Sequence[str], relevant: Relevant) -> float:
    """Return 1 / the rank of the first relevant document, 0 where none is found; its mean over queries is MRR.

    Voorhees 1999, The TREC-8 Question Answering Track Report.
    """
    return next((1.0 / rank for rank, d in enumerate(ranking, 1) if relevant.get(d, 0) > 0), 0.0)


def ndcg(ranking: Sequence[str], relevant: Relevant, k: int) -> float:
    """Return the discounted cumulative gain of the first ``k`` over that of the best ranking there could be.

    DCG@k is the sum of grade / log2(rank + 1); 0 where nothing is relevant. Järvelin and Kekäläinen 2002, Cumulated
    Gain-Based Evaluation of IR Techniques, with the discount of trec_eval, which counts from the first rank on.
    """
    best = _sum_discounted_gain(sorted((grade for grade in relevant.values() if grade > 0), reverse=True)[:k])
    return _sum_discounted_gain([max(relevant.get(d, 0), 0) for d in ranking[:k]]) / best if best else 0.0


def _sum_discounted_gain(grades: Sequence[float]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


AT_K: Mapping[str, Callable[[Sequence[str], Relevant, int], float]] = {
    "hit_rate": hit_rate,
    "recall": recall,
    "ndcg": ndcg,
}
_AT_K_NAME = re.compile(rf"({'|'.join(AT_K)})@([1-9][0-9]*)")


def metric(name: str) -> Metric:
    """Return the metric of a name: ``mrr``, or ``hit_rate``, ``recall`` or ``ndcg`` with @K (else BadInputError)."""
    if name == "mrr":
        return reciprocal_rank
    found = _AT_K_NAME.fullmatch(name)
    if found is None:
        raise BadInputError(f"{name!r} is no metric of rankings; take hit_rate@K, recall@K, ndcg@K or mrr.")
    at_k, k = AT_K[found[1]], int(found[2])
    return lambda ranking, relevant: at_k(ranking, relevant, k)


def is_metric(name: str) -> bool:
    """Return whether a name is a metric of rankings."""
    return name == "mrr" or _AT_K_NAME.fullmatch(name) is not None
