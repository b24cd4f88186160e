"""The task that says of a chunk whether it is of use for a task (tenet 4 of the AutoChunker paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.tasks.judges.chunk_verdicts import VerdictTask

# The usual task. For any other one, which only its own words describe, the prompt has no list of what counts.
SUPPORT = (
    "Product support: customers ask what a product can do, how it is used, and what to do about a problem with it."
)


@dataclass(frozen=True, slots=True)
class JudgeForTask:
    """A chunk as a reader gets it, and the task in words."""

    task: str
    text: str


class TaskRelevanceTask(VerdictTask[JudgeForTask]):
    """Is a chunk of use for the task?"""

    input = JudgeForTask
    grouped_by = ("task",)

    def values(self, items: Sequence[JudgeForTask]) -> Mapping[str, Any]:
        """Return the task, which is the same for all, and the chunks; what counts for support is listed."""
        task = items[0].task
        return {"task": task, "is_support": task == SUPPORT, "chunks": [item.text for item in items]}


TASK = TaskRelevanceTask()
