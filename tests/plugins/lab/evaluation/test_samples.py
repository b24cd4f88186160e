"""A sample's figures stand inside their intervals, and a single value has none."""

from __future__ import annotations

import numpy as np
import pytest

from autokb.stats.bootstrap import NOT_MEASURED, SEED
from autokb.stats.samples import RESAMPLES, compare_samples, sample_figures


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


def test_two_samples_are_compared_figure_by_figure() -> None:
    after, before = [float(n) for n in range(100, 200)], [float(n) for n in range(200, 400, 2)]
    found = compare_samples(after, before)
    assert found["mean"].after.value == 149.5 and found["mean"].before.value == 299.0
    assert found["mean"].difference.value == -149.5 and found["mean"].relative.value == pytest.approx(-0.5)
    assert found["p50"].difference.value == 149.5 - 299.0
    for figure in found.values():
        for interval in (figure.after, figure.before, figure.difference, figure.relative):
            assert interval.low is not None and interval.high is not None and interval.value is not None
            assert interval.low <= interval.value <= interval.high
        assert figure.difference.high is not None and figure.difference.high < 0  # they do not overlap
    same = compare_samples(after, after)["p50"].difference
    assert same.value == 0 and same.low is not None and same.high is not None and same.low < 0 < same.high


def test_what_cannot_be_compared_has_no_figures_or_no_ends() -> None:
    assert compare_samples([], [])["mean"].difference == NOT_MEASURED
    assert compare_samples([1.0, 2.0], [])["p90"].relative == NOT_MEASURED
    one = compare_samples([3.0, 5.0], [2.0])["mean"]
    assert (one.difference.value, one.difference.low, one.before.high) == (2.0, None, None)
    assert one.relative.value == 1.0 and one.after.low == 3.0
    nothing = compare_samples([3.0, 5.0], [0.0, 0.0])["mean"]
    assert nothing.difference.value == 4.0 and nothing.relative == NOT_MEASURED


def test_intervals_are_those_of_resamples_drawn_in_one_piece() -> None:
    samples = [np.random.default_rng(n).lognormal(5, 1, size) for n, size in ((1, 333), (2, 250))]
    drawing = np.random.default_rng(SEED)
    drawn = [sample[drawing.integers(0, len(sample), size=(RESAMPLES, len(sample)))] for sample in samples]
    found = compare_samples(*(sample.tolist() for sample in samples))
    figures = [(rows.mean(axis=1), *np.quantile(rows, [0.5, 0.9], axis=1)) for rows in drawn]
    for name, after, before in zip(("mean", "p50", "p90"), *figures, strict=True):
        ends = np.quantile(after, [0.025, 0.975]).tolist()
        assert [found[name].after.low, found[name].after.high] == pytest.approx(ends, rel=1e-12)
        ends = np.quantile(after / before - 1, [0.025, 0.975]).tolist()
        assert [found[name].relative.low, found[name].relative.high] == pytest.approx(ends, rel=1e-12)
