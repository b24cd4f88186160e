"""Shares with the intervals of the articles that they are from, their arithmetic written out."""

from __future__ import annotations

import math

import pytest

from autokb.stats.bootstrap import NOT_MEASURED
from autokb.stats.shares import Share, Z, clustered_share, share, share_difference


def test_wilson_of_half_and_of_all() -> None:
    half = share(10, 20)
    width = Z / (1 + Z * Z / 20) * math.sqrt(0.25 / 20 + Z * Z / 1600)
    assert (half.n, half.value) == (20, 0.5)
    assert (half.low, half.high) == (pytest.approx(0.5 - width), pytest.approx(0.5 + width))
    every = share(3, 3)
    assert (every.value, every.high) == (1.0, 1.0) and every.low == pytest.approx(3 / (3 + Z * Z))  # 0.438
    assert share(0, 3).low == 0.0 and share(0, 3).high == pytest.approx(1 - 3 / (3 + Z * Z))
    assert share(0, 0) == Share(0)


def test_newcombes_own_examples() -> None:
    # Newcombe 1998, table II, method 10
    found = share_difference(share(56, 70), share(48, 80))
    assert (found.value, found.low, found.high) == tuple(pytest.approx(v, abs=5e-5) for v in (0.2, 0.0524, 0.3339))
    found = share_difference(share(9, 10), share(3, 10))
    assert (found.low, found.high) == (pytest.approx(0.1705, abs=5e-5), pytest.approx(0.8090, abs=5e-5))
    found = share_difference(share(10, 10), share(0, 20))
    assert (found.low, found.high) == (pytest.approx(0.6791, abs=5e-5), pytest.approx(1.0))
    assert share_difference(share(1, 2), share(0, 0)) == NOT_MEASURED == share_difference(share(0, 0), share(1, 2))


def test_clusters_of_one_are_independent_trials() -> None:
    assert clustered_share([(1, 1), (0, 1), (1, 1), (0, 0)]) == share(2, 3)
    assert clustered_share([]) == clustered_share([(0, 0)]) == Share(0)


def test_clusters_that_agree_count_as_fewer_trials() -> None:
    # Two of four clusters with three trials each say yes to all: as sure as four trials, not twelve.
    found = clustered_share([(3, 3), (3, 3), (0, 3), (0, 3)])
    # spread: 4 x 1.5^2 x 4/3 / 144 = 1/12; independent: 0.25 / 12 = 1/48; design effect 4, so 12 / 4 = 3 trials
    three = Z / (1 + Z * Z / 3) * math.sqrt(0.25 / 3 + Z * Z / 36)
    assert (found.n, found.value) == (12, 0.5)
    assert (found.low, found.high) == (pytest.approx(0.5 - three), pytest.approx(0.5 + three))


def test_clusters_that_differ_inside_are_no_surer_than_independent_trials() -> None:
    assert clustered_share([(1, 2), (1, 2), (1, 2)]) == share(3, 6)


def test_one_cluster_says_as_much_as_one_trial() -> None:
    found = clustered_share([(2, 3)])
    assert found.n == 3 and found.low is not None and found.low < 0.15 and found.high == pytest.approx(0.98, abs=0.02)
