"""The fast rules find what markdown-it's own rules find."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from autokb.text.markdown import KINDS
from autokb.text.markdown_rules import add_fast_rules

LINES = (
    *("a word", "Text here.", "[a](b)", "[a]: http://x", "[a]:", "]: x", "[x", "\\[", "|", "|x", "a|", "", "", "", ""),
    *("| a | b |", "|---|---|", "| 1 | 2 |", "--|--", ":--|--:", "a | b", "a \\| b | c", "  | a | b |", "  |---|---|"),
    *(
        "- item",
        "* it",
        "1. one",
        "2) two",
        " - nested",
        "     text",
        "> quote",
        ">",
        "# H",
        "===",
        "---",
        "***",
        "```",
    ),
    *("    code", "  two", "\ttab", "<div>", "<!-- c", "-->", "<b>x", "\x0c", "\u00a0", "-", "=", "\u00e9"),
)
BEFORE = ("", "", "", " ", "    ", "> ", "- ", "> > ", "1. ")
line = st.builds("{}{}".format, st.sampled_from(BEFORE), st.sampled_from(LINES))


def parser() -> MarkdownIt:
    made = MarkdownIt("commonmark").enable("table")
    made.core.ruler.enableOnly(["normalize", "block"])
    return made


PLAIN, FAST = parser(), parser()
add_fast_rules(FAST)


def found(with_rules: MarkdownIt, text: str) -> list[tuple[str, list[int] | None]]:
    wanted = ("blockquote_open", "blockquote_close", "ordered_list_open", "bullet_list_open", "list_item_close", *KINDS)
    return [(token.type, token.map) for token in with_rules.parse(text) if token.type in wanted]


@given(st.lists(line, max_size=14).map("\n".join))
def test_blocks_are_those_of_the_plain_rules(text: str) -> None:
    assert found(FAST, text) == found(PLAIN, text)


@pytest.mark.parametrize("width", [2, 400])
def test_a_table_with_too_many_cells_left_out_ends_where_the_plain_rule_ends_it(width: int) -> None:
    text = f"|{' a |' * width}\n|{' - |' * width}\n" + "| x |\n" * 300
    assert found(FAST, text) == found(PLAIN, text)


def test_a_table_is_one_block_without_its_cells() -> None:
    kinds = [token.type for token in FAST.parse("| a | b |\n|---|---|\n| 1 | 2 |\n\nText.")]
    assert kinds == ["table_open", "paragraph_open"]
