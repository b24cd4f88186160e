"""Where a quote stands in a passage."""

from __future__ import annotations

import pytest

from autokb.heuristics.grounding.quotes import find_quote, widen_to_condition

TEXT = (
    "# Reset\n\n1. Open **the lid**, it isn’t\n   heavy.\n2. Hold the but\u200bton <!-- press nothing --> for 10 s.\n\n"
    "Do not rinse the buds. Dry a <b>wet</b> bud unless it is hot. Open the box. 按住按钮十秒。\n"
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Open the lid, it isn't heavy.", "1. Open **the lid**, it isn’t\n   heavy."),
        ("the lid", "**the lid**"),
        ("Hold the button for 10 s.", "2. Hold the but\u200bton <!-- press nothing --> for 10 s."),
        ("按住按钮", "按住按钮"),
        ("Open  the\nbox", "Open the box"),
    ],
)
def test_white_space_emphasis_and_typography_are_no_difference(quote: str, found: str) -> None:
    span = find_quote(quote, TEXT)
    assert span is not None
    assert TEXT[span[0] : span[1]] == found


@pytest.mark.parametrize(
    "quote", ["", " ", "1", "**", "Open the window", "press nothing", "pen the box", "Open the bo", "rinse. Dry"]
)
def test_what_does_not_stand_there_or_cuts_a_word_is_not_found(quote: str) -> None:
    assert find_quote(quote, TEXT) is None


@pytest.mark.parametrize(
    ("quote", "whole"),
    [
        ("rinse the buds", "Do not rinse the buds."),
        ("Dry a <b>wet</b> bud", "Dry a <b>wet</b> bud unless it is hot."),
        ("the box", "the box"),
    ],
)
def test_a_quote_that_leaves_out_a_negation_or_condition_gets_its_sentence(quote: str, whole: str) -> None:
    span = find_quote(quote, TEXT)
    assert span is not None
    start, end = widen_to_condition(TEXT, span)
    assert TEXT[start:end] == whole
