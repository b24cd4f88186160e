"""A confidence that is held against known outcomes: told less where fewer are right, left alone where it holds."""

from __future__ import annotations

import numpy as np
import pytest

from autokb.core.errors import BadInputError
from autokb.retrieval.recalibration import FEWEST, UNCHANGED, Recalibration, fit_recalibration, read_recalibration

SURE = 2.0  # log-odds, .88


def test_who_is_right_in_one_of_ten_is_told_so() -> None:
    right = np.array([float(n % 10 == 0) for n in range(100)])
    fitted = fit_recalibration(np.full(100, SURE), right)
    assert fitted.issues == 100
    assert 0.1 < fitted.of(SURE, 1.0) < 0.2
    assert fitted.of(SURE, 0.0) == pytest.approx(UNCHANGED.of(SURE, 0.0))  # short questions stay


def test_what_holds_already_stays_as_it_is() -> None:
    dice = np.random.default_rng(5)
    odds = dice.normal(0, 2, 1000)
    right = (dice.random(1000) < 1 / (1 + np.exp(-odds))).astype(float)
    fitted = fit_recalibration(odds, right)
    for value in (-2.0, 0.0, 2.0):
        assert fitted.of(value, 1.0) == pytest.approx(UNCHANGED.of(value, 1.0), abs=0.08)


def test_few_messages_fit_nothing() -> None:
    few = FEWEST - 1
    assert fit_recalibration(np.full(few, SURE), np.zeros(few)) == UNCHANGED


def test_it_is_read_as_it_was_published_and_what_is_damaged_is_refused() -> None:
    fitted = Recalibration(-2.5, 0.5, 100)
    assert read_recalibration(fitted.as_json()) == fitted
    assert read_recalibration(None) == UNCHANGED
    with pytest.raises(BadInputError, match="intercept and a slope from -10 to 10"):
        read_recalibration({"intercept": float("nan"), "slope": 1, "issues": 3})
