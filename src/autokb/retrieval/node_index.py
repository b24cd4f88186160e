"""The nodes of a knowledge base as rows: their texts and the raw issues behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.core.ranking import Scores
from autokb.core.vectors import Vectors
from autokb.retrieval.knowledge_index import KnowledgeIndex


@dataclass(frozen=True)
class NodeIndex:
    """Row n of ``vectors`` is the text of node ``knowledge.ids[n]``; ``raw_rows`` are the rows of raw issues' nodes."""

    knowledge: KnowledgeIndex
    vectors: Vectors
    raw_vectors: Vectors
    raw_rows: NDArray[np.int64]

    @classmethod
    def of(cls, knowledge: KnowledgeIndex, vectors: Vectors, raw: Mapping[str, Vectors]) -> NodeIndex:
        """Index nodes with the raw issues behind them (``raw`` holds their vectors)."""
        raw_rows, raw_vectors = [], []
        for issue_id, row in knowledge.rows.items():
            for raw_id in knowledge.issues[issue_id].raw_issues:
                if raw_id in raw:
                    raw_rows.append(row)
                    raw_vectors.append(raw[raw_id])
        return cls(
            knowledge,
            vectors,
            np.array(raw_vectors, dtype=np.float32).reshape(len(raw_vectors), vectors.shape[1]),
            np.array(raw_rows, dtype=np.int64),
        )

    def similarities(self, vector: Vectors) -> Scores:
        """Return for every node the cosine of its text or of the nearest raw issue behind it, whichever is nearer."""
        nearest = (self.vectors @ vector).astype(np.float64)
        if len(self.raw_rows):
            np.maximum.at(nearest, self.raw_rows, self.raw_vectors @ vector)
        return nearest
