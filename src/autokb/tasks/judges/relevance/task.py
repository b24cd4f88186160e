"""The task that scores from 0 to 4 how well a chunk answers a question (tenet 5 of the AutoChunker paper)."""

from __future__ import annotations

from autokb.tasks.judges.relevance import model
from autokb.tasks.judges.relevance.shapes import HIGHEST, JudgedRelevance, JudgeRelevance
from autokb.tasks.task import Task

__all__ = ["HIGHEST", "TASK", "JudgeRelevance", "JudgedRelevance"]


def _offline(_item: JudgeRelevance) -> JudgedRelevance:
    """Say that nobody judged it: a cosine would only repeat what found the chunk."""
    return JudgedRelevance(reason="Without a model nobody can judge it.", score=None)


TASK: Task[JudgeRelevance, JudgedRelevance] = Task(
    name="judges/relevance",
    version=1,
    input=JudgeRelevance,
    output=JudgedRelevance,
    offline=_offline,
    asking=model.ASKING,
)
