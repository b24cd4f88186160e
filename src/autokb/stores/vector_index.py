"""Nearest unit vectors: exact as long as that is quick, a graph (HNSW) above, behind one port."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from autokb.core.vectors import Vectors

# A pass over 70,000 rows takes 4 ms and needs nothing made beforehand; a graph answers in 2 ms, but takes a minute to
# make whenever a knowledge base is opened. So it pays only where a pass would take longer than a question may.
EXACT_UP_TO = 200_000  # rows (decision 004)
GRAPH_NEIGHBOURS = 16  # edges of a node: usearch's default
ADDING_EFFORT = 96  # candidates looked at for each row that is added
SEARCHING_EFFORT = 256  # candidates looked at for each question
SCORED_BY_GRAPH = 300  # rows whose cosine is worked out exactly


class VectorIndex(Protocol):
    """Compares a unit vector with all rows; scores are cosines."""

    @property
    def vectors(self) -> Vectors:
        """Return the rows."""
        ...

    def scores(self, vector: Vectors) -> Vectors:
        """Return the cosine of every row; an approximate index gives rows far away the lowest cosine it found."""
        ...


@dataclass(frozen=True)
class ExactIndex:
    """All rows compared in one pass."""

    vectors: Vectors

    def scores(self, vector: Vectors) -> Vectors:
        """Return the cosine of every row."""
        return self.vectors @ vector


@dataclass(frozen=True)
class GraphIndex:
    """An HNSW graph finds candidates; their cosines are then worked out exactly."""

    vectors: Vectors
    graph: Any

    def scores(self, vector: Vectors) -> Vectors:
        """Return exact cosines for the nearest rows, the lowest of them for all others."""
        wanted = min(SCORED_BY_GRAPH, len(self.vectors))
        near = self.graph.search(vector, wanted).keys.astype(np.int64)
        found = self.vectors[near] @ vector
        scores = np.full(len(self.vectors), found.min(initial=1.0) if len(found) else 0.0, dtype=np.float32)
        scores[near] = found
        return scores


def vector_index(vectors: Vectors, exact_up_to: int = EXACT_UP_TO) -> VectorIndex:
    """Index unit vectors, in the way that suits their number; without usearch the exact pass serves any number."""
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    if len(vectors) > exact_up_to:
        if find_spec("usearch") is not None:
            return _build_graph(vectors)
        _recommend_graph(exact_up_to)
    return ExactIndex(vectors)


@cache  # once a process: a knowledge base has several indexes
def _recommend_graph(exact_up_to: int) -> None:
    logging.getLogger(__name__).warning(
        "More than %s vectors are compared one by one with each question: the answers are right, an index would give "
        "them sooner: pip install 'autokb[usearch]'",
        f"{exact_up_to:,}",
    )


def _build_graph(vectors: Vectors) -> GraphIndex:
    # Loaded after usearch, onnxruntime crashes the process (seen with usearch 2.26 on Linux): the encoder goes first.
    import onnxruntime  # noqa: F401
    from usearch.index import Index

    graph = Index(
        ndim=vectors.shape[1],
        metric="ip",
        dtype="f32",
        connectivity=GRAPH_NEIGHBOURS,
        expansion_add=ADDING_EFFORT,
        expansion_search=SEARCHING_EFFORT,
    )
    # one thread: the graph, and so every answer, is then the same in each run
    graph.add(np.arange(len(vectors), dtype=np.uint64), vectors, threads=1)
    return GraphIndex(vectors, graph)
