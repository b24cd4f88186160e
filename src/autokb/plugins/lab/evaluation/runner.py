"""What an evaluation needs of whoever answers tasks and embeds texts, and what that cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from autokb.core.nouns import Failure
from autokb.core.spending import Spending
from autokb.core.vectors import Vectors
from autokb.plugins.lab.evaluation.record import Record
from autokb.tasks.task import In, Out, Task

Embed = Callable[[Sequence[str]], Vectors]  # texts -> vectors of length 1, (texts, dimensions)


class TaskRunner(Protocol):
    """Answers tasks, by a model or offline as the settings say."""

    def run(self, stage: str, task: Task[In, Out], items: Sequence[In], names: Sequence[str]) -> Sequence[Out | None]:
        """Return the reply to each item; None for one that failed, which is reported under its name."""
        ...


@dataclass(frozen=True, slots=True)
class ModelUsage(Record):
    """The items that failed, and what models cost: ``calls``, ``cached``, ``tokens`` and ``cost``."""

    failures: tuple[Failure, ...]
    spending: Spending
