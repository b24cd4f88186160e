"""Chunks of a fixed size, as the paper cuts them."""

from __future__ import annotations

from autokb.chunking.pieces import Piece, as_chunks, check_size, cut
from autokb.core.nouns import Chunk, Document
from autokb.text.markdown import section_at, sections

FIXED_SIZE = 2048


def fixed_chunks(document: Document, max_size: int = FIXED_SIZE) -> tuple[Chunk, ...]:
    """Cut a document every ``max_size`` characters, not inside a word where white space is within reach."""
    check_size(max_size)
    found = sections(document.text)
    spans = cut(document.text, 0, len(document.text), max_size)
    return as_chunks(
        document,
        (Piece(((s, e),), document.text[s:e], found[section_at(found, s)].headings) for s, e in spans),
    )
