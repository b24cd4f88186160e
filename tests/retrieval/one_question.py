"""What one question finds among a few candidates, with numbers that a test writes down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from autokb.core.ranking import Scores
from autokb.retrieval.candidates import Candidates
from autokb.retrieval.features import Evidence
from autokb.retrieval.knowledge_index import Asked, KnowledgeIndex


def evidence(
    candidates: Candidates,
    knowledge: KnowledgeIndex,
    numbers: Mapping[str, Sequence[float]] | None = None,
    long: float = 0.0,
    **said: str,
) -> Evidence:
    """Return the evidence of a question: ``numbers`` by the names of its fields, 0 where none are given."""
    given = numbers or {}

    def scores(name: str, size: int) -> Scores:
        return np.array(given.get(name, [0.0] * size), dtype=np.float64)

    rows, documents = len(candidates.rows), candidates.documents
    return Evidence(
        asked=Asked(knowledge, {name: frozenset(v.split("+")) for name, v in said.items()}),
        candidates=candidates,
        sections=scores("sections", rows),
        headings=scores("headings", rows),
        tokens=scores("tokens", rows),
        words=scores("words", documents),
        votes=scores("votes", documents),
        learnt=scores("learnt", documents),
        nodes=scores("nodes", len(knowledge.ids)),
        long=long,
    )
