"""Whether a question asks for a fact, or for yes or no."""

from __future__ import annotations

import pytest

from autokb.heuristics.question_form import asks_fact


@pytest.mark.parametrize(
    "text",
    [
        "Can I rinse the caps under the tap?",
        "How long does the battery last",
        "There is a lamp. What does it mean?",
        "My knee hurts. Should I rest it or walk?",
        "if my water is hard, how often should I descale it",
    ],
)
def test_questions_for_a_fact(text: str) -> None:
    assert asks_fact(text)


@pytest.mark.parametrize(
    "text",
    [
        "How do I pair them?",
        "why is it so slow",
        "no sound from the left one",
        "",
        "It drops out. How can I stop that?",
    ],
)
def test_questions_for_a_way_and_reports(text: str) -> None:
    assert not asks_fact(text)


@pytest.mark.parametrize(
    ("text", "fact"),
    [("Wie lange hält der Akku?", True), ("Darf ich ihn waschen?", True), ("Wie kopple ich sie?", False)],
)
def test_in_german(text: str, fact: bool) -> None:
    assert asks_fact(text, "de") is fact
