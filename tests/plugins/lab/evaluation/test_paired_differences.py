"""Differences query by query, with the arithmetic written out."""

from __future__ import annotations

import numpy as np
import pytest

from autokb.plugins.lab.evaluation.experiment import Experiment
from autokb.stats.bootstrap import mean_interval
from autokb.stats.differences import paired_difference, paired_t_test


def test_pairing_narrows_the_difference() -> None:
    rng = np.random.default_rng(5)
    before = rng.random(300)
    after = before + 0.05 + rng.normal(0, 0.01, 300)
    paired = paired_difference(after.tolist(), before.tolist())
    assert paired.low > 0.045
    assert paired.high < 0.055
    alone = mean_interval(after.tolist())
    assert alone.high - alone.low > 5 * (paired.high - paired.low)


def test_pairs_need_the_same_queries() -> None:
    with pytest.raises(ValueError, match="zip"):
        paired_difference([1.0], [1.0, 0.0])


def test_every_system_is_compared_with_the_baseline_and_none_with_itself() -> None:
    values = {"raw": (0.0, 0.5), "good": (1.0, 0.5), "bad": (0.0, 0.0)}
    columns = {(system, "mrr"): dict(zip("ab", of, strict=True)) for system, of in values.items()}
    found = Experiment.over(columns, "raw").differences
    assert [(d.system, d.baseline, d.metric, d.interval.value) for d in found] == [
        ("good", "raw", "mrr", (1.0 + 0.0) / 2),
        ("bad", "raw", "mrr", (0.0 - 0.5) / 2),
    ]
    assert found[0].as_json() == {
        "system": "good",
        "baseline": "raw",
        "metric": "mrr",
        "value": 0.5,
        "low": 0.0,
        "high": 1.0,
    }
    assert Experiment.over({("raw", "mrr"): {"a": 1.0}}, "raw").differences == ()


def test_the_paired_t_test_is_scipys() -> None:
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(7)
    for size in (2, 5, 60):
        before = rng.random(size)
        after = before + rng.normal(0.05, 0.1, size)
        assert paired_t_test(after.tolist(), before.tolist()) == pytest.approx(ttest_rel(after, before).pvalue)


def test_what_the_t_test_cannot_say_is_none() -> None:
    assert paired_t_test([1.0], [0.0]) is None
    assert paired_t_test([1.0, 2.0], [0.0, 1.0]) is None  # the same difference twice has no spread
    assert paired_t_test([1.0, 2.0], [1.0, 2.0]) == 1.0
