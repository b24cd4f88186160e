from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autokb.text.plain_text import plain_text


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("  plain  words\twith\u00a0blanks ", "plain words with blanks"),
        ("a\0b\ufdd0c", "abc"),
        ("one\u2028two\rthree", "one two three"),
        ("one &amp;&nbsp; two&#10;three", "one & two\nthree"),
        ("- item", "item"),
        ("12) step", "step"),
        ("- [x] done", "done"),
        ("-no item", "-no item"),
        ("---", ""),
        ("a | b", "a | b"),
        ("| a | b |\n| --- | --- |\n| c | d |", "a | b\nc | d"),
        ("![picture](p.png) beside [label](u_r_l)", "picture beside label"),
        ("[label][there]", "label"),
        ("\\[no link](u)", "[no link](u)"),
        ("`code_with_bars` and _words_", "code_with_bars and words"),
        ("~~~\ncode\n~~~", "code"),
        ("one<br>two", "one\ntwo"),
    ],
)
def test_one_line_and_many_are_read_alike(markdown: str, plain: str) -> None:
    assert plain_text(markdown) == plain


def test_the_mark_of_an_item_stands_before_it_in_one_line_and_in_many() -> None:
    assert plain_text("* one", marks=True) == "- one"
    assert plain_text("- one\n+ two", marks=True) == "- one\n- two"
    assert plain_text("3) one\n4) two\n\n---\n\n* * *\n", marks=True) == "3. one\n4. two"
    lazy = "Do:\n\n1. one\n   more\n1. two\n   - [x] three\n     1. four\n     1. five\n1. six\n"
    assert plain_text(lazy, marks=True).split("\n") == [
        *("Do:", "1. one more", "2. two", "  - three", "    1. four", "    2. five", "3. six")
    ]
    assert plain_text("2. two\n   - three\n     - four", marks=True) == "2. two\n- three\n  - four"
    assert (
        plain_text("2. \n", marks=True) == "" and plain_text("Choose:\n\n1. \n2. two", marks=True) == "Choose:\n2. two"
    )
    assert plain_text("> - quoted\n> - on", marks=True) == "- quoted\n- on"


@given(st.lists(st.text("abcdefgéßж日", min_size=1), min_size=1), st.sampled_from([" ", "  ", "\n", "\t", "\u2003"]))
def test_words_without_marks_stay_one_blank_apart(words: list[str], between: str) -> None:
    assert plain_text(between.join(words)) == " ".join(words)
