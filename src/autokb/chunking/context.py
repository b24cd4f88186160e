"""Chunks with the context that a reader of the passage alone would miss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autokb.knowledge.nouns import Chunk, Document
from autokb.tasks.chunking.add_context.task import AddContext, AddedContext, Passage


def document_request(document: Document, chunks: Sequence[Chunk]) -> AddContext:
    """Ask for the contexts of all chunks of a document at once."""
    return AddContext("document", document.title, tuple(Passage(c.text, c.headings) for c in chunks))


def chained_request(document: Document, chunk: Chunk, previous: Chunk | None) -> AddContext:
    """Ask for the context of one chunk from the one before it, which already has its context."""
    before = None if previous is None else Passage(previous.text, previous.headings, previous.context)
    return AddContext("chained", document.title, (Passage(chunk.text, chunk.headings),), before)


def with_contexts(chunks: Sequence[Chunk], reply: AddedContext) -> tuple[Chunk, ...]:
    """Return the chunks with their contexts."""
    return tuple(replace(c, context=text) for c, text in zip(chunks, reply.contexts, strict=True))
