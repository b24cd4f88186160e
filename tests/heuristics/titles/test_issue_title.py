"""The one line that says what a raw issue is about."""

from __future__ import annotations

import pytest

from autokb.heuristics.titles.issue_title import LONGEST_TITLE, issue_title

FIRST = "My folders vanish every single day since the update."


@pytest.mark.parametrize(
    ("title", "text", "line"),
    [
        ("Folders vanish daily", "Hello, ...", "Folders vanish daily"),
        ("Help", "Hi all, my folders vanish every day. Thanks, Jo", "My folders vanish every day."),
        (
            "",
            "Good morning! The lid is open. It does not close any more. Regards",
            "The lid is open. It does not close any more.",
        ),
        ("Mailbird", "Hello! Installed it today. Cannot read old folders.", "Cannot read old folders."),
        ("[SOLVED] Folders vanish daily", "x", "Folders vanish daily"),
        ("Hi", "hello", "Hi"),
        ("HELP!!! FOLDERS VANISH", "All of them.", "Folders vanish"),
        ("MY IMAP FOLDERS VANISH", "The IMAP folders are gone since the update.", "My IMAP folders vanish"),
        ("Urgent: folders vanish daily \U0001f62d\U0001f62d", "", "folders vanish daily"),
        ("Today - 26/01/2026 - folders vanish", "", "folders vanish"),
        ("", "My folders vanish every single day since the update. This is new. Any ideas?", FIRST),
        ("", "This is new. Sorry for the question. Folders vanish daily?", "Folders vanish daily?"),
        ("", "", ""),
    ],
)
def test_it_is_the_title_or_the_first_sentences_that_say_something(title: str, text: str, line: str) -> None:
    assert issue_title(title, text) == line


def test_the_product_alone_is_no_issue_title() -> None:
    assert (
        issue_title("Mailbird trouble importing", "Import stops half way through.", "mailbird")
        == "Import stops half way through."
    )


def test_a_long_title_is_cut_between_words() -> None:
    line = issue_title("", "word " * 400)
    assert len(line) <= LONGEST_TITLE + 1
    assert line.endswith("word…")


@pytest.mark.parametrize("text", ["-" * 50_000, "on " * 20_000, "(" * 50_000, "a.b" * 20_000, "Hi! " * 20_000])
def test_hostile_texts_have_a_short_title(text: str) -> None:
    assert len(issue_title("", text)) <= LONGEST_TITLE + 1
