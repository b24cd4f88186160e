"""LLM-WK: a knowledge base of nothing but a model's own knowledge, one answer to each raw issue (prompt G.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.nouns import RawIssue
from autokb.llm.embedders import Embedder, Vectors
from autokb.pipeline.models import OFFLINE, model_of
from autokb.pipeline.stages import Stages
from autokb.stores.vector_index import best_first
from autokb.stores.workspace import Workspace
from autokb.tasks.probes.unaided_solutions.task import TASK, SolveUnaided

UNAIDED = "llm-wk"
STAGE = "unaided"
NEAREST = 5  # issues whose solutions are looked at for a question

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Unaided:
    """The solved issues (row n of ``issues`` is the vector of issue n) and the vectors of each one's solutions."""

    issues: Vectors
    solutions: tuple[Vectors, ...]

    def ranker(self, documents: Callable[[Vectors], Scores]) -> Callable[[Vectors], Scores]:
        """Return what scores documents for a question, by what scores them for the text of a solution.

        A document's score is its nearness to a solution of one of the nearest issues and that issue's nearness to the
        question together.
        """

        @cache
        def of_issue(row: int) -> Scores:
            found: Scores = np.max([documents(vector) for vector in self.solutions[row]], axis=0)
            return found

        def score(vector: Vectors) -> Scores:
            near = (self.issues @ vector).astype(np.float64)
            best: Scores = np.max([near[row] + of_issue(int(row)) for row in best_first(near, NEAREST)], axis=0)
            return best

        return score


def check_model(workspace: Workspace) -> None:
    """Refuse where no model is set for the task that answers from a model's knowledge."""
    if model_of(workspace.settings, workspace.mode, TASK.name, STAGE) == OFFLINE:
        raise BadInputError(
            f"The system {UNAIDED} answers from a model's own knowledge; name one with --model, or in settings.yaml as "
            f"model: openai:NAME or tasks: {{{TASK.name}: openai:NAME}}."
        )


def ask_unaided(workspace: Workspace, stages: Stages, embedder: Embedder, raw_issues: Sequence[RawIssue]) -> Unaided:
    """Ask a model about every raw issue; issues that failed are missing and stand in the failures of the stages."""
    check_model(workspace)
    texts = {issue.full_text: issue.id for issue in raw_issues}
    domain = workspace.spec.description or workspace.spec.name
    replies = stages.run(STAGE, TASK, [SolveUnaided(domain, text) for text in texts], list(texts.values()))
    solved = [(text, reply) for text, reply in zip(texts, replies, strict=True) if reply is not None]
    if not solved:
        raise AutokbError(f"The model solved none of the {len(texts)} raw issues: {_first(stages)}")
    parts: list[Any] = [[text for text, _ in solved], *([s.text for s in reply.solutions] for _, reply in solved)]
    vectors = stages.embed("embeddings", embedder, [text for part in parts for text in part])
    issues, *solutions = np.split(vectors, np.cumsum([len(part) for part in parts])[:-1])
    return Unaided(issues, tuple(solutions))


def _first(stages: Stages) -> str:
    return stages.failures[0].reason if stages.failures else "there are none."
