"""The measures of rankings, one function each, in the field's words; a ranking is ids in order, best first."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from autokb.core.errors import BadInputError

Relevant = Mapping[str, float]  # document id -> grade; a grade above zero is relevant
Metric = Callable[[Sequence[str], Relevant], float]

RETRIEVAL = ("hit_rate@1", "hit_rate@3", "hit_rate@5", "hit_rate@10", "mrr", "ndcg@10")
TICKETS = ("recall@1", "recall@3", "recall@5", "recall@10", "ndcg@1", "ndcg@3", "mrr")


def distinct(ranking: Iterable[str]) -> tuple[str, ...]:
    """Return the ranking with each id at its best place only."""
    return tuple(dict.fromkeys(ranking))


def positives(relevant: Relevant) -> dict[str, float]:
    """Return the grades above zero."""
    return {document: grade for document, grade in relevant.items() if grade > 0}


def hit_rate(ranking: Sequence[str], relevant: Relevant, k: int) -> float:
    """Return 1 when one of the first ``k`` is relevant, else 0."""
    return float(any(relevant.get(d, 0) > 0 for d in ranking[:k]))


def recall(ranking: Sequence[str], relevant: Relevant, k: int) -> float:
    """Return the share of the relevant documents that stand among the first ``k``."""
    wanted = positives(relevant)
    return sum(d in wanted for d in ranking[:k]) / len(wanted) if wanted else 0.0


def reciprocal_rank(ranking: Sequence[str], relevant: Relevant) -> float:
    """Return 1 / the place of the first relevant document, 0 when there is none."""
    return next((1.0 / place for place, d in enumerate(ranking, 1) if relevant.get(d, 0) > 0), 0.0)


def ndcg(ranking: Sequence[str], relevant: Relevant, k: int) -> float:
    """Return the normalised discounted gain of the first ``k``: the grade is the gain, log2(place + 1) the discount."""
    best = _gain(sorted(positives(relevant).values(), reverse=True)[:k])
    return _gain([max(relevant.get(d, 0), 0) for d in ranking[:k]]) / best if best else 0.0


def _gain(grades: Sequence[float]) -> float:
    return sum(grade / math.log2(place + 1) for place, grade in enumerate(grades, 1))


AT_K: Mapping[str, Callable[[Sequence[str], Relevant, int], float]] = {
    "hit_rate": hit_rate,
    "recall": recall,
    "ndcg": ndcg,
}


def metric(name: str) -> Metric:
    """Return the metric of a name such as ``hit_rate@5``, ``recall@10``, ``ndcg@10`` or ``mrr``."""
    if name == "mrr":
        return reciprocal_rank
    found = re.fullmatch(r"([a-z_]+)@([1-9][0-9]*)", name)
    if found is None or found[1] not in AT_K:
        raise BadInputError(f"{name!r} is no metric of rankings; take hit_rate@K, recall@K, ndcg@K or mrr.")
    measure, k = AT_K[found[1]], int(found[2])
    return lambda ranking, relevant: measure(ranking, relevant, k)


def is_metric(name: str) -> bool:
    """Return whether a name is a metric of rankings."""
    return name == "mrr" or re.fullmatch(rf"({'|'.join(AT_K)})@[1-9][0-9]*", name) is not None
