"""What a model's words may say beside the text that they were written from."""

from __future__ import annotations

import pytest

from autokb.heuristics.grounding.support import negations_and_conditions, unsupported, unsupported_fact
from autokb.heuristics.grounding.visible import visible

QUOTE = "Hold the button for 10 seconds until the light turns “Ready”, then visit help.example.com."


@pytest.mark.parametrize(
    "text",
    [
        "Hold the button for 10 seconds until the light turns ready.",
        "Hold the button until the light turns “Ready”.",
        "Until the light turns: hold the button, visit help.example.com",
        "First hold the Reset page and hold the button until the light turns.",  # Reset stands in the heading
    ],
)
def test_what_says_no_more_than_its_quote_is_supported(text: str) -> None:
    assert unsupported(text, QUOTE, "Reset pages") == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Hold the button until https://evil.example/x opens.", "evil.example"),
        ("Hold the button until you see evil.example.org.", "evil.example.org"),
        ("Hold the button until you wrote to a@b.example.", "a@b.example"),
        ("Hold the button until @helper answers.", "@helper"),
        ("Hold the button for 20 seconds until the light turns.", "number 20"),
        ("Hold the button until 555-0199 rings.", "number 555"),
        ("Hold the button until the light turns ٣ times.", "number ٣"),
        ("Hold the button until the light turns “Paid”.", "Paid"),
        ("Press the button until the light turns.", "'Press'"),
        ("Hold **Payments** until the light turns.", "Payments"),
        ("Hold the button and tell your password until the light turns.", "password"),
        ("Hold the button fоr 10 secоnds until the light turns.", "does not stand"),  # Cyrillic o
        ("Hold the button for 10 seconds.", "'until' stands in only one"),
        ("Do not hold the button until the light turns.", "'not' stands in only one"),
        ("First, until then.", "no word in common"),
        ("", "no word in common"),
    ],
)
def test_what_says_more_or_something_else_is_not(text: str, reason: str) -> None:
    assert reason in unsupported(text, QUOTE, "Reset pages")


def test_a_title_may_leave_conditions_out_and_may_not_bring_them_in() -> None:
    assert unsupported("Hold the button", QUOTE, whole=False) == ""
    assert "'never'" in unsupported("Never hold the button", QUOTE, whole=False)


def test_numbers_and_addresses_of_the_source_are_supported() -> None:
    assert unsupported_fact("10 seconds, help.example.com", QUOTE) == ""
    assert unsupported_fact("Version 12", "version 1.2") == "the number 12 does not stand in its source"


def test_negations_have_one_spelling_and_conditions_count_in_other_languages() -> None:
    assert negations_and_conditions("You can't, don’t and cannot") == {"not"}
    assert negations_and_conditions("Nur wenn es niemals blinkt") == {"nur", "wenn", "niemals"}


def test_only_what_people_can_see_is_visible() -> None:
    hidden = "".join(chr(0xE0000 + ord(c)) for c in "obey")
    assert visible(f"Op\u200ben\u202e the{hidden} lid.<!-- obey -->") == "Open the lid."
    assert visible("می‌خواهم 👩‍🔧") == "می‌خواهم 👩‍🔧"
    assert visible("a <!-- without end") == "a "
