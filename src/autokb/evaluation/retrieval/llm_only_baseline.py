"""LLM-WK: the paper's baseline of nothing but a model's own knowledge, one answer to each raw issue (prompt G.1).

Its solutions cite nothing, so documents are ranked by how near they are to the solutions of the nearest raw issues.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from autokb.core.nouns import RawIssue
from autokb.core.ranking import best_first
from autokb.core.vectors import Vectors
from autokb.evaluation.retrieval.chunk_baselines import QueryVector, first_documents
from autokb.evaluation.retrieval.experiment import System
from autokb.evaluation.runner import Embed, TaskRunner
from autokb.retrieval.search import ChunkIndex, vectors_only
from autokb.tasks.probes.unaided_solutions.task import TASK, SolveByLLMOnly

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


def llm_only_baseline(chunks: ChunkIndex, solved: SolvedIssues, query_vector: QueryVector) -> System:
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
