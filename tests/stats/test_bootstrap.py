"""Intervals: what they must contain, how wide they are, and that they repeat."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import bootstrap as reference

from autokb.stats.bootstrap import NOT_MEASURED, Interval, mean_interval, mean_intervals


def test_equal_values_leave_no_doubt() -> None:
    assert mean_interval([0.25] * 7) == Interval(0.25, 0.25, 0.25)
    assert mean_interval([1.0]) == Interval(1.0, 1.0, 1.0)


def test_agrees_with_scipy_percentile_interval() -> None:
    values = np.random.default_rng(3).random(200) ** 2
    theirs = reference((values,), np.mean, method="percentile", n_resamples=10_000, rng=1).confidence_interval
    ours = mean_interval(values.tolist())
    assert ours.value == pytest.approx(values.mean())
    assert ours.low == pytest.approx(theirs.low, abs=0.004)
    assert ours.high == pytest.approx(theirs.high, abs=0.004)


def test_same_input_same_interval() -> None:
    values = [float(n % 3 == 0) for n in range(90)]
    assert mean_interval(values) == mean_interval(list(values))


def test_a_column_does_not_depend_on_its_neighbours() -> None:
    a, b = [0.0, 1.0, 1.0, 0.0, 1.0], [0.1, 0.2, 0.3, 0.4, 0.5]
    both = mean_intervals({"a": a, "b": b})
    assert both["a"].low == pytest.approx(mean_interval(a).low)
    assert both["b"].high == pytest.approx(mean_interval(b).high)


def test_many_queries_are_drawn_in_blocks() -> None:
    many = [float(n % 2) for n in range(5000)]
    found = mean_interval(many)
    assert found.value == 0.5
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.5 / 5000**0.5, rel=0.1)


def test_no_query_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one"):
        mean_interval([])


def test_what_was_not_measured_is_null_and_never_0() -> None:
    assert NOT_MEASURED.as_json() == {"value": None, "low": None, "high": None}
    assert mean_intervals({}) == {}
