"""Intervals: what they must contain, how wide they are, and that they repeat."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap as reference

from autokb.evaluation.bootstrap import Estimate, estimate, estimates, paired_difference


def test_equal_values_leave_no_doubt() -> None:
    assert estimate([0.25] * 7) == Estimate(0.25, 0.25, 0.25)
    assert estimate([1.0]) == Estimate(1.0, 1.0, 1.0)


def test_agrees_with_scipy_percentile_interval() -> None:
    values = np.random.default_rng(3).random(200) ** 2
    theirs = reference((values,), np.mean, method="percentile", n_resamples=10_000, rng=1).confidence_interval
    ours = estimate(values.tolist())
    assert ours.value == pytest.approx(values.mean())
    assert ours.low == pytest.approx(theirs.low, abs=0.004)
    assert ours.high == pytest.approx(theirs.high, abs=0.004)


def test_same_input_same_interval() -> None:
    values = [float(n % 3 == 0) for n in range(90)]
    assert estimate(values) == estimate(list(values))


def test_a_column_does_not_depend_on_its_neighbours() -> None:
    a, b = [0.0, 1.0, 1.0, 0.0, 1.0], [0.1, 0.2, 0.3, 0.4, 0.5]
    both = estimates({"a": a, "b": b})
    assert both["a"].low == pytest.approx(estimate(a).low)
    assert both["b"].high == pytest.approx(estimate(b).high)


def test_pairing_narrows_the_difference() -> None:
    rng = np.random.default_rng(5)
    before = rng.random(300)
    after = before + 0.05 + rng.normal(0, 0.01, 300)
    paired = paired_difference(after.tolist(), before.tolist())
    assert paired.low > 0.045
    assert paired.high < 0.055
    alone = estimate(after.tolist())
    assert alone.high - alone.low > 5 * (paired.high - paired.low)


def test_many_queries_are_drawn_in_blocks() -> None:
    many = [float(n % 2) for n in range(5000)]
    found = estimate(many)
    assert found.value == 0.5
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.5 / 5000**0.5, rel=0.1)


def test_pairs_need_the_same_queries() -> None:
    with pytest.raises(ValueError, match="zip"):
        paired_difference([1.0], [1.0, 0.0])


def test_no_query_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        estimate([])
