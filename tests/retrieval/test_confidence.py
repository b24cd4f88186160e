"""How likely the first thing shown is right: the curve, its fit and its record."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from autokb.core.errors import BadInputError
from autokb.retrieval.confidence import (
    FEWEST_FITTED,
    Confidence,
    fit_confidence,
    fit_rough_confidence,
    read_confidence,
)


def test_the_curve_is_logistic_and_never_reaches_its_ends() -> None:
    curve = Confidence(slope=2.0, offset=-1.0)
    assert curve.of(0.5) == pytest.approx(0.5)
    assert curve.of(1.0) == pytest.approx(1 / (1 + math.exp(-1)))
    assert 0 < curve.of(-1e9) < curve.of(0.0) < curve.of(1e9) < 1


def test_the_curve_survives_json() -> None:
    curve = Confidence(1.5, -0.25, "fitted on 40 past questions with known outcomes")
    assert read_confidence(json.loads(json.dumps(curve.as_json()))) == curve


def test_nothing_stored_is_the_default() -> None:
    assert read_confidence({}) == Confidence()
    assert read_confidence({"slope": 1, "offset": 0}) == Confidence(1.0, 0.0, "imported")


@pytest.mark.parametrize("value", ["much", None, True, float("nan"), float("inf"), [1]])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(BadInputError, match="The offset of the confidence must be a number"):
        read_confidence({"slope": 1.0, "offset": value})


def test_a_fit_gives_back_the_share_that_is_right_at_each_score() -> None:
    # Of 100 questions at the score 0 a quarter is right, of 100 at the score 4 three quarters.
    scores = np.array([0.0] * 100 + [4.0] * 100)
    right = np.array([n % 4 == 0 for n in range(100)] + [n % 4 != 0 for n in range(100)])
    curve = fit_confidence(scores, right)
    assert curve.of(0.0) == pytest.approx(0.25, abs=0.01)
    assert curve.of(4.0) == pytest.approx(0.75, abs=0.01)
    assert curve.source == "fitted on 200 past questions with known outcomes"


def test_scores_that_tell_nothing_leave_the_share_alone() -> None:
    curve = fit_confidence(np.array([0.0, 1.0] * 50), np.array([True, True, False, False, False] * 20))
    assert abs(curve.slope) < 0.05
    assert curve.of(0.5) == pytest.approx(0.4, abs=0.01)


@pytest.mark.parametrize(
    "right",
    [[True, False] * (FEWEST_FITTED // 2 - 1), [True] * FEWEST_FITTED, [False] * FEWEST_FITTED, []],
    ids=["few", "all right", "none right", "none"],
)
def test_too_few_or_all_of_one_kind_keep_the_default(right: list[bool]) -> None:
    scores = np.arange(len(right), dtype=np.float64)
    assert fit_confidence(scores, np.array(right, dtype=np.bool_)) == Confidence()


def test_paraphrases_that_are_all_found_make_nobody_certain() -> None:
    scores = np.linspace(1.0, 2.0, 58)
    curve = fit_rough_confidence(scores, np.ones(58, dtype=np.bool_))
    assert 0.9 < curve.of(1.5) < 0.99  # 59 of 60
    assert curve.slope == pytest.approx(Confidence().slope, abs=0.1)
    assert curve.source.startswith("rough: fitted on 58 paraphrases of sections")


def test_paraphrases_that_are_missed_lower_the_confidence_and_too_few_keep_the_default() -> None:
    scores = np.linspace(1.0, 2.0, 58)
    half = fit_rough_confidence(scores, np.arange(58) % 2 == 0)
    assert half.of(1.5) == pytest.approx(0.5, abs=0.02)
    assert fit_rough_confidence(scores[: FEWEST_FITTED - 1], np.ones(FEWEST_FITTED - 1, dtype=np.bool_)) == Confidence()
