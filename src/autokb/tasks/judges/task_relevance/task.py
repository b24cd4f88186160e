"""The task that says of a chunk whether it is of use for a task (tenet 4 of the AutoChunker paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.tasks.judges.chunk_verdicts import ChunkVerdict, not_judged, verdict_asking
from autokb.tasks.task import Task

__all__ = ["PACKAGE", "SUPPORT", "TASK", "ChunkVerdict", "JudgeForTask"]
PACKAGE = "autokb.tasks.judges.task_relevance"
SUPPORT = (
    "Product support: customers ask what a product can do, how it is used, and what to do about a problem with it."
)


@dataclass(frozen=True, slots=True)
class JudgeForTask:
    """A chunk as a reader gets it, and the task in words."""

    task: str
    text: str


def _values(items: Sequence[JudgeForTask]) -> Mapping[str, Any]:
    return {"task": items[0].task, "chunks": [item.text for item in items]}


TASK: Task[JudgeForTask, ChunkVerdict] = Task(
    name="judges/task_relevance",
    version=1,
    input=JudgeForTask,
    output=ChunkVerdict,
    offline=not_judged,
    asking=verdict_asking(PACKAGE, _values, lambda item: item.task),
)
