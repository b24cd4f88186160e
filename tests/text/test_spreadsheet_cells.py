"""A cell runs nothing, steers nothing, and gives its text back."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autokb.text.spreadsheet_cells import guarded, unguarded


@given(st.text(alphabet=st.sampled_from("'=+-@\t\r\n＝a1\\u{}b\x1b\x9b\u202e")) | st.text())
def test_every_text_is_given_back(text: str) -> None:
    cell = guarded(text)
    assert unguarded(cell) == text
    assert not {c for c in cell if unicodedata.category(c) == "Cc"} - set("\n\t\r")
    assert not cell.startswith(tuple("=+-@\t\r\n＝＋－＠"))


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("'=1", "''=1"),
        ("'quoted'", "'quoted'"),
        ("it's 1+1", "it's 1+1"),
        ("a\x1b]52;c;x\x07\rb\u202e", "a\\u{1b}]52;c;x\\u{7}\\u{d}b\\u{202e}"),
        ("שלום \u200f(1)\r\nمی\u200cخواهم", "שלום \u200f(1)\r\nمی\u200cخواهم"),
    ],
)
def test_what_a_cell_looks_like(text: str, cell: str) -> None:
    assert guarded(text) == cell
