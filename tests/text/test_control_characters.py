"""What cannot be read cannot steer: on a terminal, in JSON, in a file, and in what is taken in."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from autokb.text.control_characters import (
    escape_controls,
    escape_json,
    for_terminal,
    printable_name,
    replace_controls,
    unescape_controls,
)

EVERY_CHARACTER = "".join(map(chr, range(0x110000)))
BIDIRECTIONAL = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
PERSIAN, FAMILY = "می\u200cخواهم", "👩\u200d👩\u200d👧"
HEBREW = "שלום \u200f(1)\u200e a"
texts = st.text(alphabet=st.sampled_from("a1bd\\u{}=\x1b\x07\r\n\t\x7f\x9b\u202e\u2066\u2028é<&")) | st.text()


def test_nothing_that_steers_or_hides_reaches_a_terminal() -> None:
    left = for_terminal(EVERY_CHARACTER)
    assert {c for c in left if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")} == {"\n", "\t"}
    assert not set(left) & set(f"{BIDIRECTIONAL}\u061c\u200e\u200f\u200b\u2060\ufeff\xad\U000e0041")


def test_what_people_write_stays_as_it_is_on_a_terminal() -> None:
    for text in (PERSIAN, FAMILY, "❤️", "naïve “quotes”\n\tand 日本語", "10\xa0GB"):
        assert for_terminal(text) == text


def test_a_control_character_is_seen_and_what_was_invisible_leaves_no_trace() -> None:
    assert for_terminal("a\x1b]52;c;eA==\x07b") == "a\ufffd]52;c;eA==\ufffdb"
    assert for_terminal("ok\rbad\r\nnext") == "ok\nbad\nnext"
    assert for_terminal("one\u2028two zero\u200bwidth") == "one two zerowidth"


def test_intake_changes_one_character_for_one_and_only_those_that_control() -> None:
    changed = {
        c for c, d in zip(EVERY_CHARACTER, replace_controls(EVERY_CHARACTER), strict=True) if c != d and d == " "
    }
    assert changed == {c for c in EVERY_CHARACTER if unicodedata.category(c) == "Cc" and c not in "\n\t\r"} | set(
        f"{BIDIRECTIONAL}\u206a\u206b\u206c\u206d\u206e\u206f"
    )
    assert len(replace_controls(EVERY_CHARACTER)) == len(EVERY_CHARACTER)
    for text in (PERSIAN, FAMILY, HEBREW, "a\r\nb\rc\td"):
        assert replace_controls(text) == text


def test_a_name_can_be_typed() -> None:
    assert printable_name("docs/a b.md") == "docs/a b.md"
    assert printable_name("a\x1b[2J\u202eb\n.md") == "a [2Jb .md"
    assert printable_name(f"{FAMILY} 5\u202fPM\u200f.md\x07") == "👩👩👧 5 PM.md"
    assert printable_name("\x00\x07") == ""


@given(texts)
def test_a_printable_name_is_one_line_and_stays_as_it_is(text: str) -> None:
    name = printable_name(text)
    assert name.isprintable() and printable_name(name) == name


@given(texts)
def test_escaped_json_holds_the_same_value(text: str) -> None:
    written = escape_json(json.dumps({text: [text]}, ensure_ascii=False))
    assert json.loads(written) == {text: [text]}
    assert for_terminal(written) == written


@given(texts)
@example("\\u{1b} \\u{=1b} \\u{==d} \\\\u{1b} \\\x1b \\u{e9} \\u{\x1b} \r \r\n \\u{0001b}\\u{fffff}")
def test_an_escaped_text_is_given_back_and_holds_no_control_character(text: str) -> None:
    escaped = escape_controls(text)
    assert unescape_controls(escaped) == text
    assert not {c for c in escaped if unicodedata.category(c) == "Cc"} - set("\n\t\r")
    assert not set(escaped) & set(BIDIRECTIONAL) and "\r" not in escaped.replace("\r\n", "")


def test_every_character_is_given_back() -> None:
    assert (unescape_controls(escape_controls(EVERY_CHARACTER)) == EVERY_CHARACTER) is True
    backwards = EVERY_CHARACTER[::-1]  # forwards two surrogates would meet, which are one character to JSON
    assert (json.loads(escape_json(json.dumps(backwards, ensure_ascii=False))) == backwards) is True


def test_ordinary_texts_are_not_escaped() -> None:
    for text in (PERSIAN, FAMILY, HEBREW, "a\r\n\tb", "\\u{e9} \\u{1F600} \\x1b C:\\users {for win}"):
        assert escape_controls(text) == text
