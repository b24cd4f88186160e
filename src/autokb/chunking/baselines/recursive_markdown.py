"""Splits Markdown at its highest headings first, then at lower ones, then between its blocks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from autokb.chunking.baselines.recursive_text import TEXT_BREAKS, Breaks, split_recursively
from autokb.chunking.chunk_result import ChunkResult, MarkedPage, result_of_spans
from autokb.chunking.spans import check_size
from autokb.text.markdown import Block, parse_blocks


def chunk_recursive_markdown(page: MarkedPage, max_size: int) -> ChunkResult:
    """Chunk a Markdown text at headings of the first level; a part that is too long at the second, and so on.

    Below the headings come lists, tables, code and paragraphs as wholes, then the breaks of plain text. A text without
    headings is split between its blocks; of a web page its Markdown is read.
    """
    check_size(max_size)
    text = page.document.text
    breaks = (*_markdown_breaks(text), *TEXT_BREAKS)
    return result_of_spans(page.document, split_recursively(text, 0, len(text), max_size, breaks))


def _markdown_breaks(text: str) -> Iterator[Breaks]:
    """Yield the kinds of breaks, the strongest first: each level of headings, lists as wholes, any block."""
    blocks = [b for b in parse_blocks(text) if b.kind != "item" or b.level == 1]
    headings = [b for b in blocks if b.kind == "heading"]
    for level in sorted({h.level for h in headings}):
        yield _at([h.start for h in headings if h.level == level])
    before: list[Block | None] = [None, *blocks]
    yield _at([b.start for b, last in zip(blocks, before, strict=False) if not _is_same_list(last, b)])
    yield _at([b.start for b in blocks])


def _is_same_list(before: Block | None, block: Block) -> bool:
    return before is not None and block.kind == before.kind == "item" and block.list_id == before.list_id


def _at(places: Sequence[int]) -> Breaks:
    return lambda _text, start, end: places[bisect_left(places, start) : bisect_left(places, end)]
