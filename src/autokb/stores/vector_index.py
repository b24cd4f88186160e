"""Nearest unit vectors: exact as long as that is quick, a graph (HNSW) above, behind one port."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Positions = NDArray[np.int64]
Mask = NDArray[np.bool_]
# A pass over 70,000 rows takes 4 ms and needs nothing made beforehand; a graph answers in 2 ms, but takes a minute to
# make whenever a knowledge base is opened. So it pays only where a pass would take longer than a question may.
EXACT_UP_TO = 200_000
GRAPH_NEIGHBOURS = 16
ADDING_EFFORT = 96
SEARCHING_EFFORT = 256
SCORED_BY_GRAPH = 300
SPARE = 32  # more candidates than wanted, so that ties and near misses are sorted exactly


class VectorIndex(Protocol):
    """Finds the rows nearest to a unit vector; scores are cosines."""

    @property
    def vectors(self) -> Vectors:
        """Return the rows."""
        ...

    def search(self, vector: Vectors, k: int, mask: Mask | None = None) -> tuple[Positions, Vectors]:
        """Return at most k positions and their cosines, best first, ties by position; only where ``mask`` is true."""
        ...

    def scores(self, vector: Vectors) -> Vectors:
        """Return the cosine of every row; an approximate index gives rows far away the lowest cosine it found."""
        ...


@dataclass(frozen=True)
class ExactIndex:
    """All rows compared in one pass."""

    vectors: Vectors

    def search(self, vector: Vectors, k: int, mask: Mask | None = None) -> tuple[Positions, Vectors]:
        """Return the k best of all rows."""
        scores = self.scores(vector)
        allowed = np.arange(len(scores)) if mask is None else np.flatnonzero(mask)
        best = best_first(scores[allowed], k)
        return allowed[best], scores[allowed[best]]

    def scores(self, vector: Vectors) -> Vectors:
        """Return the cosine of every row."""
        return self.vectors @ vector


@dataclass(frozen=True)
class GraphIndex:
    """An HNSW graph finds candidates; their cosines are then worked out exactly."""

    vectors: Vectors
    graph: Any

    def search(self, vector: Vectors, k: int, mask: Mask | None = None) -> tuple[Positions, Vectors]:
        """Return about the k best rows; a mask is answered exactly, for a graph cannot promise k rows of it."""
        if mask is not None:
            allowed = np.flatnonzero(mask)
            scores = self.vectors[allowed] @ vector
            best = best_first(scores, k)
            return allowed[best], scores[best]
        # usearch names keys in its own order: sorted, so that ties fall by position here too
        wanted = min(max(k, 1) + SPARE, len(self.vectors))
        near = np.sort(self.graph.search(vector, wanted).keys.astype(np.int64))
        scores = self.vectors[near] @ vector
        best = best_first(scores, k)
        return near[best], scores[best]

    def scores(self, vector: Vectors) -> Vectors:
        """Return exact cosines for the nearest rows, the lowest of them for all others."""
        near, found = self.search(vector, SCORED_BY_GRAPH)
        scores = np.full(len(self.vectors), found[-1] if len(found) else 0.0, dtype=np.float32)
        scores[near] = found
        return scores


def vector_index(vectors: Vectors, exact_up_to: int = EXACT_UP_TO) -> VectorIndex:
    """Index unit vectors, in the way that suits their number."""
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    return ExactIndex(vectors) if len(vectors) <= exact_up_to else _graph(vectors)


def _graph(vectors: Vectors) -> GraphIndex:
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


def best_first(scores: NDArray[np.floating[Any]], k: int) -> Positions:
    """Return the positions of the k highest scores, best first, ties by position."""
    if k <= 0:
        return np.zeros(0, dtype=np.int64)
    if k < len(scores):
        lowest = np.partition(scores, len(scores) - k)[len(scores) - k]
        candidates = np.flatnonzero(scores >= lowest)  # ties with the last one stay in, so that position decides
    else:
        candidates = np.arange(len(scores))
    return candidates[np.argsort(-scores[candidates], kind="stable")][:k]
