"""Systems over the same cases: means, differences, and metrics over other cases beside them."""

from __future__ import annotations

from autokb.plugins.lab.evaluation.experiment import Experiment

VALUES = {
    ("raw", "mrr"): {"q1": 0.0, "q2": 0.5},
    ("good", "mrr"): {"q1": 1.0, "q2": 0.5},
}


def test_means_and_differences_are_by_system() -> None:
    found = Experiment.over(VALUES, "raw")
    assert found.metrics("good")["mrr"].value == (1.0 + 0.5) / 2
    assert found.per_case("raw") == {"mrr": {"q1": 0.0, "q2": 0.5}}
    assert [(d.system, d.baseline, d.interval.value) for d in found.differences] == [("good", "raw", 0.5)]


def test_without_the_baseline_the_first_system_takes_its_place() -> None:
    assert {d.baseline for d in Experiment.over(VALUES, "bm25").differences} == {"raw"}


def test_metrics_over_other_cases_stand_beside() -> None:
    nodes = Experiment.over({("good", "node_hit@1"): {"n1": 1.0}}, "children")
    both = Experiment.over(VALUES, "raw") + nodes + Experiment.over({}, "raw")
    assert list(both.metrics("good")) == ["mrr", "node_hit@1"]
    assert list(both.metrics("raw")) == ["mrr"]
    assert len(both.differences) == 1
