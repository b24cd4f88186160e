"""Steps bear the numbers and bullets of the manual's own lists."""

from __future__ import annotations

import pytest

from autokb.core.decisions import steps_of
from autokb.core.solution_text import counted_text, shown_text, solution_text
from autokb.core.step_numbers import BULLET, find_loss, shown_name, step_numbers, with_shown_names


@pytest.mark.parametrize(
    ("quotes", "numbers"),
    [
        (["Before you begin, charge it.", "1. Open the lid.", "2. Close it."], (None, 1, 2)),
        (["1. Open the lid.", "The lamp blinks.", "2) Close it.", "It is done."], (1, None, 2, None)),
        (["Open the lid.", "Close it."], (None, None)),
        (["- Open the lid.", "* Close it.", "**Note:** it is hot."], (BULLET, BULLET, None)),
        (["1. Open the lid.", "2. Close it.", "- It blinks."], (1, 2, BULLET)),
        (["1. Open the lid.", "3. Close it."], (1, 3)),  # one was left out, and others name these by their numbers
        (["Before you begin.", "3. Close it.", "4) Wait."], (None, 3, 4)),  # a list that begins at 3
        (["0. Unplug it.", "1. Close it."], (0, 1)),
        (["To open it:\n\n1. Open the lid.", "2. Close it."], (1, 2)),  # read in one line with its lead
        (["### Lid\n\n1. Open it.\n2. Close it.", "1. Wait."], (None, 1)),
        (["1. Open the lid.", "1. Close it.", "1. Wait.", "It is done."], (1, 2, 3, None)),  # as Markdown counts
        (["4. Open the lid.", "4. Open the lid."], (4, None)),  # two steps of one place
        (["1. Open the lid.", "2. Close it.", "1. Another list."], (1, 2, 1)),
        (["1. Open the lid.", "2. Close it.", "1. Another list.", "3. With a gap."], (1, 2, 1, 3)),
        (["1. Open the lid."], (1,)),
        (["1. Open it.\n2. Close it.", "1. Wait."], (None, 1)),  # a list that is one step keeps its own marks
        (["3. Choose:\n\n- this\n- that"], (3,)),
        ([], ()),
    ],
)
def test_the_numbers_are_the_manuals_where_its_list_is_whole(
    quotes: list[str], numbers: tuple[int | None, ...]
) -> None:
    assert step_numbers(["a step"] * len(quotes), quotes) == numbers


def test_steps_without_a_quote_each_are_counted_but_those_with_marks_of_their_own() -> None:
    assert step_numbers(["one", "two"], ["1. One."]) == (1, 2) and step_numbers(["one"], []) == (1,)
    assert step_numbers(["one", "- two", "3) three"], []) == (1, None, None)


def test_a_text_is_shown_with_the_marks_of_the_manual_and_one_in_other_words_as_it_is() -> None:
    steps, quotes = ["Before it.", "First:\n- this\n  - that", "Second."], ["Before it.", "1. First:", "2. Second."]
    counted = "1. Before it.\n2. First:\n- this\n  - that\n3. Second."
    shown = "Before it.\n1. First:\n   - this\n     - that\n2. Second."
    for title in ("Title\n", ""):
        assert shown_text(title + counted, steps, quotes) == title + shown
        assert shown_text(title + shown, steps, quotes) == title + shown
        assert counted_text(title + shown, steps, quotes) == title + counted
    assert shown_text(counted, steps, []) == counted
    for text in ("Do the first, then the second.", ""):
        assert shown_text(text, steps, quotes) == counted_text(text, steps, quotes) == text
    marks = ["One of these:", "- This.", "- That."]
    assert solution_text("T", ["One of these:", "This.", "That."], marks) == "T\nOne of these:\n- This.\n- That."
    assert shown_text("Only this.", [], []) == "Only this."
    nested = ["1. Open the lid.", "### Lid\n\n1. Press it.\n2. Lift it.", "2. Close it."]
    words = ["Open the lid.", "Lid\n1. Press it.\n2. Lift it.", "Close it."]
    text = solution_text("", words, nested)
    assert text == "1. Open the lid.\nLid\n   1. Press it.\n   2. Lift it.\n2. Close it."
    assert steps_of(f"T\n{text}", "T", ["Lid\n1. Press it."]) == tuple(words)


def test_a_message_calls_a_step_as_it_is_marked() -> None:
    assert shown_name(4, "Press it.") == "step 4" and shown_name(0, "Press it.") == "step 0"
    assert shown_name(None, "Press it and wait for the light.") == "“Press it and wait for the …”"
    assert shown_name(BULLET, "Press\nit.") == "“Press it.”"


@pytest.mark.parametrize(
    ("numbers", "kept", "others", "some", "loss"),
    [
        ((None, 1, 2, 3), (0, 2, 3), (), (), "first"),  # the words before a list are not its beginning
        ((None, 1, 2, 3), (1, 2, 3), (), (), ""),
        ((3, 4, 5), (1, 2), (), (), "first"),  # a list that begins at 3
        ((None, None, None), (1, 2), (), (), "first"),
        ((BULLET, BULLET, BULLET), (1, 2), (), (), ""),  # bullets need none before them
        ((BULLET, None), (0,), (), (), ""),
        ((1, 2, 3, 4, 5), (0, 1), (), (), "Most"),
        ((1, 2, 3, 4), (0, 1), (), (), ""),
        ((1, 2, 3), (1, 2), (0,), (), "first"),  # for others, and nothing for these in its place
        ((1, 2, 3), (1, 2), (0,), (1,), ""),
        ((1, 2, 3), (1, 2), (), (1,), "first"),  # not for others: a doubt
        ((1, 2, 1, 2), (2, 3), (0, 1), (), ""),  # a list of its own
        ((BULLET,) * 5, (4,), (0, 1, 2, 3), (4,), ""),
        ((), (), (), (), ""),
    ],
)
def test_what_loses_its_beginning_or_most_of_it_is_a_loss(
    numbers: tuple[int | None, ...], kept: tuple[int, ...], others: tuple[int, ...], some: tuple[int, ...], loss: str
) -> None:
    found = find_loss(numbers, kept, others, some)
    assert loss in found and bool(found) == bool(loss)


def test_messages_name_steps_as_they_are_shown() -> None:
    steps, quotes = ["Before it.", "Open it.", "Close it."], ["Before it.", "3. Open it.", "4. Close it."]
    said = "Step 2 says “see step 3”; step 1 and step 9 are fine."
    assert with_shown_names(said, steps, quotes) == "Step 3 says “see step 3”; “Before it.” and step 9 are fine."
