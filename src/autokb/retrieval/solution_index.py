"""What can be shown, as rows: the displayed solutions of all nodes, and the passages of all documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autokb.core.nouns import Solution
from autokb.core.ranking import Positions, Scores
from autokb.core.vectors import Vectors
from autokb.retrieval.knowledge_index import KnowledgeIndex

BY_HAND = 1  # the rank of a solution that a person wrote, which is first on its node


@dataclass(frozen=True)
class SolutionIndex:
    """Row n of ``vectors`` is the text of ``solutions[n]``; ``nodes[n]`` is the row of its node, -1 for a passage.

    ``rows_of`` holds the rows by the document that a solution cites first; one that cites none is a document of its own,
    under its id.
    """

    solutions: tuple[Solution, ...]
    vectors: Vectors
    nodes: Positions
    ranks: Scores
    rows_of: Mapping[str, Positions]
    row_of: Mapping[str, int]

    @classmethod
    def of(
        cls, knowledge: KnowledgeIndex, passages: Sequence[Solution], vectors: Mapping[str, Vectors], dimensions: int
    ) -> SolutionIndex:
        """Index the displayed solutions and passages; ``vectors`` holds those of their texts, each of ``dimensions``."""
        shown = (*(s for i in knowledge.ids for s in knowledge.solutions_of.get(i, ())), *passages)
        rows: dict[str, list[int]] = {}
        for row, solution in enumerate(shown):
            rows.setdefault(cited_first(solution), []).append(row)
        return cls(
            solutions=shown,
            vectors=np.array([vectors[s.text] for s in shown], dtype=np.float32).reshape(len(shown), dimensions),
            nodes=np.array([knowledge.rows.get(s.issue_id, -1) for s in shown], dtype=np.int64),
            ranks=np.array([s.rank or BY_HAND for s in shown], dtype=np.float64),
            rows_of={document: np.array(found, dtype=np.int64) for document, found in rows.items()},
            row_of={solution.id: row for row, solution in enumerate(shown)},
        )

    def similarities(self, vector: Vectors) -> Scores:
        """Return the cosine of every row to a question."""
        cosines: Scores = (self.vectors @ vector).astype(np.float64)
        return cosines


def shown_texts(knowledge: KnowledgeIndex, passages: Sequence[Solution]) -> Iterator[str]:
    """Yield what is embedded of everything that can be shown."""
    yield from (s.text for some in knowledge.solutions_of.values() for s in some)
    yield from (passage.text for passage in passages)


def cited_first(solution: Solution) -> str:
    """Return the document that a solution is shown for; one by hand is a document of its own."""
    return solution.evidence[0].document if solution.evidence else solution.id
