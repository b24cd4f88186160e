"""Nearest unit vectors behind one port: exact as long as that is quick, above by fewer numbers a row at first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from autokb.core.ranking import Positions
from autokb.core.vectors import Vectors

EXACT_UP_TO = 200_000  # rows, which a pass compares in some 20 ms (decision 004)
AXES = 96  # numbers of a row that are compared first, of 384 of the packaged encoder
FITTED_ON = 20_000  # rows, evenly apart, that say in which directions rows differ most
COMPARED_EXACTLY = 1_000  # rows at least
SAMPLED = 17  # one row in so many says from which number on that many rows are near; no step of any regular order
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

    def near(self, vector: Vectors) -> tuple[Positions | None, Vectors]:
        """Return the rows that may be near, None for all of them, and their exact cosines."""
        ...

    def scores(self, vector: Vectors) -> Vectors:
        """Return the cosine of every row; an approximate index gives rows far away the lowest cosine it found."""
        ...


@dataclass(frozen=True)
class ExactIndex:
    """All rows compared in one pass."""

    vectors: Vectors

    def near(self, vector: Vectors) -> tuple[Positions | None, Vectors]:
        """Return the cosine of every row."""
        return None, self.vectors @ vector

    def scores(self, vector: Vectors) -> Vectors:
        """Return the cosine of every row."""
        return self.vectors @ vector


@dataclass(frozen=True)
class ProjectedIndex:
    """Rows compared along the ``axes`` in which they differ most; those that are near so are then compared exactly.

    ``axes`` (d, n) are the first n principal axes of the rows, around 0; ``projected`` has the rows along them.
    """

    vectors: Vectors
    axes: Vectors
    projected: Vectors

    @classmethod
    def of(cls, vectors: Vectors) -> ProjectedIndex:
        """Find the axes and project the rows."""
        sample = vectors[:: max(1, len(vectors) // FITTED_ON)].astype(np.float64)
        _, axes = np.linalg.eigh(sample.T @ sample)  # the last one has the most of the rows
        most = np.ascontiguousarray(axes[:, : -AXES - 1 : -1], dtype=np.float32)
        return cls(vectors, most, vectors @ most)

    def near(self, vector: Vectors) -> tuple[Positions | None, Vectors]:
        """Return some of the nearest rows, in order, and their cosines."""
        rows = _highest(self.projected @ (vector @ self.axes))
        return rows, self.vectors[rows] @ vector

    def scores(self, vector: Vectors) -> Vectors:
        """Return exact cosines for rows that are near, the lowest of them for all others."""
        return _filled(len(self.vectors), *self.near(vector))


@dataclass(frozen=True)
class GraphIndex:
    """An HNSW graph finds candidates; their cosines are then worked out exactly. It takes long to make."""

    vectors: Vectors
    graph: Any

    @classmethod
    def of(cls, vectors: Vectors) -> GraphIndex:
        """Make the graph (ImportError without the extra usearch)."""
        # Loaded after usearch, onnxruntime crashes the process (seen with usearch 2.26 on Linux): the encoder first.
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
        return cls(vectors, graph)

    def near(self, vector: Vectors) -> tuple[Positions | None, Vectors]:
        """Return some of the nearest rows and their cosines."""
        rows = self.graph.search(vector, min(SCORED_BY_GRAPH, len(self.vectors))).keys.astype(np.int64)
        return rows, self.vectors[rows] @ vector

    def scores(self, vector: Vectors) -> Vectors:
        """Return exact cosines for the nearest rows, the lowest of them for all others."""
        return _filled(len(self.vectors), *self.near(vector))


def vector_index(vectors: Vectors, exact_up_to: int = EXACT_UP_TO) -> VectorIndex:
    """Index unit vectors, in the way that suits their number."""
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    return ExactIndex(vectors) if len(vectors) <= exact_up_to else ProjectedIndex.of(vectors)


def _highest(scores: Vectors) -> Positions:
    """Return at least ``COMPARED_EXACTLY`` rows with the highest scores, in order.

    Where the few that are looked at first say badly how many rows lie above a number, all are looked at.
    """
    if len(scores) <= COMPARED_EXACTLY:
        return np.arange(len(scores))
    sample = scores[::SAMPLED]
    wanted = min(2 * COMPARED_EXACTLY // SAMPLED, len(sample))
    rows = np.flatnonzero(scores >= np.partition(sample, len(sample) - wanted)[len(sample) - wanted])
    if COMPARED_EXACTLY <= len(rows) <= SAMPLED * COMPARED_EXACTLY:
        return rows
    return np.sort(np.argpartition(-scores, COMPARED_EXACTLY)[:COMPARED_EXACTLY])


def _filled(count: int, rows: Positions | None, cosines: Vectors) -> Vectors:
    """Return a score for each of so many rows, where these have cosines."""
    scores = np.full(count, cosines.min(initial=1.0) if len(cosines) else 0.0, dtype=np.float32)
    scores[rows] = cosines
    return scores
