"""Chunks with the context that a reader of the passage alone would miss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autokb.core.domain import ENGLISH
from autokb.core.nouns import Chunk, Document
from autokb.heuristics.contexts import PassageAlone
from autokb.tasks.chunking.add_context.task import AddContext, AddedContext


def document_request(document: Document, chunks: Sequence[Chunk], language: str = ENGLISH) -> AddContext:
    """Ask for the contexts of all chunks of a document at once."""
    return AddContext("document", document.title, tuple(_passage(c) for c in chunks), language=language)


def document_requests(
    document: Document, chunks: Sequence[Chunk], most_characters: int, language: str = ENGLISH
) -> list[AddContext]:
    """Ask for the contexts of a document in parts of at most so many characters, none for a document without chunks.

    The first part has no passage before it; every other one knows the last passage of the part before. A chunk that
    is longer than a part is a part of its own.
    """
    parts: list[list[Chunk]] = []
    size = 0
    for chunk in chunks:
        length = len(chunk.text) + sum(map(len, chunk.headings))
        if not parts or size + length > most_characters:
            parts.append([])
            size = 0
        parts[-1].append(chunk)
        size += length
    before = [None, *(_passage(part[-1]) for part in parts)]
    return [
        AddContext("document", document.title, tuple(map(_passage, part)), previous, language)
        for part, previous in zip(parts, before, strict=False)
    ]


def chained_request(
    document: Document, chunk: Chunk, previous: Chunk | None, language: str = ENGLISH, *, woven: bool = False
) -> AddContext:
    """Ask for the context of one chunk, or its woven form, from the one before it, which already has its own."""
    before = None if previous is None else replace(_passage(previous), context=previous.context)
    return AddContext("woven" if woven else "chained", document.title, (_passage(chunk),), before, language)


def _passage(chunk: Chunk) -> PassageAlone:
    return PassageAlone(chunk.text, chunk.headings)


def with_contexts(chunks: Sequence[Chunk], reply: AddedContext) -> tuple[Chunk, ...]:
    """Return the chunks with their contexts."""
    return tuple(replace(c, context=text) for c, text in zip(chunks, reply.contexts, strict=True))
