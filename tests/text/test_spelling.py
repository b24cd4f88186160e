"""Misspelt words of a customer are read as words of the documents; whatever might be right stays."""

from __future__ import annotations

import pytest

from autokb.text.stemming import stem
from autokb.text.word_forms import Spelling, count_words, rests

MANUAL = """The steam wand is blocked: clean it with hot water. Descale the grinder's machine soon. Put the filter
cartridge into the tank. A soft light. A clear light. Thunderbird says that things form."""
KNOWN = {"football", "team", "quit", "working", "sour"}
SPELLING = Spelling.of([MANUAL], known=KNOWN, extra_words=["Hard water", "eczema"])


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("the staem wnad", "the steam wand"),  # two neighbours have changed places
        ("my catridge", "my cartridge"),  # a letter too few
        ("a blockked light", "a blocked light"),  # a letter too many
        ("the filtar", "the filter"),  # another letter
        ("is it ecezma?", "is it eczema?"),  # a letter has gone elsewhere; the word is one of extra_words
        ("lcean it", "clean it"),  # the first letter is the second now
        ("Thunderbrid, Desclae!", "Thunderbird, Descale!"),
        ("gridner\n\tligth", "grinder\n\tlight"),
    ],
)
def test_a_word_one_slip_away_is_read_as_that_word(typed: str, read: str) -> None:
    assert SPELLING.correct(typed) == read


@pytest.mark.parametrize(
    "text",
    [
        "steams cleaning filters",  # the documents know the stem
        "football teams quitted sours",  # the language knows the word or its stem
        "zeppelin",  # nothing is near
        "sot wnd",  # too short: soft, wand
        "soot",  # another letter in a short word makes another word: soft has no o
        "thingsy lighty",  # so does a longer ending
        "blight tank olcean",  # and another beginning
        "filt3r ligHt STAEM f_ilter steam's",
        "wnad@example.com https://ligth.example/staem www.staem.example C:\\staem",
        "grnidre",  # two slips
        "蒸汽 staém",
    ],
)
def test_all_else_stays_as_it_is(text: str) -> None:
    assert SPELLING.correct(text) == text


def test_of_two_words_the_more_frequent_one_is_meant() -> None:
    assert Spelling.of(["form form from"], known=KNOWN).correct("frm") == "frm"
    assert Spelling.of(["planes plants plants"], known=KNOWN).correct("planss") == "plants"
    assert Spelling.of(["planes planes plants"], known=KNOWN).correct("planss") == "planes"


def test_without_the_words_of_the_language_nothing_is_corrected() -> None:
    assert Spelling.of([MANUAL], known=()).correct("the staem wnad") == "the staem wnad"


def test_a_word_of_endless_length_is_passed_over() -> None:
    word = "ab" * 40_000
    assert Spelling.of([word, MANUAL], known=KNOWN).correct(word[:-1] + " staem") == word[:-1] + " steam"


def test_with_the_words_that_matter_for_a_text_it_reads_as_with_all() -> None:
    few = Spelling.of([], known=KNOWN, extra_words=["Hard water", "eczema"])
    counts = count_words(MANUAL)
    for typed in ("the staem wnad", "a blockked light", "is it ecezma?", "steams cleaning filters", "zeppelin"):
        typed_words = few.words_to_look_up(typed)
        near = {rest for word in typed_words for rest in rests(word)}
        matters = {w: n for w, n in counts.items() if near & set(rests(w)) or stem(w) in map(stem, typed_words)}
        assert len(matters) < len(counts) / 2
        assert few.with_words(matters).correct(typed) == SPELLING.correct(typed), typed
