"""Whether a reply is borne out: the names that it has."""

from __future__ import annotations

import pytest

from autokb.heuristics.replies.facts import ungrounded

PASSAGE = "Open **Settings > Sound & vibration** and set the slider to 40. See https://lamp.example/sound for Ada Lamp."


@pytest.mark.parametrize(
    "reply",
    [
        "Please set the slider to 40.",
        "Open Settings > Sound & vibration, please.",
        "Happy to help, Ada! I'd set the slider to 40 in Settings.",
        "You can read it at https://lamp.example/sound.",
        "Choose “Sound & vibration”. Then wait.",
    ],
)
def test_what_the_passage_names_may_be_named(reply: str) -> None:
    assert ungrounded(reply, PASSAGE) == ""


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        ("Please set the slider to 45.", "number 45"),
        ("Open Settings > Display & vibration, please.", "menu 'Display'"),
        ("Open Options > Sound & vibration, please.", "menu 'Options'"),
        ("Open Settings > Advanced > Sound.", "menu 'Advanced'"),
        ("You can read it at https://lamp.example/other.", "https://lamp.example/other"),
        ("Choose “Quiet mode” there.", "'Quiet mode'"),
        ("Please open Bluetooth there.", "name 'Bluetooth'"),
    ],
)
def test_what_it_does_not_name_is_said(reply: str, named: str) -> None:
    assert named in ungrounded(reply, PASSAGE)


@pytest.mark.parametrize("spelled", ["Ada's", "Ada’s"])
def test_whose_something_is_names_who_it_is(spelled: str) -> None:
    assert ungrounded(f"Please see {spelled} lamp, and the lamp of Ada.", "The lamp of Ada") == ""
    assert ungrounded("Please see Ada's lamp.", f"That is {spelled} lamp.") == ""
    assert "name" in ungrounded(f"Please see {spelled} lamp.", "The lamp of Bob")


def test_nouns_of_a_language_that_writes_them_with_a_capital_are_no_names() -> None:
    reply = "Bitte stellen Sie den Regler in den Einstellungen auf 40 und warten Sie einen Augenblick darauf."
    assert ungrounded(reply, PASSAGE) == ""
    assert ungrounded(reply, "Stellen Sie den Regler auf 40.", "de") == ""
    assert "number 50" in ungrounded(reply.replace("40", "50"), PASSAGE)
