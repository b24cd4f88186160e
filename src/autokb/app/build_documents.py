"""Documents become chunks with context (algorithm 1, lines 2 to 5)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from autokb.app.records import chunk_body, read_chunk
from autokb.app.stages import Stages
from autokb.chunking.chunkers import chunk_document
from autokb.chunking.context import chained_request, document_request, with_contexts
from autokb.knowledge.ids import digest
from autokb.knowledge.nouns import Chunk, Document
from autokb.settings import Settings
from autokb.tasks.chunking.add_context.task import ROOM as ADD_CONTEXT

VERSION = "1"  # raise it when a chunker cuts the same document otherwise


def cut_documents(stages: Stages, settings: Settings, documents: Sequence[Document]) -> list[Chunk]:
    """Cut every document that is new or changed, and give its chunks their context.

    A document that cannot be cut is a failure and has no chunks; a context that fails is a failure and stays empty.
    """
    chunks = _cut(stages, settings, documents)
    if settings.context == "document":
        return _in_one(stages, documents, chunks)
    return _one_by_one(stages, documents, chunks)


def _cut(stages: Stages, settings: Settings, documents: Sequence[Document]) -> dict[str, list[Chunk]]:
    method, size = settings.chunker, settings.max_size
    keys = [digest("chunks", VERSION, method, str(size), d.id, d.title, d.text) for d in documents]

    def cut(position: int) -> str:
        return json.dumps([chunk_body(c) for c in chunk_document(documents[position], method, size)])

    texts = stages.remember("chunks", keys, [d.id for d in documents], cut)
    return {
        document.id: [read_chunk(document.id, body) for body in json.loads(text)]
        for document, text in zip(documents, texts, strict=True)
        if text is not None
    }


def _in_one(stages: Stages, documents: Sequence[Document], chunks: dict[str, list[Chunk]]) -> list[Chunk]:
    """Ask for the contexts of a document's chunks at once: an edit re-asks for its own document only."""
    asked = [d for d in documents if chunks.get(d.id)]
    requests = [document_request(d, chunks[d.id]) for d in asked]
    replies = stages.run("context", ADD_CONTEXT, requests, [d.id for d in asked])
    found: list[Chunk] = []
    for document, reply in zip(asked, replies, strict=True):
        own = chunks[document.id]
        found += own if reply is None else with_contexts(own, reply)
    return found


def _one_by_one(stages: Stages, documents: Sequence[Document], chunks: dict[str, list[Chunk]]) -> list[Chunk]:
    """Ask for each chunk's context from the one before it, the paper's way; documents advance side by side."""
    titled = {d.id: d for d in documents}
    depth = max((len(c) for c in chunks.values()), default=0)
    for position in range(depth):
        now = [c[position] for c in chunks.values() if len(c) > position]
        before = [chunks[c.document][position - 1] if position else None for c in now]
        requests = [chained_request(titled[c.document], c, b) for c, b in zip(now, before, strict=True)]
        replies = stages.run("context", ADD_CONTEXT, requests, [c.id for c in now])
        for chunk, reply in zip(now, replies, strict=True):
            if reply is not None:
                (chunks[chunk.document][position],) = with_contexts([chunk], reply)
    return [chunk for document in sorted(chunks) for chunk in chunks[document]]
