"""An experiment over small systems, every figure worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autokb.core.errors import BadInputError
from autokb.core.test_sets import LabelledQuery
from autokb.plugins.lab.evaluation.compare import NO_DIFFERENCE, compare
from autokb.plugins.lab.evaluation.retrieval.datasets import Qrels
from autokb.plugins.lab.evaluation.retrieval.experiment import System, evaluate_retrieval, measure
from autokb.plugins.lab.evaluation.retrieval.metrics import RETRIEVAL

QUERIES = [LabelledQuery("q1", "one"), LabelledQuery("q2", "two"), LabelledQuery("q3", "nobody knows")]
GRADES = Qrels({"q1": {"a": 1.0}, "q2": {"b": 1.0, "c": 0.0}, "q3": {"a": 0.0}}, ("gone",))
SYSTEMS = {
    "raw": System(lambda text: ["c", "a", "b"]),
    "good": System(lambda text: ["a", "a", "b"] if text == "one" else ["b"]),
}


def test_answer_has_the_shape_of_the_interface() -> None:
    asked: list[str] = []
    answer = evaluate_retrieval(SYSTEMS, QUERIES, GRADES, on_answer=asked.append).as_json()
    assert asked == ["raw", "good"] * 3
    assert list(answer) == ["systems", "differences", "relevant", "queries", "seconds"]
    assert set(answer["systems"]) == {"raw", "good"}
    assert tuple(answer["systems"]["raw"]["metrics"]) == RETRIEVAL
    assert set(answer["systems"]["raw"]["metrics"]["mrr"]) == {"value", "low", "high"}
    assert answer["systems"]["good"]["rankings"] == {"q1": ["a", "b"], "q2": ["b"], "q3": ["b"]}
    assert answer["queries"] == {"given": 3, "measured": 2, "unresolved": ["gone"]}
    assert answer["relevant"] == {"q1": {"a": 1.0}, "q2": {"b": 1.0}}
    assert answer["seconds"] >= 0


def test_means_are_over_queries_with_a_relevant_document() -> None:
    raw = evaluate_retrieval(SYSTEMS, QUERIES, GRADES).results.systems["raw"].metrics
    assert raw["hit_rate@1"].value == 0
    assert raw["hit_rate@3"].value == 1
    assert raw["mrr"].value == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert raw["mrr"].low <= raw["mrr"].value <= raw["mrr"].high


def test_differences_are_paired_with_the_baseline() -> None:
    found = {d.metric: d for d in evaluate_retrieval(SYSTEMS, QUERIES, GRADES).results.differences}
    assert {(d.system, d.baseline) for d in found.values()} == {("good", "raw")}
    first = found["hit_rate@1"].interval
    assert (first.value, first.low, first.high) == (1, 1, 1)
    assert found["mrr"].interval.value == pytest.approx(1 - (1 / 2 + 1 / 3) / 2)


def test_what_is_shown_counts_beside_the_ranking() -> None:
    shown = {("one", 1): {"x"}, ("one", 3): {"x", "a"}, **{("two", k): {"c"} for k in (1, 3, 5, 10)}}
    shows = replace(SYSTEMS["good"], shown=lambda text, k: shown[text, k])
    report = evaluate_retrieval({**SYSTEMS, "good": shows}, QUERIES, GRADES)
    answer = report.as_json()  # a KeyError if more were asked than counts
    good = answer["systems"]["good"]
    values = {name: good["metrics"][name]["value"] for name in good["metrics"] if name.startswith("shown")}
    assert values == {"shown@1": 0, "shown@3": 0.5, "shown@5": 0.5, "shown@10": 0.5}  # q1 of q1 and q2
    assert good["per_query"]["shown@3"] == {"q1": 1, "q2": 0}
    assert not {name for name in answer["systems"]["raw"]["metrics"] if name.startswith("shown")}
    assert "per_query" not in answer["systems"]["raw"]
    (change,) = compare(answer, answer, "good.shown@3").differences
    assert (change.paired, change.verdict) == (2, NO_DIFFERENCE)


def test_without_the_baseline_the_first_system_takes_its_place() -> None:
    report = evaluate_retrieval({"x": SYSTEMS["raw"], "y": SYSTEMS["good"]}, QUERIES, GRADES)
    assert {d.baseline for d in report.results.differences} == {"x"}


def test_a_query_without_a_ranking_counts_as_a_miss() -> None:
    results = measure({"raw": {"q1": ("a",)}}, {"q1": {"a": 1.0}, "q2": {"a": 1.0}}, metrics=["hit_rate@1"])
    assert results.systems["raw"].metrics["hit_rate@1"].value == 0.5
    assert results.differences == ()


def test_nothing_to_measure_is_said_before_any_work() -> None:
    def never(_text: str) -> list[str]:
        raise AssertionError("asked although nothing can be measured")

    with pytest.raises(BadInputError, match="same query ids"):
        evaluate_retrieval({"raw": System(never)}, QUERIES, Qrels({}))
    with pytest.raises(BadInputError, match="no system"):
        evaluate_retrieval({}, QUERIES, GRADES)
