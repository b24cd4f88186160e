"""What an excerpt of a raw issue says: its title and the sentences that tell most beside it."""

from __future__ import annotations

import pytest

from autokb.heuristics.titles.issue_excerpt import LONGEST_TEXT, issue_excerpt

STORY = (
    "Hello everybody. I bought the kettle at the market two weeks ago. My brother has the same one. "
    "The lid does not close any more after boiling. Greetings, Ann"
)


def test_the_sentence_that_names_what_is_wrong_comes_before_the_first_one() -> None:
    excerpt = issue_excerpt("Kettle and its lid", STORY)
    assert excerpt.startswith("Kettle and its lid. The lid does not close any more after boiling.")
    assert "Hello" not in excerpt and "Greetings" not in excerpt


def test_a_sentence_that_says_the_title_again_adds_nothing() -> None:
    assert issue_excerpt("The lid does not close", "The lid does not close!") == "The lid does not close"


def test_without_a_title_the_telling_sentences_stand_alone() -> None:
    excerpt = issue_excerpt("", STORY)
    assert "The lid does not close any more after boiling." in excerpt


@pytest.mark.parametrize("text", [STORY * 9, "word " * 500, "x" * 999, "Der Deckel schließt nicht mehr richtig. " * 20])
def test_it_is_never_longer_than_it_may_be_and_ends_at_a_word(text: str) -> None:
    title = "The lid, a long story of what happened"
    excerpt = issue_excerpt(title, text)
    assert len(excerpt) <= len(title) + LONGEST_TEXT
    cut = excerpt.removesuffix("…")
    assert excerpt == cut or " " not in text or text.find(cut.split(" ")[-1] + " ") >= 0


def test_a_title_is_whole_however_long_it_is() -> None:
    title = "The lid does not close after boiling water, " + "neither at home nor at work, " * 5 + "what can I do?"
    assert issue_excerpt(title, STORY).startswith(title)


def test_german_sentences_are_read_as_german() -> None:
    text = "Guten Tag. Ich habe ihn seit zwei Wochen. Der Deckel schließt nach dem Kochen nicht mehr. Viele Grüße, Anna"
    excerpt = issue_excerpt("Mein Wasserkocher", text, "Wasserkocher", "de")
    assert "Der Deckel schließt nach dem Kochen nicht mehr." in excerpt
    assert "Guten Tag" not in excerpt and "Grüße" not in excerpt


def test_nothing_written_gives_nothing() -> None:
    assert issue_excerpt("", "") == ""
