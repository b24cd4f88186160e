"""Recursive splitting: what parts a text most is tried first, and nothing is lost or too long."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autokb.chunking.baselines.recursive import (
    chunk_recursive,
    chunk_recursive_html,
    chunk_recursive_markdown,
    chunk_recursive_text,
    split_recursively,
)
from autokb.chunking.chunk_result import ChunkResult, MarkedPage
from autokb.chunking.chunkers import chunk_page
from autokb.core.errors import BadInputError
from autokb.core.marks import Mark
from autokb.core.nouns import Document

CHUNKERS = (chunk_recursive, chunk_recursive_text, chunk_recursive_markdown, chunk_recursive_html)
PIECES = st.sampled_from(
    ["# A\n\n", "## B\n", "word ", "One. Two! ", "\n\n", "\n", "- item\n", "  - inner\n", "1. step\n", "> quoted\n",
     "| a | b |\n| - | - |\n| 1 | 2 |\n", "```\ncode\n\n# no heading\n```\n", "<div>\n", "x" * 30, "  ", "字。"]
)  # fmt: skip


def texts(cut: ChunkResult) -> list[str]:
    return [chunk.text for chunk in cut.chunks]


def missing(document: Document, cut: ChunkResult) -> str:
    """Return what is in no chunk, or in two, without white space."""
    times = [0] * len(document.text)
    for chunk in cut.chunks:
        for start, end in chunk.spans:
            for place in range(start, end):
                times[place] += 1
    return "".join(c for c, n in zip(document.text, times, strict=True) if n != 1 and (n or not c.isspace()))


@given(st.lists(PIECES, max_size=25).map("".join), st.integers(1, 80))
@pytest.mark.parametrize("chunker", CHUNKERS)
def test_every_character_is_in_one_chunk_and_none_is_too_long(chunker, text: str, size: int) -> None:  # type: ignore[no-untyped-def]
    document = Document("d", "", text)
    marks = tuple(Mark(s, s + 40, "nav") for s in range(0, len(text), 25)) if "div" in text else ()
    cut = chunker(MarkedPage(document, marks), size)
    assert missing(document, cut) == ""
    assert all(0 < len(text) <= size for text in texts(cut))
    assert all(c.text == "".join(document.text[s:e] for s, e in c.spans) for c in cut.chunks)
    assert len({c.id for c in cut.chunks}) == len(cut.chunks)
    assert cut.noise == ()


def cut_text(text: str, size: int) -> list[str]:
    return [text[s:e] for s, e in split_recursively(text, 0, len(text), size)]


def test_paragraphs_that_fit_together_stay_together() -> None:
    assert cut_text("one\n\ntwo\n\nthree\n\nfour", 10) == ["one\n\ntwo", "three", "four"]


def test_a_paragraph_that_is_too_long_is_cut_at_lines_then_sentences_then_words_then_anywhere() -> None:
    assert cut_text("first line\nsecond line\n\nend", 12) == ["first line", "second line", "end"]
    assert cut_text("It is on. It is off. So it is.", 12) == ["It is on.", "It is off.", "So it is."]
    assert cut_text("several small words here", 12) == ["several", "small words", "here"]
    assert cut_text("abcdefghij", 4) == ["abcd", "efgh", "ij"]


def test_what_is_too_long_does_not_join_its_neighbours() -> None:
    assert cut_text("a\n\nbbb bbb bbb\n\nc", 7) == ["a", "bbb bbb", "bbb", "c"]


def test_markdown_is_cut_at_its_highest_headings_first() -> None:
    text = "# One\n\n## A\n\naaaa\n\n## B\n\nbbbb\n\n# Two\n\n## C\n\ncccc\n"
    assert texts(chunk_recursive_markdown(MarkedPage(Document("d", "", text)), 30)) == [
        "# One\n\n## A\n\naaaa\n\n## B\n\nbbbb",
        "# Two\n\n## C\n\ncccc",
    ]
    assert texts(chunk_recursive_markdown(MarkedPage(Document("d", "", text)), 20)) == [
        "# One\n\n## A\n\naaaa",
        "## B\n\nbbbb",
        "# Two\n\n## C\n\ncccc",
    ]


def test_a_heading_in_code_is_none_and_a_list_stays_whole() -> None:
    text = "# T\n\nintro text\n\n1. one\n   - inner\n2. two\n\n```\n# no\n\n# heading\n```\n"
    assert texts(chunk_recursive_markdown(MarkedPage(Document("d", "", text)), 32)) == [
        "# T\n\nintro text",
        "1. one\n   - inner\n2. two",
        "```\n# no\n\n# heading\n```",
    ]


def test_headings_of_a_chunk_are_those_above_its_beginning() -> None:
    (one, two) = chunk_recursive_markdown(MarkedPage(Document("d", "", "# A\n\naaaa\n\n## B\n\nbbbb")), 12).chunks
    assert (one.headings, two.headings) == (("A",), ("A", "B"))


def test_html_opens_an_element_that_is_too_long_and_keeps_what_fits() -> None:
    menu, main = "Home\n\nShop\n\nHelp", "- one\n- two\n\nParagraph of text."
    text = f"{menu}\n\n{main}"
    marks = (Mark(0, len(menu), "nav"), Mark(len(menu) + 2, len(text), "kept_by_trafilatura"))
    assert texts(chunk_recursive_html(MarkedPage(Document("d", "", text), marks), 22)) == [
        "Home\n\nShop\n\nHelp",
        "- one\n- two",
        "Paragraph of text.",
    ]
    assert texts(chunk_recursive_html(MarkedPage(Document("d", "", text), marks), 11)) == [
        "Home\n\nShop",
        "Help",
        "- one\n- two",
        "Paragraph",
        "of text.",
    ]


@pytest.mark.parametrize(
    ("name", "text", "marks", "expected"),
    [
        ("page.html", "# A\n\nx\n\n# B\n\ny", (), ["# A\n\nx\n\n# B", "y"]),
        ("page.htm.gz", "# A\n\nx\n\n# B\n\ny", (), ["# A\n\nx\n\n# B", "y"]),
        ("record-1", "# A\n\nx\n\n# B\n\ny", (Mark(0, 2, "kept_by_trafilatura"),), ["# A\n\nx\n\n# B", "y"]),
        ("page.md", "# A\n\nx\n\n# B\n\ny", (), ["# A\n\nx", "# B\n\ny"]),
        ("page.txt", "a\nb\n\nccccccccc", (), ["a\nb", "ccccccccc"]),
    ],
)
def test_the_document_says_which_way_it_is_cut(
    name: str, text: str, marks: tuple[Mark, ...], expected: list[str]
) -> None:
    assert texts(chunk_recursive(MarkedPage(Document(name, "", text), marks), 12)) == expected


WEB = MarkedPage(
    Document("page.html", "", "Hi.\n\nHome\n\nShop\n\n# More\n\nHelp\n\n# Seal\n\nPress the seal."),
    (Mark(5, 29, "nav"),),
)
MARKDOWN = MarkedPage(Document("page.md", "", "Hi.\n\n# Seal\n\nPress it now.\n\n- press\n- open lid\n  - of case"))
TEXT = MarkedPage(Document("page.txt", "", "Press the seal.\nTurn it.\n\nClose the lid."))


@pytest.mark.parametrize(
    ("page", "method", "expected"),
    [
        # the menu is an element of the page; it is a section and more for Markdown, and characters for plain text
        (WEB, "recursive_html", ["Hi.", "Home\n\nShop\n\n# More\n\nHelp", "# Seal\n\nPress the seal."]),
        (WEB, "recursive_markdown", ["Hi.\n\nHome\n\nShop", "# More\n\nHelp", "# Seal\n\nPress the seal."]),
        (WEB, "recursive_text", ["Hi.\n\nHome\n\nShop\n\n# More", "Help\n\n# Seal", "Press the seal."]),
        # without marks the elements are those that the Markdown is rendered to: an item holds what is nested in it
        (MARKDOWN, "recursive_html", ["Hi.\n\n# Seal\n\nPress it now.", "- press", "- open lid\n  - of case"]),
        (MARKDOWN, "recursive_markdown", ["Hi.", "# Seal\n\nPress it now.", "- press", "- open lid\n  - of case"]),
        (MARKDOWN, "recursive_text", ["Hi.\n\n# Seal\n\nPress it now.", "- press\n- open lid", "- of case"]),
        (TEXT, "recursive_html", ["Press the seal.\nTurn it.", "Close the lid."]),
        (TEXT, "recursive_markdown", ["Press the seal.\nTurn it.", "Close the lid."]),
        (TEXT, "recursive_text", ["Press the seal.\nTurn it.", "Close the lid."]),
    ],
)
def test_any_page_can_be_chunked_in_any_of_the_three_ways(page: MarkedPage, method: str, expected: list[str]) -> None:
    assert texts(chunk_page(page, method, 28)) == expected


@pytest.mark.parametrize(
    ("page", "method"), [(WEB, "recursive_html"), (MARKDOWN, "recursive_markdown"), (TEXT, "recursive_text")]
)
def test_recursive_is_the_one_that_suits_the_document(page: MarkedPage, method: str) -> None:
    assert chunk_page(page, "recursive", 28) == chunk_page(page, method, 28)


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_a_size_that_no_chunk_can_have_is_refused(chunker) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadInputError, match="at least 1 character"):
        chunker(MarkedPage(Document("d", "", "text")), 0)


@pytest.mark.parametrize("chunker", CHUNKERS)
def test_areas_in_each_other_without_end_are_cut_all_the_same(chunker) -> None:  # type: ignore[no-untyped-def]
    text = "word " * 2_000
    marks = tuple(Mark(n, len(text) - n, "aside") for n in range(4_000))
    document = Document("d.html", "", text)
    assert missing(document, chunker(MarkedPage(document, marks), 100)) == ""
