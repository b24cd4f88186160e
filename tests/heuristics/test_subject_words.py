"""The words that say what a text is about."""

from __future__ import annotations

from autokb.heuristics.subject_words import subject_stem, subject_words


def test_grammar_and_manners_are_no_subject() -> None:
    assert subject_words("Hi all, my IMAP folders aren’t there! Please help, the folders") == [
        "imap",
        "folders",
        "folders",
    ]


def test_a_stem_joins_the_forms_of_a_word() -> None:
    assert {subject_stem(word) for word in ("crash", "crashes", "crashed", "crashing")} == {"crash"}
    assert {subject_stem(word) for word in ("battery", "batteries")} == {"batter"}
    assert subject_stem("status") == "status"
