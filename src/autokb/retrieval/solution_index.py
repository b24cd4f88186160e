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

SAME_MATTER = 0.5  # likeness of headings, values masked, from which they are about the same
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
        sections = _sections_of(shown, kept, passages_of)
        texts, dimensions = _section_texts(shown, sections), chunks.vectors.vectors.shape[1]
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
            words=WordIndex.build(_searched_words(shown, sections), chunks.words.language),
        )

    def similarities(self, vector: Vectors) -> Scores:
        """Return the cosine of every row to a question."""
        cosines: Scores = (self.vectors @ vector).astype(np.float64)
        return cosines

    def best_passages(self, scores: Scores) -> Scores:
        """Return for every document the best of these scores, one a row, that one of its passages has, else 0."""
        best = np.zeros(self.documents)
        np.maximum.at(best, self.passage_documents, scores[self.passage_rows])
        return best

    def section_of(self, solution: Solution) -> Passage | None:
        """Return the passage that a solution's first step stands in."""
        if not solution.evidence or solution.id in self.passages:
            return self.passages.get(solution.id)
        return _find_passage(solution.evidence[0], self.passages_of)

    def about_the_same(self, passage: Passage) -> list[Passage]:
        """Return the passages of a passage's document whose headings are about the same matter, itself among them."""
        found = self.passages_of.get(cited_first(passage.solution), ())
        return [p for p in found if _likeness(p, passage) >= SAME_MATTER]


def _likeness(one: Passage, other: Passage) -> float:
    """Return how alike the headings of two passages are below those that they share, values masked; 1 for the same."""
    below = next((n for n, (a, b) in enumerate(zip(one.headings, other.headings, strict=False)) if a != b), None)
    if below is None:
        return float(one.headings == other.headings)
    mine, others = (frozenset(word for words in p.masked[below:] for word in words) for p in (one, other))
    return 2 * len(mine & others) / max(1, len(mine) + len(others))


def _find_passage(place: Evidence, passages_of: Mapping[str, Sequence[Passage]]) -> Passage | None:
    """Return the passage that a place stands in: of those with its words the last that begins before its end.

    Others refer to it and bring its steps along. Passages are in the order of their document.
    """
    found: Passage | None = None
    for passage in passages_of.get(place.document, ()):
        if found is not None and passage.solution.evidence[0].start >= place.end:
            break
        if any(e.start < place.end and e.end > place.start for e in passage.solution.evidence):
            found = passage
    return found


def _sections_of(
    shown: Sequence[Solution], kept: Sequence[Passage], passages_of: Mapping[str, Sequence[Passage]]
) -> tuple[Passage | None, ...]:
    """Return the section that each row begins in: a passage its own; None where it has none, as one by hand."""
    own = {passage.solution.id: passage for passage in kept}
    found: dict[Evidence, Passage | None] = {}
    for solution in shown:
        for place in solution.evidence[:1]:
            if place not in found and solution.id not in own:
                found[place] = _find_passage(place, passages_of)
    return tuple(own.get(s.id) or (found[s.evidence[0]] if s.evidence else None) for s in shown)


def _section_texts(shown: Sequence[Solution], sections: Sequence[Passage | None]) -> list[str]:
    """Return the whole section of each solution, which is embedded; its own text where it has none, as one by hand.

    A section tells the symptoms and explanations that steps leave out. Adding the steps' own vector moved no figure
    (tuning half: .61 and .60 of the first shown are right) and cost an embedding a solution.
    """
    return [s.text if section is None else section.section for s, section in zip(shown, sections, strict=True)]


def _searched_words(shown: Sequence[Solution], sections: Sequence[Passage | None]) -> list[str]:
    """Return the text of each solution's section with the headings above it, else its own, as words are looked for."""
    return [
        solution.text if passage is None else "\n".join((*passage.headings, passage.section))
        for solution, passage in zip(shown, sections, strict=True)
    ]


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
    shown = _shown_rows(knowledge, kept)
    return _section_texts(shown, _sections_of(shown, kept, _by_document(kept)))


def _shown_rows(knowledge: KnowledgeIndex, kept: Sequence[Passage]) -> tuple[Solution, ...]:
    return (*(s for i in knowledge.ids for s in knowledge.solutions_of.get(i, ())), *(p.solution for p in kept))


def _by_document(kept: Sequence[Passage]) -> dict[str, tuple[Passage, ...]]:
    found: dict[str, list[Passage]] = {}
    for passage in kept:
        found.setdefault(cited_first(passage.solution), []).append(passage)
    return {document: tuple(passages) for document, passages in found.items()}


def cited_first(solution: Solution) -> str:
    """Return the document that a solution is shown for; one by hand is a document of its own."""
    return solution.evidence[0].document if solution.evidence else solution.id
