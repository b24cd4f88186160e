"""Steps bear the numbers and bullets of the manual's own lists, and are counted where a list is not whole."""

from __future__ import annotations

import pytest

from autokb.core.solution_text import shown_text
from autokb.core.step_numbers import BULLET, step_numbers


@pytest.mark.parametrize(
    ("quotes", "numbers"),
    [
        (["Before you begin, charge it.", "1. Open the lid.", "2. Close it."], (None, 1, 2)),
        (["1. Open the lid.", "The lamp blinks.", "2) Close it.", "It is done."], (1, None, 2, None)),
        (["Open the lid.", "Close it."], (None, None)),
        (["- Open the lid.", "* Close it.", "**Note:** it is hot."], (BULLET, BULLET, None)),
        (["1. Open the lid.", "2. Close it.", "- It blinks."], (1, 2, BULLET)),
        (["1. Open the lid.", "3. Close it."], (1, 2)),  # one was left out: a gap would look like a slip
        (["Before you begin.", "2. Close it.", "3. Wait."], (1, 2, 3)),
        (["1. Open the lid.", "2. Close it.", "1. Another list."], (1, 2, 1)),
        (["1. Open the lid.", "2. Close it.", "1. Another list.", "3. With a gap."], (1, 2, 3, 4)),
        (["1. Open the lid."], (1,)),
        ([], ()),
    ],
)
def test_the_numbers_are_the_manuals_where_its_list_is_whole(
    quotes: list[str], numbers: tuple[int | None, ...]
) -> None:
    assert step_numbers(["a step"] * len(quotes), quotes) == numbers


def test_steps_without_a_quote_each_are_counted() -> None:
    assert step_numbers(["one", "two"], ["1. One."]) == (1, 2) and step_numbers(["one"], []) == (1,)


def test_a_text_is_shown_with_these_numbers_and_one_in_other_words_as_it_is() -> None:
    steps, quotes = ["Before it.", "First.", "Second."], ["Before it.", "1. First.", "2. Second."]
    counted = "1. Before it.\n2. First.\n3. Second."
    assert shown_text(f"Title\n{counted}", steps, quotes) == "Title\nBefore it.\n1. First.\n2. Second."
    assert shown_text(counted, steps, quotes) == "Before it.\n1. First.\n2. Second."
    assert shown_text(counted, steps, []) == counted
    for text in ("Do the first, then the second.", ""):
        assert shown_text(text, steps, quotes) == text
    listed = "Title\n1. One of these:\n2. This.\n3. That."
    marks = ["One of these:", "- This.", "- That."]
    assert shown_text(listed, ["One of these:", "This.", "That."], marks) == "Title\nOne of these:\n- This.\n- That."
    assert shown_text("Only this.", [], []) == "Only this."
