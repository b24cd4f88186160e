from __future__ import annotations

import pytest

from autokb.chunking.structure.blocks import heading_words, numbered_blocks


def shown(text: str) -> list[tuple[int, str, str]]:
    return [(b.number, b.kind, text[b.start : b.end]) for b in numbered_blocks(text)]


def test_paragraphs_are_numbered_in_order_and_items_hold_what_is_nested_in_them() -> None:
    text = "# Buds\n\nCharge\nthem.\n\n1. Open.\n   - Wide.\n2. Close.\n\n"
    text += "| a |\n| --- |\n| 1 |\n\n```\nx\n\ny\n```\n<div>\n"
    assert shown(text) == [
        (1, "heading", "# Buds"),
        (2, "paragraph", "Charge\nthem."),
        (3, "item", "1. Open.\n   - Wide."),
        (4, "item", "2. Close."),
        (5, "table", "| a |\n| --- |\n| 1 |"),
        (6, "code", "```\nx\n\ny\n```"),
        (7, "html", "<div>"),
    ]


def test_what_stands_between_blocks_is_a_paragraph_too() -> None:
    assert shown("One.\n\n---\n\n[r]: x.html\n\nTwo.") == [
        (1, "paragraph", "One."),
        (2, "paragraph", "---\n\n[r]: x.html"),
        (3, "paragraph", "Two."),
    ]


def test_the_marks_of_a_quotation_belong_to_what_they_quote() -> None:
    assert shown("> One.\n>\n> Two.") == [(1, "paragraph", "> One."), (2, "paragraph", ">\n> Two.")]
    assert shown(">\n\n| a |\n| --- |") == [(1, "paragraph", ">"), (2, "table", "| a |\n| --- |")]
    assert shown(">\n# A") == [(1, "paragraph", ">"), (2, "heading", "# A")]


def test_a_paragraph_a_line_is_told_from_wrapped_lines() -> None:
    long = "word " * 40
    assert [kind for _, kind, _ in shown(f"{long}\n{long}\n{long}")] == ["paragraph"] * 3
    assert [kind for _, kind, _ in shown("wrapped here\nand there\nand done")] == ["paragraph"]


def test_wiki_headings_are_headings_with_their_level_and_words() -> None:
    text = " = Tower = \n It is tall .\n = = The clock = = \n It is slow ."
    blocks = numbered_blocks(text)
    assert [(b.kind, b.level) for b in blocks] == [
        ("heading", 1),
        ("paragraph", 0),
        ("heading", 2),
        ("paragraph", 0),
    ]
    assert [heading_words(text, b) for b in blocks if b.kind == "heading"] == ["Tower", "The clock"]


def test_a_line_that_only_begins_and_ends_like_a_wiki_heading_is_none() -> None:
    text = "= Goals ; A = Assists ; P =\n\n= Goals ; A =\n\n== one sided =\n\n===="
    assert [b.kind for b in numbered_blocks(text)] == ["paragraph"] * 4


def test_a_heading_is_read_without_its_marks() -> None:
    text = "## Open the **lid** ##\n\nHead\n====\n"
    assert [heading_words(text, b) for b in numbered_blocks(text)] == ["Open the lid", "Head"]


@pytest.mark.parametrize("blank", ["\u00a0", "\u2028", "\x0c", "> \u00a0"])
def test_a_paragraph_of_white_space_is_none(blank: str) -> None:
    found = shown(f"# A\n\n{blank}\n\n# B\n\ntext")
    assert [words for _, _, words in found if words != ">"] == ["# A", "# B", "text"]


@pytest.mark.parametrize("end", ["---", "...", "--- "])
def test_front_matter_is_one_block_and_none_of_the_text(end: str) -> None:
    front = f"---\ntitle: x\ntags:\n- one\n  two\n# a remark\n\nlast:\n{end}".rstrip()
    assert shown(f"{front}\n\n---\n\n# A\n\ntext") == [
        (1, "front matter", front),
        (2, "paragraph", "---"),
        (3, "heading", "# A"),
        (4, "paragraph", "text"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "---\n\ntitle: x\n---\n",
        "---\nIt is hot: really.\n---\n",
        "---\ntitle: x\nand words\n---\n",
        "---\ntitle: x\n",
        "\n---\ntitle: x\n---\n",
        "---\nhttp://x\n---\n",
    ],
)
def test_words_between_rules_are_no_front_matter(text: str) -> None:
    assert "front matter" not in [kind for _, kind, _ in shown(text)]


def test_a_wiki_heading_of_a_page_of_text_is_a_paragraph() -> None:
    kinds = [[b.kind for b in numbered_blocks(f"= {'x' * length} =\nText.\n")] for length in (1_900, 2_100)]
    assert kinds[0] == ["heading", "paragraph"]
    assert "heading" not in kinds[1]
