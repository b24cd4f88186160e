"""A solution's text, its heading and its steps."""

from __future__ import annotations

import pytest

from autokb.core.solution_text import heading_of, is_source_of, listed_title, written_steps


def test_the_heading_is_the_first_line_unless_that_is_the_first_step() -> None:
    steps = ("Press the lid.", "Turn the dial.")
    for text, heading, listed in (
        ("It leaks\n1. Press the lid.\n2. Turn the dial.", "It leaks", "It leaks"),
        ("## It leaks\n\n1. Press the lid.\n2. Turn the dial.", "It leaks", "It leaks"),
        ("1. First use\n1. Press the lid.\n2. Turn the dial.", "1. First use", "1. First use"),
        ("1. Press the lid.\n2. Turn the dial.", "", "Press the lid."),
        ("- Press the lid.\n- Turn the dial.", "", "Press the lid."),
        ("Press the lid.\nTurn the dial.", "", "Press the lid."),
        ("Press the lid.", "", "Press the lid."),
    ):
        assert (heading_of(text, steps), listed_title(text, steps)) == (heading, listed), text
    assert (heading_of("It leaks", ()), listed_title("", ())) == ("", "")


def test_steps_stand_as_in_the_text_of_a_person() -> None:
    text = "It leaks\n1. Press the lid.\nIt clicks.\n2) Turn the dial.\n- Wait."
    steps = ("Press the lid.\nIt clicks.", "Turn the dial.", "Wait.", "Go on.")
    assert written_steps(text, steps) == ["1. Press the lid.\nIt clicks.", "2) Turn the dial.", "- Wait.", "Go on."]


@pytest.mark.parametrize(
    ("quote", "step", "is_source"),
    [
        ("1. Press the **round** button.", "Press the round button.", True),
        ("1. Press the round button for ten seconds.", "Press the round button.", True),
        ("| /proc | Process folder |", "Folder: /proc; What it translates to in words: Process folder", True),
        ("1. Hold the round button.", "Switch Bluetooth on and stand within one metre.", False),
    ],
)
def test_a_quote_is_the_source_of_a_step_that_it_tells(quote: str, step: str, is_source: bool) -> None:
    assert is_source_of(quote, step) is is_source
