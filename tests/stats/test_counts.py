"""Exact probabilities of counts, beside those of scipy's distributions and by hand."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest, hypergeom

from autokb.stats.bootstrap import NOT_MEASURED
from autokb.stats.counts import chance_of_more, chance_of_share, dispersion, holm, rate_ratio


def test_the_ratio_of_two_rates_has_the_ends_of_clopper_and_pearson() -> None:
    found = rate_ratio(12, 20, 4, 20)
    ends = binomtest(12, 32).proportion_ci(0.95, "exact")
    assert found.value == pytest.approx(3.0)
    assert (found.low, found.high) == pytest.approx((ends.low / (1 - ends.low) * 5, ends.high / (1 - ends.high) * 5))


def test_without_events_on_one_side_the_ratio_is_open_there() -> None:
    new, gone = rate_ratio(5, 0, 1, 9), rate_ratio(0, 5, 1, 9)
    assert (new.value, new.high, gone.value, gone.low) == (None, None, 0.0, 0.0)
    assert new.low is not None and new.low > 1 and gone.high is not None and gone.high < 11
    assert rate_ratio(0, 0, 1, 9) == NOT_MEASURED and rate_ratio(1, 1, 0, 9) == NOT_MEASURED


def test_all_of_three_in_one_of_ten_weeks() -> None:
    assert chance_of_more(3, 0, 1, 9) == pytest.approx(0.001)
    assert chance_of_more(0, 7, 1, 9) == 1.0
    assert chance_of_more(1, 1, 1, 1) == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("after", "both", "all_after", "everything"),
    [(3, 5, 10, 100), (0, 5, 10, 100), (5, 5, 98, 100), (4, 40, 10, 50), (10, 10, 10, 10), (1, 1, 1, 3_000)],
)
def test_the_share_of_dealt_out_dates_is_hypergeometric(after: int, both: int, all_after: int, everything: int) -> None:
    expected = hypergeom.sf(after - 1, everything, both, all_after)
    assert chance_of_share(after, both, all_after, everything) == pytest.approx(expected)


def test_dispersion_is_that_of_pearson_and_never_below_1() -> None:
    assert dispersion([0, 10, 0, 10], [5.0] * 4) == pytest.approx(100 / 5 / 3)
    assert dispersion([3, 6, 9], [3.0, 6.0, 9.0]) == 1.0
    assert dispersion([1, 5, 7], [2.0, 0.0, 4.0]) == pytest.approx(1 / 2 + 9 / 4)  # nothing was expected of one
    assert dispersion([7], [1.0]) == 1.0 and dispersion([], []) == 1.0


def test_holm_multiplies_the_smallest_by_all_and_never_falls() -> None:
    assert holm([0.04, 0.001, 0.03, 0.9]) == pytest.approx([0.09, 0.004, 0.09, 0.9])
    assert holm([0.6, 0.7]) == [1.0, 1.0] and holm([]) == []
