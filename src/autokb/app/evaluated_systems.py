"""Retrieval systems as functions from a question to documents, over one published knowledge base."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from autokb.app.unaided import UNAIDED, Unaided
from autokb.core.errors import BadInputError
from autokb.evaluation.experiment import System
from autokb.llm.embedders import Vectors
from autokb.retrieval.corpus import Library
from autokb.retrieval.index import AskIndex, Look, fetch
from autokb.retrieval.search import ChunkIndex, build_index, fused_equally, vectors_only, whole_chunks, words_only
from autokb.stores.published import Published
from autokb.stores.vector_index import best_first
from autokb.stores.workspace_file import WorkspaceFile

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


def chosen(names: Sequence[str]) -> list[str]:
    """Return the systems of these names, or all that ask no model; an unknown name is refused."""
    for name in names:
        if name not in (*OFFLINE_SYSTEMS, UNAIDED):
            known = ", ".join((*OFFLINE_SYSTEMS, UNAIDED))
            raise BadInputError(f"{name!r} is no system; the systems are {known}.")
    return list(names) or list(OFFLINE_SYSTEMS)


def no_model() -> Unaided:
    """Refuse to answer from a model's knowledge where none is at hand."""
    raise BadInputError(f"The system {UNAIDED} answers from a model's own knowledge and none is given.")


class Systems:
    """The retrieval systems over one published knowledge base; a question is embedded once for all of them."""

    def __init__(
        self, index: AskIndex, published: Published, file: WorkspaceFile, ask: Callable[[], Unaided] = no_model
    ) -> None:
        self._index = index
        self._published = published
        self._file = file
        self._vector = lru_cache(maxsize=None)(self._embedded)
        self._known: dict[str, Vectors] = {}
        self._plain: dict[bool, ChunkIndex] = {}
        self._ask = ask

    def know(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Take vectors of questions that were worked out together."""
        self._known.update(zip(texts, vectors, strict=True))

    def _embedded(self, text: str) -> Vectors:
        known = self._known.get(text)
        return self._index.embedder.embed([text])[0] if known is None else known

    def system(self, name: str) -> System:
        """Return the system of a name; its indexes are built here, not at the first question."""
        if name in ("raw", "bm25", "vectors"):
            self._chunks(with_context=False)
        if name == "raw+cc":
            self._chunks(with_context=True)
        if name == UNAIDED:
            return self._unaided()
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

    def _unaided(self) -> System:
        """Rank by what a model knows by itself: its solutions cite nothing, so the documents nearest to them count."""
        chunks = self._chunks(with_context=False)
        nearest = self._ask().ranker(lambda vector: vectors_only(chunks, vector).documents)
        return lambda text: self._ranked(nearest(self._vector(text)))

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
