"""Nearest unit vectors: exact as long as that is quick, the nearest cells of them above, behind one port."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from autokb.core.vectors import Vectors

# A pass over 70,000 rows takes 4 ms and needs nothing made beforehand. Cells have to be made whenever a knowledge base
# is opened, so they pay only where a pass would take longer than a question may.
EXACT_UP_TO = 200_000  # rows (decision 004)
ROWS_COMPARED = 40_000  # of the nearest cells, with each question: some 60 MB of 384 numbers each
ROWS_A_CENTRE = 32  # that a centre is found from; more moves it hardly
ROUNDS = 6  # of k-means
ROWS_AT_ONCE = 8_192  # that are compared with all centres in one product


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
class CellIndex:
    """Rows in cells around centres (k-means), those of the cells nearest to a question compared exactly.

    The rows of a cell lie together in memory, so that comparing them is one product: place n of ``placed`` is row
    ``rows[n]``, and cell c is ``placed[starts[c]:starts[c + 1]]``.
    """

    vectors: Vectors
    placed: Vectors
    rows: NDArray[np.int64]
    starts: NDArray[np.int64]
    centres: Vectors

    def scores(self, vector: Vectors) -> Vectors:
        """Return exact cosines for the rows of the nearest cells, the lowest of them for all others."""
        nearest = np.argsort(-(self.centres @ vector), kind="stable")
        enough = np.searchsorted(np.cumsum(np.diff(self.starts)[nearest]), ROWS_COMPARED)
        spans = [slice(*self.starts[cell : cell + 2]) for cell in nearest[: enough + 1]]
        found = np.concatenate([self.placed[span] @ vector for span in spans])
        scores = np.full(len(self.rows), found.min(initial=1.0), dtype=np.float32)
        scores[np.concatenate([self.rows[span] for span in spans])] = found
        return scores


def vector_index(vectors: Vectors, exact_up_to: int = EXACT_UP_TO) -> VectorIndex:
    """Index unit vectors, in the way that suits their number."""
    vectors = np.ascontiguousarray(vectors, dtype=np.float32)
    return ExactIndex(vectors) if len(vectors) <= exact_up_to else _make_cells(vectors)


def _make_cells(vectors: Vectors) -> CellIndex:
    """Put rows into cells; the same rows give the same cells in each run."""
    centres = _find_centres(vectors, max(round(math.sqrt(len(vectors)) / 2), 1))
    cell_of = _nearest_centres(vectors, centres)
    rows = np.argsort(cell_of, kind="stable")
    counts = np.bincount(cell_of, minlength=len(centres))
    return CellIndex(vectors, vectors[rows], rows, np.concatenate([[0], np.cumsum(counts)]), centres)


def _find_centres(vectors: Vectors, count: int) -> Vectors:
    rng = np.random.default_rng(len(vectors))
    sample = vectors[np.sort(rng.choice(len(vectors), min(count * ROWS_A_CENTRE, len(vectors)), replace=False))]
    centres = sample[rng.choice(len(sample), count, replace=False)]
    for _ in range(ROUNDS):
        cell_of = _nearest_centres(sample, centres)
        sums = np.zeros_like(centres)
        np.add.at(sums, cell_of, sample)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(lengths > 0, sums / np.maximum(lengths, 1e-12), centres)  # an empty cell stays
    return centres


def _nearest_centres(vectors: Vectors, centres: Vectors) -> NDArray[np.int64]:
    parts = (vectors[start : start + ROWS_AT_ONCE] for start in range(0, len(vectors), ROWS_AT_ONCE))
    return np.concatenate([(part @ centres.T).argmax(axis=1) for part in parts])
