"""Documents become chunks with context (algorithm 1, lines 2 to 5)."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.app.cut_documents import cut
from autokb.app.models import OFFLINE, model_of
from autokb.app.stages import Stages
from autokb.app.workspace import Workspace
from autokb.chunking.context import chained_request, document_request, document_requests, with_contexts
from autokb.core.nouns import Chunk, Document
from autokb.tasks.chunking.add_context.task import TASK as ADD_CONTEXT
from autokb.tasks.chunking.add_context.task import AddContext

MODEL_READS = 40_000  # characters of a document that a model is asked about at once


def cut_documents(stages: Stages, workspace: Workspace, documents: Sequence[Document]) -> list[Chunk]:
    """Cut every document that is new or changed, and give its chunks their context.

    A document that cannot be cut is a failure and has no chunks; a context that fails is a failure and stays empty.
    """
    chunks = cut(stages, workspace.settings, documents)
    asked = model_of(workspace.settings, workspace.mode, ADD_CONTEXT.name, "context") != OFFLINE
    if context_way(workspace) == "chained":
        return _one_by_one(stages, documents, chunks)
    return _in_one(stages, documents, chunks, MODEL_READS if asked else None)


def context_way(workspace: Workspace) -> str:
    """Return how contexts are asked for: as the settings say, else chained in paper mode with a model."""
    settings = workspace.settings
    if settings.context:
        return settings.context
    asked = model_of(settings, workspace.mode, ADD_CONTEXT.name, "context") != OFFLINE
    return "chained" if asked and workspace.mode == "paper" else "document"


def _in_one(
    stages: Stages, documents: Sequence[Document], chunks: dict[str, list[Chunk]], most: int | None
) -> list[Chunk]:
    """Ask for the contexts of a document's chunks at once: an edit re-asks for its own document only.

    A document of more than ``most`` characters is asked about in parts.
    """
    asked = [d for d in documents if chunks.get(d.id)]
    parts = [(d, request) for d in asked for request in context_requests(d, chunks[d.id], most)]
    replies = stages.run("context", ADD_CONTEXT, [request for _, request in parts], [d.id for d, _ in parts])
    found: list[Chunk] = []
    begin: dict[str, int] = {}
    for (document, request), reply in zip(parts, replies, strict=True):
        start = begin.get(document.id, 0)
        begin[document.id] = start + len(request.passages)
        own = chunks[document.id][start : begin[document.id]]
        found += own if reply is None else with_contexts(own, reply)
    return found


def context_requests(document: Document, chunks: Sequence[Chunk], most: int | None) -> list[AddContext]:
    """Return the requests for the contexts of a document's chunks: one, or parts of at most ``most`` characters."""
    return [document_request(document, chunks)] if most is None else document_requests(document, chunks, most)


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
