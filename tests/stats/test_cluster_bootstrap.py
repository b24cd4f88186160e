"""Shares over chunks with intervals that know of documents."""

from __future__ import annotations

from autokb.stats.bootstrap import NOT_MEASURED, ratio_interval


def test_the_value_is_the_sum_of_parts_over_the_sum_of_wholes() -> None:
    found = ratio_interval([[(1, 2), (0, 1)], [(3, 3)]])
    assert found.value == 4 / 6
    assert found.low <= found.value <= found.high


def test_nothing_has_no_share() -> None:
    assert ratio_interval([]) == NOT_MEASURED
    assert ratio_interval([[], []]) == NOT_MEASURED
    assert ratio_interval([[(0, 0)]]) == NOT_MEASURED


def test_what_is_the_same_everywhere_is_sure() -> None:
    found = ratio_interval([[(1, 1)] * 5, [(1, 1)] * 3])
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)


def test_chunks_that_differ_by_document_are_less_sure_than_mixed_ones() -> None:
    apart = ratio_interval([[(1, 1)] * 20, [(0, 1)] * 20, [(1, 1)] * 20, [(0, 1)] * 20])
    mixed = ratio_interval([[(1, 1), (0, 1)] * 10] * 4)
    assert apart.value == mixed.value == 0.5
    # Whole documents are drawn: among four a resample has none of one kind in 1 of 16, so the interval ends at 0 and 1.
    assert (apart.low, apart.high) == (0.0, 1.0)
    assert 0.3 < mixed.low < 0.5 < mixed.high < 0.7


def test_it_is_the_same_every_time() -> None:
    parts = [[(n % 2, 1.0) for n in range(7)], [(n % 3, 2.0) for n in range(5)]]
    assert ratio_interval(parts) == ratio_interval(parts)
