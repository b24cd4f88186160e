"""What can be shown, as rows: the displayed solutions of all nodes, and the passages of all documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autokb.core.nouns import DISPLAYED, Evidence, Passage, Solution
from autokb.core.ranking import Positions, Scores
from autokb.core.vectors import Vectors
from autokb.retrieval.knowledge_index import KnowledgeIndex
from autokb.retrieval.search import ChunkIndex
from autokb.stores.word_index import WordIndex

BEST = 1  # the rank of a solution that a person wrote, which is first on its node, and of a passage, which has none


@dataclass(frozen=True)
class SolutionIndex:
    """Row n of ``vectors`` is the section of ``solutions[n]``; ``nodes[n]`` is its node's row, else -1.

    ``rows_of`` holds the rows by the document that a solution cites first. One that cites none was written by hand
    (``by_hand``) and is a document of its own, under its id. ``passage_rows[n]`` is a passage of the document in column
    ``passage_documents[n]``; ``words`` are those of all rows.
    """

    solutions: tuple[Solution, ...]
    vectors: Vectors
    nodes: Positions
    ranks: Scores
    rows_of: Mapping[str, Positions]
    row_of: Mapping[str, int]
    by_hand: Positions
    passages: Mapping[str, Passage]
    passages_of: Mapping[str, Sequence[Passage]]
    documents: int
    passage_rows: Positions
    passage_documents: Positions
    words: WordIndex

    @classmethod
    def of(
        cls,
        knowledge: KnowledgeIndex,
        passages: Sequence[Passage],
        vectors: Mapping[str, Vectors],
        chunks: ChunkIndex,
    ) -> SolutionIndex:
        """Index the displayed solutions and passages; ``vectors`` holds those of their ``shown_texts``."""
        kept = shown_passages(passages)
        shown, passages_of = _shown_rows(knowledge, kept), _by_document(kept)
        rows: dict[str, list[int]] = {}
        for row, solution in enumerate(shown):
            rows.setdefault(cited_first(solution), []).append(row)
        texts, dimensions = _row_texts(shown, passages_of), chunks.vectors.vectors.shape[1]
        place = {document: column for column, document in enumerate(chunks.documents)}
        of_passages = [
            (row, place[document])
            for document, found in rows.items()
            for row in found
            if not shown[row].issue_id and document in place
        ]
        return cls(
            solutions=shown,
            vectors=np.array([vectors[t] for t in texts], dtype=np.float32).reshape(len(texts), dimensions),
            nodes=np.array([knowledge.rows.get(s.issue_id, -1) for s in shown], dtype=np.int64),
            ranks=np.array([(s.issue_id and s.rank) or BEST for s in shown], dtype=np.float64),
            rows_of={document: np.array(found, dtype=np.int64) for document, found in rows.items()},
            row_of={solution.id: row for row, solution in enumerate(shown)},
            by_hand=np.array([row for row, solution in enumerate(shown) if not solution.evidence], dtype=np.int64),
            passages={p.solution.id: p for p in kept},
            passages_of=passages_of,
            documents=len(chunks.documents),
            passage_rows=np.array([row for row, _ in of_passages], dtype=np.int64),
            passage_documents=np.array([column for _, column in of_passages], dtype=np.int64),
            words=WordIndex.build([s.text for s in shown], chunks.words.language),
        )

    def similarities(self, vector: Vectors) -> Scores:
        """Return the cosine of every row to a question."""
        cosines: Scores = (self.vectors @ vector).astype(np.float64)
        return cosines

    def best_passages(self, cosines: Scores) -> Scores:
        """Return for every document the best cosine of its passages, else 0."""
        best = np.zeros(self.documents)
        np.maximum.at(best, self.passage_documents, cosines[self.passage_rows])
        return best

    def section_of(self, solution: Solution) -> Passage | None:
        """Return the passage that a solution's first step stands in."""
        if not solution.evidence or solution.id in self.passages:
            return self.passages.get(solution.id)
        return _find_passage(solution.evidence[0], self.passages_of)

    def beside(self, passage: Passage) -> list[Passage]:
        """Return the passages under the same heading as a passage's own heading, itself among them."""
        found = self.passages_of.get(cited_first(passage.solution), ())
        return [p for p in found if p.headings[:-1] == passage.headings[:-1]]


def _find_passage(place: Evidence, passages_of: Mapping[str, Sequence[Passage]]) -> Passage | None:
    for passage in passages_of.get(place.document, ()):
        if any(e.start < place.end and e.end > place.start for e in passage.solution.evidence):
            return passage
    return None


def shown_passages(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages that the rules leave to be shown."""
    return [p for p in passages if p.solution.status in DISPLAYED]


def without_rejected(passages: Sequence[Passage], solutions: Iterable[Solution]) -> list[Passage]:
    """Return the passages but for those that people took out of sight: no solution made from their steps is shown.

    A place is where a first step begins; one that is shown on some node and rejected on another stays.
    """
    shown: set[tuple[str, int]] = set()
    judged: set[tuple[str, int]] = set()
    for solution in solutions:
        places = {(e.document, e.start) for e in solution.evidence[:1]}
        if solution.status in DISPLAYED:
            shown |= places
        elif solution.status in ("rejected", "hidden"):
            judged |= places
    gone = judged - shown
    return [p for p in passages if not any((e.document, e.start) in gone for e in p.solution.evidence)]


def shown_texts(knowledge: KnowledgeIndex, passages: Sequence[Passage]) -> list[str]:
    """Return what is embedded of everything that can be shown, a text a row."""
    kept = shown_passages(passages)
    return _row_texts(_shown_rows(knowledge, kept), _by_document(kept))


def _shown_rows(knowledge: KnowledgeIndex, kept: Sequence[Passage]) -> tuple[Solution, ...]:
    return (*(s for i in knowledge.ids for s in knowledge.solutions_of.get(i, ())), *(p.solution for p in kept))


def _by_document(kept: Sequence[Passage]) -> dict[str, tuple[Passage, ...]]:
    found: dict[str, list[Passage]] = {}
    for passage in kept:
        found.setdefault(cited_first(passage.solution), []).append(passage)
    return {document: tuple(passages) for document, passages in found.items()}


def _row_texts(shown: Sequence[Solution], passages_of: Mapping[str, Sequence[Passage]]) -> list[str]:
    """Return each solution's whole section; where it has none, as one by hand, its own text.

    A section tells the symptoms and explanations that steps leave out. Adding the steps' own vector moved no figure
    (tuning half: .61 and .60 of the first shown are right) and cost an embedding a solution.
    """
    sections: dict[Evidence, Passage | None] = {}
    texts = []
    for solution in shown:
        passage = None
        for place in solution.evidence[:1]:
            if place not in sections:
                sections[place] = _find_passage(place, passages_of)
            passage = sections[place]
        texts.append(solution.text if passage is None else passage.section)
    return texts


def cited_first(solution: Solution) -> str:
    """Return the document that a solution is shown for; one by hand is a document of its own."""
    return solution.evidence[0].document if solution.evidence else solution.id
