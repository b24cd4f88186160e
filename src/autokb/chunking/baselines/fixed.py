"""Chunks of a fixed size, as in section 3.2.1 of the AutoKB paper."""

from __future__ import annotations

from autokb.chunking.chunk_result import ChunkResult, MarkedPage, result_of_spans
from autokb.chunking.spans import check_size, split_span


def chunk_fixed(page: MarkedPage, max_size: int) -> ChunkResult:
    """Chunk a document every ``max_size`` characters, not inside a word where white space is within reach."""
    check_size(max_size)
    text = page.document.text
    return result_of_spans(page.document, split_span(text, 0, len(text), max_size))
