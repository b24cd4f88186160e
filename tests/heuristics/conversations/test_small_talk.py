from __future__ import annotations

import pytest

from autokb.heuristics.conversations.small_talk import small_talk, small_talk_reply, without_small_talk


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Hi", "greeting"),
        ("good morning!", "greeting"),
        ("Thanks a lot!!", "thanks"),
        ("ok great, thank you so much", "thanks"),
        ("ok it works now", "thanks"),
        ("Thank you, bye", "goodbye"),
        ("You too, have a nice day :)", "goodbye"),
        ("ok", "acknowledgement"),
        ("👍", "acknowledgement"),
        ("my left bud is silent", None),
        ("Hello, the lid does not close", None),
        ("thanks, but it still crackles", None),
        ("", None),
    ],
)
def test_what_says_nothing_of_a_problem_is_small_talk(message: str, kind: str | None) -> None:
    assert small_talk(message) == kind


def test_german_small_talk_has_german_replies() -> None:
    assert small_talk("Vielen Dank, tschüss!", "de") == "goodbye"
    assert small_talk("Der linke Hörer ist stumm", "de") is None
    assert small_talk_reply("thanks", "de").startswith("Gern geschehen")


def test_a_long_message_is_none_and_takes_no_time() -> None:
    assert small_talk("ok " * 100_000) is None


def test_a_greeting_in_front_is_left_out_and_a_message_of_nothing_else_stays() -> None:
    assert without_small_talk("Hello! Thanks for your help. The lid sticks") == "The lid sticks"
    assert without_small_talk("Thank you!") == "Thank you!"
    assert without_small_talk("hit the button twice") == "hit the button twice"
