"""An index over the parts of a knowledge base that a question needs, with the numbers of all of it."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autokb.core.domain import DomainSpec
from autokb.core.nouns import Solution
from autokb.core.vectors import TokenVectors, Vectors
from autokb.pipeline.searched_store import Found
from autokb.plugins.postgres.parts import DocumentPart, Numbers, PastPart, TreePart, centroid
from autokb.retrieval.candidates import Candidate, Candidates, candidates_of
from autokb.retrieval.history import History, Learnt, history_of
from autokb.retrieval.index import QuestionIndex, ScoredQuestion
from autokb.retrieval.knowledge_index import KnowledgeIndex, NodeIndex, QuestionMatch
from autokb.retrieval.late_interaction import TokensOnDemand, idf_of_pieces
from autokb.retrieval.ranker import packaged_ranker
from autokb.retrieval.search import ChunkIndex
from autokb.stores.vector_index import ExactIndex
from autokb.stores.word_index import CountedWords, WordCounts
from autokb.text.word_forms import Spelling


@dataclass(frozen=True)
class Slice:
    """What of a knowledge base a question reads, in the order of the ids.

    ``texts_with`` says how many chunks of all documents have each word that the question may say. What was ``learnt``
    of past issues has the own columns of these documents.
    """

    documents: Sequence[DocumentPart]
    trees: Sequence[TreePart]
    past: Sequence[PastPart]
    texts_with: WordCounts
    learnt: Learnt


@dataclass(frozen=True)
class SliceReader:
    """What all slices of one publication share; ``index_of`` makes an index of the rest, with what does not vary."""

    index_of: Callable[..., QuestionIndex]
    spec: DomainSpec
    embed_questions: Callable[[Sequence[str]], Vectors]
    dimensions: int
    numbers: Numbers
    read_tokens: Callable[[Sequence[str]], list[TokenVectors]] | None

    @cached_property
    def _idf(self) -> NDArray[np.float64]:
        return idf_of_pieces(self.numbers.pieces, self.numbers.candidates)

    def index(
        self,
        found: Slice,
        spelling: Spelling | None,
        embed_questions: Callable[[Sequence[str]], Vectors] | None = None,
    ) -> QuestionIndex:
        """Return an index over a slice, which answers as that over everything if what is best is in it."""
        knowledge, shown = self._shown(found)
        chunks = self._chunks(found)
        tokens = None
        if self.read_tokens is not None:
            tokens = TokensOnDemand(lambda row: shown[row].searched_text, self.read_tokens, self._idf)
        return self.index_of(
            embed_questions=embed_questions or self.embed_questions,
            nodes=self._nodes(knowledge, found.trees),
            candidates=Candidates.at(shown, knowledge, *self._vectors(found, shown), chunks),
            chunks=chunks,
            history=self._history(found),
            spelling=spelling,
            tokens=tokens,
            ranker=packaged_ranker(reads_tokens=tokens is not None),
        )

    def with_trees(self, index: QuestionIndex, scored: ScoredQuestion, found: Slice) -> Found:
        """Return an index with other trees, and what a question found by it.

        Which tree shows a section changes no rank. Solutions that begin in none of the sections stay as they were.
        """
        knowledge, shown = self._shown(found)
        before = index.candidates
        sections = [one for one in shown if one.passage is not None and not one.is_withheld]
        rows = [*sections, *before.rows[len(sections) :]]
        candidates = Candidates.at(rows, knowledge, before.vectors, before.headings, index.chunks)
        nodes = self._nodes(knowledge, found.trees)
        asked = scored.evidence.asked
        evidence = replace(
            scored.evidence,
            asked=QuestionMatch(knowledge, asked.attributes, asked.within, asked.beside),
            candidates=candidates,
            nodes=nodes.similarities(scored.vector),
        )
        return replace(index, nodes=nodes, candidates=candidates), replace(scored, evidence=evidence)

    # Complex: the issues, solutions and passages of all parts are put together, each by one comprehension.
    def _shown(self, found: Slice) -> tuple[KnowledgeIndex, list[Candidate]]:
        """Return the nodes, and what can be shown: the sections, and solutions that begin in none of their documents.

        What begins in a document that is not there is left out.
        """
        here = {document.id for document in found.documents}
        solutions = [s for tree in found.trees for s in tree.solutions]
        passages = [p for document in found.documents for p in document.passages]
        issues = (i for tree in found.trees for i in tree.issues)
        knowledge = KnowledgeIndex.of(issues, solutions, self.spec.attributes, (p.solution for p in passages))
        shown = candidates_of(knowledge, passages, withheld=True)
        return knowledge, [one for one in shown if one.passage is not None or _begins_in(one.solution, here)]

    def _history(self, found: Slice) -> History:
        past = [part.issue for part in found.past]
        return history_of(
            found.learnt,
            [document.id for document in found.documents],
            past,
            self._rows(part.vector for part in found.past),
            self._rows(centroid(document.windows) for document in found.documents),
            self.spec.language,
            known=frozenset(d for one in past for d in one.documents),
        )

    def _chunks(self, found: Slice) -> ChunkIndex:
        """Return what is searched of the documents: windows in the order of their chunks."""
        documents = found.documents
        of_document = [len(document.chunks) for document in documents]
        before = np.cumsum([0, *of_document])
        chunk_of = np.concatenate(
            [np.zeros(0, dtype=np.int64), *(d.window_chunks + n for d, n in zip(documents, before, strict=False))]
        )
        chunk_document = np.repeat(np.arange(len(documents)), of_document).astype(np.int64)
        filled = np.unique(chunk_document)
        numbers = self.numbers
        return ChunkIndex(
            documents=tuple(document.id for document in documents),
            chunks=tuple(chunk for document in documents for chunk in document.chunks),
            windows=(),  # their places are for whoever builds
            vectors=ExactIndex(np.concatenate([self._rows(()), *(document.windows for document in documents)])),
            titles=None,
            words=CountedWords(
                [counts for document in documents for counts in document.terms],
                numbers.chunks,
                numbers.length,
                found.texts_with,
                self.spec.language,
            ),
            chunk_document=chunk_document,
            chunk_starts=np.searchsorted(chunk_of, np.arange(before[-1])),
            document_starts=np.searchsorted(chunk_document[chunk_of], filled),
            filled=filled,
        )

    def _nodes(self, knowledge: KnowledgeIndex, trees: Sequence[TreePart]) -> NodeIndex:
        """Return the nodes with the raw issues behind them."""
        of_nodes = {issue.id: row for tree in trees for issue, row in zip(tree.issues, tree.vectors, strict=True)}
        raw = {i: vector for tree in trees for i, vector in tree.raw.items()}
        return NodeIndex.of(knowledge, self._rows(of_nodes[i] for i in knowledge.ids), raw)

    def _rows(self, vectors: Iterable[Vectors]) -> Vectors:
        rows = list(vectors)
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimensions)

    # Complex: the vectors of sections are those of their documents, of others those of their trees.
    def _vectors(self, found: Slice, shown: Sequence[Candidate]) -> tuple[Vectors, Vectors]:
        """Return the vectors of what can be shown, those of the sections and of the headings."""
        place = {p.solution.id: n for n, p in enumerate(p for document in found.documents for p in document.passages)}
        alone = {text: vector for tree in found.trees for text, vector in tree.alone.items()}
        rows = [place[one.passage.solution.id] for one in shown if one.passage is not None]
        behind = [one for one in shown if one.passage is None]  # which come last
        sections = np.concatenate([self._rows(()), *(document.sections for document in found.documents)])[rows]
        headings = np.concatenate([self._rows(()), *(document.headings for document in found.documents)])[rows]
        return (
            np.concatenate([sections, self._rows(alone[one.searched_text] for one in behind)]),
            np.concatenate([headings, self._rows(alone[one.searched_headings] for one in behind)]),
        )


def _begins_in(solution: Solution, documents: Container[str]) -> bool:
    """Return whether a solution begins in one of the documents, or in none, as one by hand."""
    return not solution.evidence or solution.evidence[0].document in documents
