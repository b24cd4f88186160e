from __future__ import annotations

import pytest

from autokb.heuristics.conversations.small_talk import (
    fulfils,
    small_talk,
    small_talk_reply,
    wish_of,
    without_small_talk,
)


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


@pytest.mark.parametrize(
    ("message", "kind", "language"),
    [
        ("ok will try that tonight and let you know", "trying", "en"),
        ("Perfect, you're the best!", "thanks", "en"),
        ("Thank you doctor, she is feeling better now", "thanks", "en"),
        ("bye, have a great weekend", "goodbye", "en"),
        ("Alles klar, ich probiere das morgen aus", "trying", "de"),
        ("Ihre Kopfhörer sind super, vielen Dank!", "thanks", "de"),
        ("ok will try, but how do I open the lid", None, "en"),
        ("the sound is great on the left only", None, "en"),
        ("I feel better now but my ear hurts", None, "en"),
        ("and team?", None, "en"),
    ],
)
def test_who_will_try_praises_or_is_better_has_no_problem(message: str, kind: str | None, language: str) -> None:
    assert small_talk(message, language) == kind


@pytest.mark.parametrize(
    ("message", "wish", "language"),
    [
        ("Didn't help. I want my money back.", "refund", "en"),
        ("can I talk to a real person please", "person", "en"),
        ("which printer do you recommend", "choice", "en"),
        ("How much does the big one cost?", "price", "en"),
        ("my parcel has not arrived", "delivery", "en"),
        ("you are useless", "anger", "en"),
        ("Ich will mein Geld zurück", "refund", "de"),
        ("Welchen Drucker würden Sie empfehlen?", "choice", "de"),
        ("Wo bleibt mein Paket?", "delivery", "de"),
        ("What do you recommend for a cough?", None, "en"),
        ("how much does it hurt", None, "en"),
        ("the app crashes when I enter a price", None, "en"),
        ("The left earbud has gone silent since the update. I want my money back.", None, "en"),
    ],
)
def test_a_wish_is_none_beside_a_problem(message: str, wish: str | None, language: str) -> None:
    assert wish_of(message, language) == wish


def test_a_wish_is_fulfilled_by_what_is_about_its_matter() -> None:
    assert fulfils("Open Billing and press Refund.", "refund")
    assert not fulfils("Press the lid.", "refund") and not fulfils("Anything at all.", "anger")


@pytest.mark.parametrize(
    ("message", "language", "kind"),
    [
        ("works again!! there was a crumb in there. thanks a lot", "en", "thanks"),
        ("Thanks, that fixed it. The cable was loose.", "en", "thanks"),
        ("thank you, thats kind, i'll try it and see", "en", "trying"),
        ("geht wieder, danke! da war ein krümel drin", "de", "thanks"),
        ("it works again but the left one is quiet, thanks", "en", None),
        ("It works now, thank you. How do I change the name?", "en", None),
        ("thanks for the quick answer. the right bud is dead", "en", None),
        ("that is kind of annoying, i'll try again", "en", None),
        ("danke, rechts ist er tot", "de", None),
    ],
)
def test_who_says_what_it_was_and_gives_thanks_needs_no_more(message: str, language: str, kind: str | None) -> None:
    assert small_talk(message, language) == kind
