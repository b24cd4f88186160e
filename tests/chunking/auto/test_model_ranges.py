from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autokb.chunking.auto.merge_requests import split_windows
from autokb.chunking.auto.model_ranges import AnsweredWindow, join_windows, repair_ranges, units_of_ranges
from autokb.chunking.structure.blocks import numbered_blocks

LIST = "To reset:\n\n1. Open.\n2. Hold.\n\nNote this.\n\n3. Close.\n\nDone.\n\n## Care\n\nDry it."


@pytest.mark.parametrize(
    ("given_ranges", "right", "counts"),
    [
        ([(1, 3), (5, 9)], ((1, 3), (5, 9)), {}),
        ([(5, 9), (1, 3)], ((1, 3), (5, 9)), {}),
        ([(3, 1)], ((1, 3),), {"reversed": 1}),
        ([(-4, 2), (8, 99)], ((1, 2), (8, 10)), {"out_of_range": 2}),
        ([(40, 50), (2, 2)], ((2, 2),), {"out_of_range": 1}),
        ([(1, 5), (4, 8)], ((1, 5), (6, 8)), {"overlapping": 1}),
        ([(1, 8), (3, 4)], ((1, 8),), {"overlapping": 1}),
        ([(1, 8), (1, 3)], ((1, 3), (4, 8)), {"overlapping": 1}),
        ([(2, 4), (2, 4)], ((2, 4),), {"overlapping": 1}),
        ([(12, 9), (10, 7)], ((7, 10),), {"reversed": 2, "out_of_range": 1, "overlapping": 1}),
        ([], (), {}),
    ],
)
def test_faulty_ranges_are_mended_and_counted(given_ranges, right, counts) -> None:
    assert repair_ranges(given_ranges, 1, 10) == (right, counts)


@pytest.mark.parametrize(
    ("first", "second", "right"),
    [
        # Both see the same units in the overlap 9 to 12.
        (((1, 8), (9, 10), (11, 12)), ((9, 10), (11, 15)), ((1, 8), (9, 10), (11, 15))),
        # The first one's last unit goes on behind its end: the second window, which sees it whole, counts.
        (((1, 8), (9, 12)), ((9, 14), (15, 20)), ((1, 8), (9, 14), (15, 20))),
        # The second one begins inside a unit that the first one saw whole.
        (((1, 4), (5, 11)), ((9, 11), (12, 20)), ((1, 4), (5, 11), (12, 20))),
        # A unit that is longer than the overlap: no window has seen it whole.
        (((1, 5), (6, 12)), ((9, 18), (19, 20)), ((1, 5), (6, 18), (19, 20))),
        # Noise for the one, in a unit of the other: it is kept where the units cannot be told apart.
        (((1, 10),), ((9, 20),), ((1, 20),)),
        (((1, 12),), ((13, 20),), ((1, 12), (13, 20))),
        ((), ((14, 20),), ((14, 20),)),
    ],
)
def test_windows_are_joined_without_doubling_or_tearing(first, second, right) -> None:
    assert join_windows([AnsweredWindow(1, 12, first), AnsweredWindow(9, 20, second)]) == right


def test_windows_that_do_not_overlap_stand_side_by_side() -> None:
    assert join_windows([AnsweredWindow(1, 3, ((1, 3),)), AnsweredWindow(4, 6, ((4, 5),))]) == ((1, 3), (4, 5))


CUTS = st.lists(st.integers(2, 400), max_size=40)


@given(CUTS, st.integers(100, 400))
def test_windows_that_see_the_same_units_give_exactly_these(cuts: list[int], many: int) -> None:
    bounds = sorted({1, many + 1, *(c for c in cuts if c <= many)})
    units = [(a, b - 1) for a, b in pairwise(bounds)]
    seen = []
    for first, last in split_windows([300] * many):
        inside = tuple((max(a, first), min(b, last)) for a, b in units if a <= last and b >= first)
        seen.append(AnsweredWindow(first, last, inside))
    assert join_windows(seen) == tuple(units)


def test_windows_hold_so_many_paragraphs_and_share_ten() -> None:
    assert list(split_windows([10] * 250)) == [(1, 120), (111, 230), (221, 250)]


def test_windows_hold_so_many_characters_and_share_less_of_long_paragraphs() -> None:
    assert list(split_windows([2_000] * 30)) == [(1, 12), (10, 21), (19, 30)]
    assert list(split_windows([30_000] * 3)) == [(1, 1), (2, 2), (3, 3)]
    assert list(split_windows([])) == []


def test_units_that_share_a_list_become_one_with_what_stands_between() -> None:
    blocks = numbered_blocks(LIST)
    units, moved = units_of_ranges(blocks, [True] * 8, [(1, 2), (3, 3), (4, 4), (5, 6), (7, 8)])
    assert units == ((0, 1, 2, 3, 4, 5), (6, 7))
    assert moved == 3


def test_a_step_that_no_range_holds_is_in_the_unit_of_its_list() -> None:
    blocks = numbered_blocks(LIST)
    kept = [True, True, True, False, True, True, True, True]
    units, _ = units_of_ranges(blocks, kept, [(1, 2), (5, 8)])
    assert units == ((0, 1, 2, 4, 5, 6, 7),)


def test_a_heading_at_the_end_of_a_unit_goes_to_the_next_one() -> None:
    blocks = numbered_blocks(LIST)
    units, moved = units_of_ranges(blocks, [True] * 8, [(1, 7), (8, 8)])
    assert units == ((0, 1, 2, 3, 4, 5), (6, 7))
    assert moved == 1
