"""Retrieval systems as functions from a question to documents, wired for the evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from autokb.app.embedding import open_embedder
from autokb.app.index import AskIndex, Look, fetch, load_index
from autokb.app.library import Library
from autokb.app.published import NOTHING_PUBLISHED, Published, published_spec, read_published
from autokb.app.stages import Progress, silent
from autokb.app.workspace import Workspace
from autokb.errors import AutokbError, BadInputError
from autokb.evaluation.annotation import read_sheet, sheet
from autokb.evaluation.datasets import read_qrels, read_queries, resolve
from autokb.evaluation.experiment import System, evaluate_retrieval
from autokb.evaluation.quality import quality
from autokb.knowledge.document_names import DocumentNames
from autokb.llm.embedders import Vectors
from autokb.retrieval.search import ChunkIndex, build_index, fused_equally, vectors_only, whole_chunks, words_only
from autokb.stores.knowledge_file import KnowledgeFile
from autokb.stores.vector_index import best_first

DEPTH = 10  # matches and documents that an evaluated answer holds
OFFLINE_SYSTEMS = (
    "raw",
    "raw+cc",
    "bm25",
    "vectors",
    "autokb",
    "autokb+hr",
    "autokb+nohistory",
    "autokb+hr+nohistory",
)
NEEDS_A_MODEL = {"llm-wk": "answers from a model's own knowledge, so it needs a model in settings.yaml"}


def evaluate_workspace_retrieval(
    workspace: Workspace, queries: Path, qrels: Path, names: Sequence[str] = (), progress: Progress = silent
) -> dict[str, Any]:
    """Answer ``evaluate retrieval`` for a workspace; no names means every system that runs here."""
    asked = read_queries(queries)
    judged = read_qrels(qrels)
    wanted = list(names) or list(OFFLINE_SYSTEMS)
    for name in wanted:
        if name in NEEDS_A_MODEL:
            raise BadInputError(f"The system {name} {NEEDS_A_MODEL[name]}.")
        if name not in OFFLINE_SYSTEMS:
            raise BadInputError(f"{name!r} is no system; the systems are {', '.join(OFFLINE_SYSTEMS)}.")
    with workspace.file() as file:
        published = read_published(file)
        if not published.kb.documents and not published.kb.issues:
            raise BadInputError(NOTHING_PUBLISHED.format(folder=workspace.folder))
        embedder = open_embedder(workspace.settings.embedder)
        index = load_index(published, published_spec(workspace, published), embedder, file, progress)
        systems = Systems(index, published, file)
        chosen: dict[str, System] = {name: systems.system(name) for name in wanted}
        done = _counter(progress, len(asked))
        documents = DocumentNames(tuple(published.kb.documents.values()))
        return evaluate_retrieval(chosen, asked, resolve(judged, documents.resolve), done=done)


def _counter(progress: Progress, total: int) -> Callable[[str], None]:
    counts: dict[str, int] = {}

    def done(system: str) -> None:
        counts[system] = counts.get(system, 0) + 1
        progress(system, counts[system], total)

    return done


class Systems:
    """The retrieval systems over one published knowledge base; a question is embedded once for all of them."""

    def __init__(self, index: AskIndex, published: Published, file: KnowledgeFile) -> None:
        self._index = index
        self._published = published
        self._file = file
        self._vector = lru_cache(maxsize=None)(lambda text: index.embedder.embed([text])[0])
        self._plain: dict[bool, ChunkIndex] = {}

    def system(self, name: str) -> System:
        """Return the system of a name; its indexes are built here, not at the first question."""
        if name in ("raw", "bm25", "vectors"):
            self._chunks(with_context=False)
        if name == "raw+cc":
            self._chunks(with_context=True)
        plain: dict[str, System] = {
            "raw": lambda text: self._fused(text, with_context=False),
            "raw+cc": lambda text: self._fused(text, with_context=True),
            "bm25": lambda text: self._ranked(words_only(self._chunks(with_context=False), text).documents),
            "vectors": self._vectors,
        }
        if name in plain:
            return plain[name]
        with_history = not name.endswith("+nohistory")
        if "+hr" in name:
            return lambda text: self._hybrid(text, with_history)
        return lambda text: self._vanilla(text, with_history)

    def _chunks(self, *, with_context: bool) -> ChunkIndex:
        """Index whole chunks as they stand, as the paper's baselines do: no title in front, no windows."""
        if with_context not in self._plain:
            library = Library.of(self._published.kb.documents, self._published.chunks)
            whole = whole_chunks(library.chunks, with_context)
            vectors = fetch(self._file, self._index.embedder, {"chunks": [w.text for w in whole]})["chunks"]
            texts = {w.chunk: w.text for w in whole}
            ids = [d.id for d in library.documents]
            self._plain[with_context] = build_index(ids, library.chunks, whole, vectors, None, texts)
        return self._plain[with_context]

    def _ranked(self, scores: np.ndarray[Any, np.dtype[np.float64]]) -> list[str]:
        return [self._index.chunks.documents[n] for n in best_first(scores, DEPTH)]

    def _fused(self, text: str, *, with_context: bool) -> list[str]:
        return self._ranked(fused_equally(self._chunks(with_context=with_context), self._vector(text), text))

    def _vectors(self, text: str) -> list[str]:
        found = vectors_only(self._chunks(with_context=False), self._vector(text))
        return self._ranked(found.documents)

    def _look(self, text: str, with_history: bool) -> Look:
        vector: Vectors = self._vector(text)
        return self._index.look(text, with_history=with_history, vector=vector)

    def _hybrid(self, text: str, with_history: bool) -> list[str]:
        """Rank documents as the answer does: those that the returned solutions cite, best first, then the rest."""
        look = self._look(text, with_history)
        answer = self._index.answer(look, {}, DEPTH)
        cited = {e.document for match in answer.matches for s in match.solutions for e in s.evidence}
        return self._cited_first(cited, look)

    def _vanilla(self, text: str, with_history: bool) -> list[str]:
        """Rank by the nearest nodes with no look at attributes: the paper's vanilla semantic search."""
        look, nodes = self._look(text, with_history), self._index.nodes
        knowledge = nodes.knowledge
        best = (hit.id for hit in knowledge.nearest(look.node_scores(nodes), DEPTH * 5))
        shown = [issue for issue in best if knowledge.solutions_of.get(issue)][:DEPTH]
        return self._cited_first({d for issue in shown for d in knowledge.cited[issue]}, look)

    def _cited_first(self, cited: set[str], look: Look) -> list[str]:
        scores = dict(zip(self._index.chunks.documents, look.documents.tolist(), strict=True))
        best_cited = sorted(cited & scores.keys(), key=lambda d: (-scores[d], d))
        return [*dict.fromkeys([*best_cited, *self._ranked(look.documents)])]


def evaluate_workspace_quality(
    workspace: Workspace, sheet_to: Path | None = None, read: Path | None = None, most: int | None = None
) -> dict[str, Any]:
    """Answer ``evaluate quality``; ``sheet_to`` writes the annotators' sheet, ``read`` takes a filled one in."""
    with workspace.file() as file:
        published = read_published(file)
    kb = published.kb
    if sheet_to is not None:
        try:
            sheet_to.write_text(sheet(kb.solutions.values(), kb.issues, most), encoding="utf-8", newline="")
        except OSError as error:
            raise AutokbError(f"{sheet_to} cannot be written ({error.strerror}).") from error
    agreement = read_sheet(read) if read is not None else None
    return quality(kb.solutions.values(), published_spec(workspace, published), agreement)
