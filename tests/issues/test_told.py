"""What is read of raw issues, and what is said of the rest."""

from __future__ import annotations

from autokb.core.nouns import Document, RawIssue
from autokb.issues.told import told_issues

MANUAL = Document("pair.md", "Pair", "# Pair the Hopper\n\nHold the robot close.")
END = "Our shop is open from nine to five, come and see our new garden tools."


def told(*texts: str) -> tuple[list[str], str]:
    found, note = told_issues([RawIssue(str(n), text) for n, text in enumerate(texts)], [MANUAL], "en")
    return [one.as_told().text for one in found], note


def test_an_ending_that_many_mails_share_is_not_read() -> None:
    texts, note = told(*(f"{part} is broken.\n\n{END}" for part in ("Blade", "Dock", "Wheel")), f"Cable.\n\n{END} Or?")
    assert texts == ["Blade is broken.", "Dock is broken.", "Wheel is broken.", f"Cable.\n\n{END} Or?"]
    assert note == (
        "Of 4 issues these were not read: closing paragraphs that many mails share of 3. What is stored stays whole."
    )


def test_what_two_say_or_what_is_said_of_the_same_stays() -> None:
    two = [f"{part} is broken.\n\n{END}" for part in ("Blade", "Dock")]
    assert told(*two) == (two, "")
    alike = [f"Blade is broken.\n\n{END}"] * 5  # one mail that came five times
    assert told(*alike) == (alike, "")
    assert told(*[END] * 5) == ([END] * 5, "")


def test_private_data_are_words_and_the_stored_text_is_whole() -> None:
    mail = "Hi Anna, the Hopper stops. Write to kim@example.org, order 4711-22, or <email-1>."
    (one,), note = told_issues([RawIssue("a", mail, title="Mails from kim@example.org vanish")], [MANUAL], "en")
    assert one.text == mail and note == ""
    assert one.as_told().text == "Hi [name], the Hopper stops. Write to [address], order [number], or [address]."
    assert one.as_told().title == "Mails from [address] vanish"
    assert told("Hi Hopper, you stop in the rain")[0] == ["Hi Hopper, you stop in the rain"]  # a word of the manual
