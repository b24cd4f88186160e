"""The chunkers by name; each turns a document and a size into chunks that hold all of its text."""

from __future__ import annotations

from collections.abc import Callable

from autokb.chunking.fixed import fixed_chunks
from autokb.chunking.headings import heading_chunks
from autokb.errors import BadInputError
from autokb.knowledge.nouns import Chunk, Document

Chunker = Callable[[Document, int], tuple[Chunk, ...]]
CHUNKERS: dict[str, Chunker] = {"fixed": fixed_chunks, "headings": heading_chunks}


def chunk_document(document: Document, method: str, max_size: int) -> tuple[Chunk, ...]:
    """Cut a document by the named method."""
    if method not in CHUNKERS:
        raise BadInputError(f"There is no chunker {method!r}; choose one of: {', '.join(sorted(CHUNKERS))}.")
    return CHUNKERS[method](document, max_size)
