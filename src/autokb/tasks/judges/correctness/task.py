"""The task that judges whether a solution is correct for its issue; a model's word, never taken for people's (Q_C)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autokb.tasks.judges.reasoned_verdicts import NOBODY_JUDGES, ReasonedReply, ReasonedTask

Correct = Literal["yes", "no", "unsure", "not judged"]


@dataclass(frozen=True, slots=True)
class JudgeCorrectness:
    """A solution, the issue it is shown for, and the quotes of the documents that it was made from.

    ``attributes`` are for whom the node is: name and sorted values; the quotes are in the order of the steps.
    """

    domain: str
    issue: str
    attributes: tuple[tuple[str, tuple[str, ...]], ...]
    title: str
    steps: tuple[str, ...]
    quotes: tuple[str, ...]


class JudgedCorrectness(ReasonedReply):
    """Whether the solution is correct for its issue, and why."""

    verdict: Correct


class CorrectnessTask(ReasonedTask[JudgeCorrectness, JudgedCorrectness]):
    """Does this solution solve its issue?"""

    input = JudgeCorrectness
    output = JudgedCorrectness
    grouped_by = ("domain",)

    def offline(self, item: JudgeCorrectness) -> JudgedCorrectness:
        """Say that it was not judged: no rule or lexicon knows whether a solution helps."""
        return JudgedCorrectness(reason=NOBODY_JUDGES, verdict="not judged")

    def values(self, items: Sequence[JudgeCorrectness]) -> Mapping[str, Any]:
        """Return the domain, which is the same for all, and the solutions."""
        return {"domain": items[0].domain, "solutions": items}


TASK = CorrectnessTask()
