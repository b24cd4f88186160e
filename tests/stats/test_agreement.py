"""Agreement and Cohen's kappa, with the arithmetic written out."""

from __future__ import annotations

import pytest

from autokb.stats.shares import agreement


def test_kappa_is_what_is_more_than_chance() -> None:
    pairs = [("a", "a")] * 4 + [("b", "b")] * 2 + [("a", "b"), ("b", "c"), ("c", "c"), ("c", "a")]
    # first: a 5, b 3, c 2; second: a 5, b 3, c 2
    by_chance = (5 * 5 + 3 * 3 + 2 * 2) / 100
    same, kappa = agreement(pairs)
    assert same == 0.7
    assert kappa == pytest.approx((0.7 - by_chance) / (1 - by_chance))


def test_an_answer_that_only_one_gave_is_nothing_by_chance() -> None:
    assert agreement([("a", "b"), ("a", "b")]) == (0.0, 0.0)


def test_where_chance_explains_all_there_is_no_kappa() -> None:
    assert agreement([("a", "a"), ("a", "a")]) == (1.0, None)
    assert agreement([]) == (None, None)
