"""The view of chunks: sizes, tree, what was dropped and why, each in one line."""

from __future__ import annotations

import io
from typing import Any

from rich.cells import cell_len
from rich.console import Console

from autokb.chunking.chunk_result import ChunkResult, Noise
from autokb.cli.chunk_views import chunked_view, markdown_of, shown, skipped_view
from autokb.core.nouns import Chunk, Document, Skipped
from autokb.pipeline.chunk_files import ChunkedDocument


def written(view: Any, width: int = 80) -> list[str]:
    """Return the lines of a view in so many columns."""
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(view)
    return out.getvalue().rstrip().split("\n")


def chunk(name: str, text: str, parent: str | None = None, headings: tuple[str, ...] = ()) -> Chunk:
    return Chunk(name, "d", text, ((0, len(text)),) if text else (), headings, parent)


def result(cut: ChunkResult, name: str = "d.md", model: str = "") -> ChunkedDocument:
    return ChunkedDocument(Document(name, "", ""), "auto_chunker", cut, 0.1, model)


def test_chunks_hang_under_their_headings_and_noise_is_grouped_by_its_reason() -> None:
    chunks = (
        chunk("top", "", headings=("Kettle",)),
        chunk("seal", "# Kettle\n\nPress the *seal*.", "top", ("Kettle",)),
        chunk("lid", "## Lid\n\n- Open it.", "seal", ("Kettle", "Lid")),
    )
    noise = (
        Noise(((0, 6),), "[Shop](x)", "a menu"),
        Noise(((6, 1_206),), "Follow us", "sharing"),
        Noise(((9, 12),), "[Help](y)", "a menu"),
    )
    cut = ChunkResult(chunks, noise, {"overlapping": 2, "reversed": 0})
    assert written(chunked_view(result(cut, model="openai:x"))) == [
        "d.md",
        "auto_chunker (openai:x): 2 chunks, 22 characters on average, 27 at most",
        "Kettle",
        "└──    27  Kettle  Press the seal.",
        "    └──    18  Lid  Open it.",
        "dropped: 1,209 of 1,254 characters",
        "  1,200  sharing",
        "           Follow us",
        "      9  a menu",
        "           Shop",
        "           Help",
        "mended: overlapping 2",
    ]


def test_a_long_document_is_shortened_and_says_so() -> None:
    chunks = tuple(chunk(str(n), f"Text {n}.") for n in range(43))
    noise = tuple(Noise(((n, n + 1),), f"part {n}", f"reason {n % 10}") for n in range(50))
    lines = written(chunked_view(result(ChunkResult(chunks, noise))))
    assert "... and 3 more chunks; --json lists all" in lines
    assert "           ... and 2 more places" in lines
    assert "  ... for 2 more reasons; --json lists all" in lines
    assert len(lines) < 100


def test_a_document_without_chunks() -> None:
    assert written(chunked_view(result(ChunkResult(())))) == ["d.md", "auto_chunker: 0 chunks"]


def test_nothing_steers_the_terminal_and_no_markup_is_read() -> None:
    evil = "[red]\x1b[31mbad\x1b]0;title\x07 \u202egnp\r\x9b2J[/red]"
    cut = ChunkResult((chunk("a", evil, headings=(evil,)),), (Noise(((0, 1),), evil, evil),))
    lines = written(chunked_view(result(cut, name=evil))) + written(skipped_view(Skipped(evil, evil)))
    assert any("[red] [31mbad ]0;title gnp 2J[/red]" in line for line in lines)
    assert all(character.isprintable() for line in lines for character in line)


def test_every_line_fits_eighty_columns() -> None:
    word = "Donaudampfschifffahrt" * 20
    parents: list[str | None] = [None, *(str(n) for n in range(9))]
    chunks = tuple(chunk(str(n), word, parent, (word,)) for n, parent in enumerate(parents))
    noise = (Noise(((0, 1),), word, word),)
    tree = [line for line in written(chunked_view(result(ChunkResult(chunks, noise)))) if line.strip()]
    assert max(map(len, tree)) <= 80
    assert len(tree) == 2 + 10 + 1 + 2  # head and figures, ten chunks, one line of noise in all, its reason and place


def test_wide_letters_keep_to_their_columns() -> None:
    cut = ChunkResult((chunk("a", "长" * 300, headings=("按" * 90,)),), (Noise(((0, 1),), "菜" * 90, "a menu"),))
    lines = written(chunked_view(result(cut)))
    assert len(lines) == 2 + 1 + 1 + 2  # head and figures, one chunk, what is dropped in all, its reason and place
    assert max(map(cell_len, lines)) <= 80


def test_a_wider_terminal_shows_more() -> None:
    cut = ChunkResult((chunk("a", "w" * 500),), (Noise(((0, 1),), "m" * 500, "a menu"),))
    narrow, wide = chunked_view(result(cut)), chunked_view(result(cut), 120)
    assert [len(line) for line in written(narrow)[2::3]] == [7 + 52, 11 + 64]  # size and place stand before them
    assert [len(line) for line in written(wide, 120)[2::3]] == [7 + 52 + 40, 11 + 64 + 40]


def test_shown_is_one_line_cut_to_its_width() -> None:
    assert shown("one\ntwo\tthree", 20) == "one two three"
    assert shown("one two three", 8) == "one two…"
    assert shown("一二三", 5) == "一二…"


def test_markdown_names_each_chunk_and_cannot_be_ended_by_a_name() -> None:
    cut = ChunkResult((chunk("chunk-1", "# A\n\ntext \x1b[0m"), chunk("chunk-2", "")))
    text = "<!-- document a- -> b.md -->\n\n<!-- chunk chunk-1 -->\n# A\n\ntext \x1b[0m\n"
    assert markdown_of(result(cut, name="a--> b.md")) == text
