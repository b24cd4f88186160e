"""One chunk a section; a long section is split between its blocks, with its headings repeated."""

from __future__ import annotations

from autokb.chunking.chunk_result import ChunkResult, MarkedPage
from autokb.chunking.spans import check_size
from autokb.chunking.structure.blocks import numbered_blocks
from autokb.chunking.structure.outline import Outline
from autokb.chunking.tree import build_chunk_tree, chunks_with_text


def chunk_headings(page: MarkedPage, max_size: int) -> ChunkResult:
    """Chunk a document at its headings; a heading without text of its own goes with what follows it."""
    check_size(max_size)
    text = page.document.text
    blocks = numbered_blocks(text)
    outline = Outline(text, blocks, (True,) * len(blocks))
    return ChunkResult(chunks_with_text(build_chunk_tree(page.document, outline, tuple(outline.sections()), max_size)))
