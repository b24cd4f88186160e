from __future__ import annotations

import numpy as np
import pytest

from autokb.retrieval.logistic import fit_logistic

ONE = np.array([[0.0]] * 100 + [[1.0]] * 100)
LABELS = np.array([n % 4 == 0 for n in range(100)] + [n % 4 != 0 for n in range(100)])


def test_without_pull_the_fit_gives_back_the_shares() -> None:
    weight, intercept = fit_logistic(ONE, LABELS, expected=(0.0,), pull=(0.0,))
    assert intercept == pytest.approx(-np.log(3)) and weight == pytest.approx(2 * np.log(3))


def test_a_strong_pull_keeps_the_expected_weight() -> None:
    assert fit_logistic(ONE, LABELS, expected=(25.0,), pull=(1e6,))[0] == pytest.approx(25.0, abs=1e-3)
    middle = fit_logistic(ONE, LABELS, expected=(25.0,), pull=(1.0,))[0]
    assert 2 * np.log(3) < middle < 25.0


def test_a_row_counts_as_often_as_it_says() -> None:
    counts = np.where(np.arange(200) < 100, 2.0, 1.0)
    twice = fit_logistic(np.vstack([ONE[:100], ONE]), np.append(LABELS[:100], LABELS), expected=(1.0,), pull=(1.0,))
    assert fit_logistic(ONE, LABELS, expected=(1.0,), pull=(1.0,), counts=counts) == pytest.approx(twice)


def test_what_tells_the_sides_apart_without_error_stays_finite() -> None:
    weights = fit_logistic(ONE, ONE[:, 0] > 0, expected=(0.0,), pull=(1.0,))
    assert np.isfinite(weights).all() and weights[0] > 3
