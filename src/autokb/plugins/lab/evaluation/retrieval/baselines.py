"""The papers' baselines: whole chunks by one plain search, and nothing but a model's own knowledge (prompt G.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.nouns import Chunk, RawIssue
from autokb.core.ranking import best_first
from autokb.core.vectors import Vectors
from autokb.plugins.lab.evaluation.experiment import Embed, TaskRunner
from autokb.plugins.lab.evaluation.retrieval.experiment import Ranker
from autokb.retrieval.search import ChunkIndex, build_index, fused_equally, vectors_only, whole_chunks, words_only
from autokb.tasks.probes.unaided_solutions.task import TASK, SolveByLLMOnly

DEPTH = 10  # documents of a ranking: the deepest metric is hit_rate@10
QueryVector = Callable[[str], Vectors]  # the text of a question -> its vector, (dimensions,)


def index_chunks(
    documents: Iterable[str], chunks: Iterable[Chunk], embed: Embed, *, language: str, with_context: bool = False
) -> ChunkIndex:
    """Index one vector a chunk, over the documents in the order of their ids; ``with_context`` puts contexts in front.

    A chunk of none of the documents is left out.
    """
    ids = sorted(documents)
    known = frozenset(ids)
    indexed = sorted((chunk for chunk in chunks if chunk.document in known), key=lambda chunk: chunk.document)
    whole = whole_chunks(indexed, with_context)
    vectors = embed([window.text for window in whole])
    return build_index(
        documents=ids,
        chunks=indexed,
        windows=whole,
        vectors=vectors,
        titles=None,
        word_texts={window.chunk: window.text for window in whole},
        language=language,
    )


def fused_baseline(chunks: ChunkIndex, query_vector: QueryVector) -> Ranker:
    """Return the system that fuses vectors and BM25 by reciprocal ranks, 1:1."""
    return lambda text: first_documents(chunks, fused_equally(chunks, query_vector(text), text))


def bm25_baseline(chunks: ChunkIndex) -> Ranker:
    """Return the system that ranks by words alone."""
    return lambda text: first_documents(chunks, words_only(chunks, text).documents)


def vector_baseline(chunks: ChunkIndex, query_vector: QueryVector) -> Ranker:
    """Return the system that ranks by vectors alone."""
    return lambda text: first_documents(chunks, vectors_only(chunks, query_vector(text)).documents)


def nearest_chunks(chunks: ChunkIndex, query_vector: QueryVector) -> Callable[[str], list[str]]:
    """Return what ranks chunks by their cosine alone, as the AutoKB paper searches raw chunks."""
    return lambda text: [hit.chunk for hit in vectors_only(chunks, query_vector(text)).best_chunks(DEPTH)]


def first_documents(chunks: ChunkIndex, scores: NDArray[np.floating[Any]]) -> Sequence[str]:
    """Return the documents with the highest scores, best first; ``scores`` are in the order of the index."""
    return [chunks.documents[n] for n in best_first(scores, DEPTH)]


STAGE = "unaided"
NEAREST_ISSUES = 5  # whose solutions are looked at for a question

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class SolvedIssues:
    """Raw issues that a model solved: row n of ``issues`` is the vector of issue n, ``solutions[n]`` are its own."""

    issues: Vectors
    solutions: tuple[Vectors, ...]


def solve_issues(runner: TaskRunner, embed: Embed, domain: str, raw_issues: Sequence[RawIssue]) -> SolvedIssues | None:
    """Ask a model about every raw issue, equal texts once; None where it solved none (the runner reports why)."""
    names = {issue.full_text: issue.id for issue in raw_issues}
    requests = [SolveByLLMOnly(domain, text) for text in names]
    replies = runner.run(STAGE, TASK, requests, list(names.values()))
    solved = {
        text: [solution.text for solution in reply.solutions]
        for text, reply in zip(names, replies, strict=True)
        if reply is not None
    }
    if not solved:
        return None
    parts = [list(solved), *solved.values()]
    vectors = embed([text for part in parts for text in part])
    issues, *solutions = np.split(vectors, np.cumsum([len(part) for part in parts])[:-1])
    return SolvedIssues(issues, tuple(solutions))


def llm_only_baseline(chunks: ChunkIndex, solved: SolvedIssues, query_vector: QueryVector) -> Ranker:
    """Return the system that ranks documents by what the model knows."""
    score = score_documents(solved, lambda vector: vectors_only(chunks, vector).documents)
    return lambda text: first_documents(chunks, score(query_vector(text)))


def score_documents(solved: SolvedIssues, documents: Callable[[Vectors], Scores]) -> Callable[[Vectors], Scores]:
    """Return what scores documents for a question, given what scores them for the text of a solution.

    A document's score is its nearness to a solution of one of the nearest issues and that issue's nearness to the
    question, added up.
    """

    @cache
    def of_issue(row: int) -> Scores:
        found: Scores = np.max([documents(vector) for vector in solved.solutions[row]], axis=0)
        return found

    def score(vector: Vectors) -> Scores:
        near = (solved.issues @ vector).astype(np.float64)
        rows = best_first(near, NEAREST_ISSUES)
        best: Scores = np.max([near[row] + of_issue(int(row)) for row in rows], axis=0)
        return best

    return score
