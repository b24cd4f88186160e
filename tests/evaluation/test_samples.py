"""A sample's figures stand inside their intervals, and a single value has none."""

from __future__ import annotations

import pytest

from autokb.evaluation.statistics.samples import sample_figures


def test_figures_of_a_sample() -> None:
    found = sample_figures([1.0, 2.0, 3.0, 4.0, 90.0])
    assert found["mean"].value == 20.0
    assert found["p50"].value == 3.0
    assert found["p90"].value == pytest.approx(55.6)  # 4 + 0.6 x 86
    for interval in found.values():
        assert interval.low is not None and interval.high is not None and interval.value is not None
        assert interval.low <= interval.value <= interval.high
    assert (found["p50"].low, found["p50"].high) == (1.0, 90.0)


def test_one_value_and_none() -> None:
    assert sample_figures([5.0])["p90"].as_json() == {"value": 5.0, "low": None, "high": None}
    assert sample_figures([])["mean"].value is None
