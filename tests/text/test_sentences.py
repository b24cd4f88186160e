"""Sentences are spans that abbreviations do not end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autokb.text.sentences import sentences


def parts(text: str, language: str = "en") -> list[str]:
    return [text[start:end] for start, end in sentences(text, language=language)]


def test_sentences_of_markdown_end_with_their_marks_and_with_their_blocks() -> None:
    text = "Do this, e.g. that. Then wait! 3. no\n- item one\n- item? Yes.{/for} 日本語。次。\n\nNew para"
    assert parts(text) == [
        "Do this, e.g. that.",
        "Then wait!",
        "3. no",
        "- item one",
        "- item?",
        "Yes.{/for}",
        "日本語。",
        "次。",
        "New para",
    ]


def test_a_language_has_its_own_abbreviations() -> None:
    text = "Laden Sie ca. 2 Std., z.B. über Nacht. Danach bzw. Am Morgen prüfen."
    assert parts(text, "de") == ["Laden Sie ca. 2 Std., z.B. über Nacht.", "Danach bzw. Am Morgen prüfen."]
    assert len(parts(text, "en")) == 4


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("I am on Windows 11. It fails.", "I am on Windows 11."),
        ("## 2. Import the file. Now", "## 2. Import the file."),
        ("Do this: 1. Open the case. Then", "Do this: 1. Open the case."),
        ("Is it safe? No. Wait.", "Is it safe?"),
        ("No. Wait.", "No."),
        ("See no. 5 there. Then", "See no. 5 there."),
        ("Mails, folders etc. Then it stops.", "Mails, folders etc."),
        ("Google Inc. (Intel) made it. Then", "Google Inc. (Intel) made it."),
        ("Folders etc. **personal** ones. Then", "Folders etc. **personal** ones."),
        ("Use v. 115 now. Then", "Use v. 115 now."),
        ("Ubuntu 22 (or 24?) is on it. Then", "Ubuntu 22 (or 24?) is on it."),
    ],
)
def test_a_full_stop_after_a_number_or_abbreviation(text: str, first: str) -> None:
    assert parts(text)[0] == first


def test_a_message_ends_its_sentences_with_its_lines_and_begins_them_with_small_letters() -> None:
    text = "Hi all,\nmy mail is gone. i changed nothing, e.g. the password.\n\nplease help"
    spans = sentences(text, informal=True)
    assert [text[a:b] for a, b in spans] == [
        "Hi all,",
        "my mail is gone.",
        "i changed nothing, e.g. the password.",
        "please help",
    ]
    assert len(parts(text)) == 2


def test_ordinal_numbers_of_german_end_no_sentence() -> None:
    assert parts("Seit dem 3. Oktober geht es nicht. Warum?", "de") == ["Seit dem 3. Oktober geht es nicht.", "Warum?"]


def test_sentences_between_two_places_are_those_of_the_whole_text() -> None:
    text = "One. Two? Three."
    assert sentences(text, 5, 9) == ((5, 9),)
    assert sentences(text, 5) == ((5, 9), (10, 16))


@given(st.text(alphabet="ab .!?\n-*1#|`>。", max_size=80))
def test_sentences_lose_nothing_but_white_space(text: str) -> None:
    kept = {i for a, b in sentences(text) for i in range(a, b)}
    assert all(i in kept or text[i].isspace() for i in range(len(text)))
