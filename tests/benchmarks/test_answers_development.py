"""The questions for development, and what is counted on them."""

from __future__ import annotations

import pytest
from benchmarks.answers import BASES, OFF_TOPIC, Graded, confidence_auc, development, questions


def test_each_base_has_questions_for_development_that_are_in_neither_half() -> None:
    ids = [gold["id"] for name in BASES for gold in development(name)]
    assert len(ids) == len(set(ids)) >= 250
    assert not set(ids) & {gold["id"] for name in BASES for gold in questions(name)}
    for name in BASES:
        kinds = [gold["kind"] for gold in development(name)]
        assert kinds.count("near") >= 20 and sum(kind not in OFF_TOPIC for kind in kinds) >= 30


def test_the_auc_is_the_share_of_pairs_in_the_right_order() -> None:
    def graded(confidence: float, right: float | None) -> Graded:
        return Graded("espresso", {}, {"confidence": confidence}, {"first_shown_right": right})

    some = [graded(0.9, 1.0), graded(0.4, 1.0), graded(0.4, 0.0), graded(0.2, 0.0), graded(1.0, None)]
    assert confidence_auc(some) == pytest.approx(3.5 / 4)
    assert confidence_auc([graded(0.9, 1.0)]) is None
