"""The questions for development, and what is counted on them."""

from __future__ import annotations

import pytest
from benchmarks.answers import BASES, OFF_TOPIC, area_under_curve, confidence_figures, development, questions


def test_each_base_has_questions_for_development_that_are_in_neither_half() -> None:
    ids = [gold["id"] for name in BASES for gold in development(name)]
    assert len(ids) == len(set(ids)) >= 250
    assert not set(ids) & {gold["id"] for name in BASES for gold in questions(name)}
    for name in BASES:
        kinds = [gold["kind"] for gold in development(name)]
        assert kinds.count("near") >= 20 and sum(kind not in OFF_TOPIC for kind in kinds) >= 30


def test_the_confidence_is_held_against_what_was_so() -> None:
    told = [(0.9, True), (0.4, True), (0.4, False), (0.2, False)]
    figures = {figure.name: figure.value for figure in confidence_figures(told, "x")}
    assert figures["x.auc"] == pytest.approx(3.5 / 4)
    assert figures["x.brier"] == pytest.approx((0.01 + 0.36 + 0.16 + 0.04) / 4)
    assert figures["x.brier_of_the_share"] == 0.25
    bands = [figures[f"x.right_of_{band}"] for band in ("0.00_to_0.40", "0.40_to_0.70", "0.70_to_1.00")]
    assert bands == [0.0, 0.5, 1.0]
    assert area_under_curve([0.9], []) is None
