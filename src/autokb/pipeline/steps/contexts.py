"""Documents become chunks with context (algorithm 1, lines 2 to 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autokb.chunking.context import chained_request, document_request, document_requests, with_contexts
from autokb.core.nouns import Chunk, Document
from autokb.pipeline.model_choice import CHAINED, OFFLINE, model_of
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.documents import chunk_documents
from autokb.stores.workspace import Workspace
from autokb.tasks.chunking.add_context.task import TASK as ADD_CONTEXT
from autokb.tasks.chunking.add_context.task import AddContext

DOCUMENT_CHARACTERS = 40_000  # of a document that a model is asked about at once


def chunk_with_contexts(stages: Stages, workspace: Workspace, documents: Sequence[Document]) -> list[Chunk]:
    """Chunk every document that is new or changed, and give its chunks their context.

    A document that cannot be chunked is a failure and has no chunks; a context that fails is one and stays empty.
    Where replies are awaited that decide on the chunks, no context is asked for: there may be other chunks then.
    """
    chunks = chunk_documents(stages, workspace.settings, documents)
    if stages.awaited:
        return _in_order(chunks)
    if (mode := context_mode(workspace)) in CHAINED:
        return _chained(stages, documents, chunks, workspace.spec.language, woven=mode == "woven")
    most = DOCUMENT_CHARACTERS if stages.asks_model(ADD_CONTEXT, "context") else None
    return _whole_documents(stages, documents, chunks, most, workspace.spec.language)


def context_mode(workspace: Workspace) -> str:
    """Return how contexts are asked for: as the settings say, else chained in paper mode with a model."""
    settings = workspace.settings
    if settings.context:
        return settings.context
    asked = model_of(settings, workspace.mode, ADD_CONTEXT.name, "context") != OFFLINE
    return "chained" if asked and workspace.mode == "paper" else "document"


def _whole_documents(
    stages: Stages, documents: Sequence[Document], chunks: dict[str, list[Chunk]], most: int | None, language: str
) -> list[Chunk]:
    """Ask for the contexts of a document's chunks at once: an edit re-asks for its own document only.

    A document of more than ``most`` characters is asked about in parts.
    """
    asked = [d for d in documents if chunks.get(d.id)]
    parts = [(d, request) for d in asked for request in context_requests(d, chunks[d.id], most, language)]
    replies = stages.run("context", ADD_CONTEXT, [request for _, request in parts], [d.id for d, _ in parts])
    found: list[Chunk] = []
    begin: dict[str, int] = {}
    for (document, request), reply in zip(parts, replies, strict=True):
        start = begin.get(document.id, 0)
        begin[document.id] = start + len(request.passages)
        own = chunks[document.id][start : begin[document.id]]
        found += own if reply is None else with_contexts(own, reply)
    return found


def context_requests(document: Document, chunks: Sequence[Chunk], most: int | None, language: str) -> list[AddContext]:
    """Return the requests for the contexts of a document's chunks: one, or parts of at most ``most`` characters."""
    if most is None:
        return [document_request(document, chunks, language)]
    return document_requests(document, chunks, most, language)


def _chained(
    stages: Stages, documents: Sequence[Document], chunks: dict[str, list[Chunk]], language: str, *, woven: bool
) -> list[Chunk]:
    """Ask for each chunk's context from the one before it, the paper's way; documents advance side by side.

    Where replies are awaited, the next chunks wait for them: without the context before them they are other requests.
    """
    titled = {d.id: d for d in documents}
    depth = max(map(len, chunks.values()), default=0)
    for position in range(depth):
        now = {document: own for document, own in chunks.items() if len(own) > position}
        requests = [_chained_request(titled[d], own, position, language, woven=woven) for d, own in now.items()]
        replies = stages.run("context", ADD_CONTEXT, requests, [own[position].id for own in now.values()])
        for own, reply in zip(now.values(), replies, strict=True):
            if reply is not None:
                (own[position],) = with_contexts([own[position]], reply)
        if stages.awaited:
            stages.chained_left = depth - position - 1
            break
    return _in_order(chunks)


def _in_order(chunks: Mapping[str, Sequence[Chunk]]) -> list[Chunk]:
    return [chunk for document in sorted(chunks) for chunk in chunks[document]]


def _chained_request(
    document: Document, chunks: Sequence[Chunk], position: int, language: str, *, woven: bool
) -> AddContext:
    before = chunks[position - 1] if position else None
    return chained_request(document, chunks[position], before, language, woven=woven)
