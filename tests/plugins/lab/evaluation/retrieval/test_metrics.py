"""The metrics by hand and against ir-measures, the reference implementation."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autokb.core.errors import BadInputError
from autokb.plugins.lab.evaluation.retrieval.metrics import RETRIEVAL, distinct, is_metric, metric

NAMES = (*RETRIEVAL, "recall@1", "recall@3", "recall@5", "recall@10", "ndcg@1", "ndcg@3")
DOCUMENTS = [f"d{n}" for n in range(14)]


def test_values_by_hand() -> None:
    ranking = ["a", "b", "c", "d"]
    relevant = {"b": 1.0, "d": 2.0, "z": 1.0, "c": 0.0}
    assert metric("hit_rate@1")(ranking, relevant) == 0
    assert metric("hit_rate@3")(ranking, relevant) == 1
    assert metric("mrr")(ranking, relevant) == 1 / 2
    assert metric("recall@2")(ranking, relevant) == 1 / 3
    assert metric("recall@10")(ranking, relevant) == 2 / 3
    best = 2 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)
    assert metric("ndcg@10")(ranking, relevant) == pytest.approx((1 / math.log2(3) + 2 / math.log2(5)) / best)


def test_nothing_found_and_nothing_relevant_is_zero() -> None:
    for name in NAMES:
        assert metric(name)([], {"a": 1.0}) == 0
        assert metric(name)(["a"], {"a": 0.0}) == 0


@settings(max_examples=60, deadline=None)
@given(
    ranking=st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=14),
    relevant=st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 3), min_size=1, max_size=8),
)
def test_equal_to_ir_measures(ranking: list[str], relevant: dict[str, int]) -> None:
    ir = pytest.importorskip("ir_measures", reason="ir-measures is in the extra bench")
    if not any(relevant.values()):
        return
    theirs = {"hit_rate": "Success", "recall": "R", "ndcg": "nDCG", "mrr": "RR"}
    run = {"q": {d: float(-place) for place, d in enumerate(ranking)}}
    for name in NAMES:
        kind, _, k = name.partition("@")
        measure = ir.parse_measure(theirs[kind] + (f"@{k}" if k else ""))
        expected = ir.calc_aggregate([measure], {"q": relevant}, run)[measure] if ranking else 0.0
        assert metric(name)(ranking, {d: float(g) for d, g in relevant.items()}) == pytest.approx(expected), name


def test_a_repeated_document_keeps_its_best_place() -> None:
    assert distinct(["b", "a", "b", "c", "a"]) == ("b", "a", "c")


@pytest.mark.parametrize("name", ["hit_rate", "ndcg@0", "map@10", "mrr@5", ""])
def test_unknown_metric_is_named(name: str) -> None:
    assert not is_metric(name)
    with pytest.raises(BadInputError, match="no metric"):
        metric(name)
