"""The task that judges whether a solution is correct for its issue; a model's word, kept apart from people's (Q_C)."""

from __future__ import annotations

from autokb.tasks.judges.correctness import model
from autokb.tasks.judges.correctness.shapes import Correct, JudgeCorrectness, JudgedCorrectness, check
from autokb.tasks.task import Task

__all__ = ["TASK", "Correct", "JudgeCorrectness", "JudgedCorrectness"]


def _offline(_item: JudgeCorrectness) -> JudgedCorrectness:
    """Say that it was not judged: no rule or lexicon knows whether a solution helps."""
    return JudgedCorrectness(reason="Without a model nobody can judge it.", verdict="not judged")


TASK: Task[JudgeCorrectness, JudgedCorrectness] = Task(
    name="judges/correctness",
    version=1,
    input=JudgeCorrectness,
    output=JudgedCorrectness,
    offline=_offline,
    check=check,
    asking=model.ASKING,
)
