"""Cutting Markdown at its highest headings first, then at lower ones, then between its blocks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from autokb.chunking.cutting import Cut, Mark
from autokb.chunking.pieces import check_size
from autokb.chunking.recursive_text import TEXT_BREAKS, Breaks, chunks_at, recursive_spans
from autokb.core.nouns import Document
from autokb.text.markdown import Block, parse_blocks


def recursive_markdown_chunks(document: Document, max_size: int, marks: tuple[Mark, ...] = ()) -> Cut:
    """Cut a Markdown text at headings of the first level; a part that is too long at the second, and so on.

    Below the headings come lists, tables, code and paragraphs as wholes, then the breaks of plain text.
    """
    check_size(max_size)
    text = document.text
    return chunks_at(document, recursive_spans(text, 0, len(text), max_size, (*_breaks(text), *TEXT_BREAKS)))


def _breaks(text: str) -> list[Breaks]:
    blocks = [b for b in parse_blocks(text) if b.kind != "item" or b.level == 1]
    headings = [b for b in blocks if b.kind == "heading"]
    levels = [[h.start for h in headings if h.level == level] for level in sorted({h.level for h in headings})]
    before = [None, *blocks]
    wholes = [b.start for b, last in zip(blocks, before, strict=False) if not _goes_on(last, b)]
    return [_at(places) for places in (*levels, wholes, [b.start for b in blocks])]


def _goes_on(before: Block | None, block: Block) -> bool:
    """Return whether a block is an item of the list that the one before it stands in."""
    return before is not None and block.kind == before.kind == "item" and block.list_id == before.list_id


def _at(places: Sequence[int]) -> Breaks:
    def inside(_text: str, start: int, end: int) -> Iterable[int]:
        return places[bisect_left(places, start) : bisect_left(places, end)]

    return inside
