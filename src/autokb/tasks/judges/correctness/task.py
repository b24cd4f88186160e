"""The task that judges whether a solution is correct for its issue; a model's word, never taken for people's (Q_C)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.prompts import unescaped
from autokb.tasks.task import Read, Reply, ReplyError, Task

__all__ = ["TASK", "Correct", "JudgeCorrectness", "JudgedCorrectness"]

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


class JudgedCorrectness(Reply):
    """Whether the solution is correct for its issue, and why."""

    reason: str
    verdict: Correct


class CorrectnessTask(Task[JudgeCorrectness, JudgedCorrectness]):
    """Does this solution solve its issue?"""

    input = JudgeCorrectness
    output = JudgedCorrectness
    most = 6  # solutions; more of them and a judge begins to repeat itself
    grouped_by = ("domain",)
    entry_tokens = (182, 60)
    reason_characters = 300

    def offline(self, item: JudgeCorrectness) -> JudgedCorrectness:
        """Say that it was not judged: no rule or lexicon knows whether a solution helps."""
        return JudgedCorrectness(reason="Without a model nobody can judge it.", verdict="not judged")

    def check(self, item: JudgeCorrectness, reply: JudgedCorrectness) -> None:
        """Refuse a verdict without a reason."""
        if not reply.reason.strip():
            raise ReplyError(f"The verdict {reply.verdict!r} needs a reason.")

    def values(self, items: Sequence[JudgeCorrectness]) -> Mapping[str, Any]:
        """Return the domain, which is the same for all, and the solutions."""
        return {"domain": items[0].domain, "solutions": items}

    def entry(self, items: Sequence[JudgeCorrectness]) -> Mapping[str, Any]:
        """Return the fields of an entry: the reason, and then the verdict."""
        reason = Field(min_length=1, json_schema_extra={"maxLength": self.reason_characters})
        return {"reason": Annotated[str, reason], "verdict": Literal["yes", "no", "unsure"]}

    def read(self, item: JudgeCorrectness, entry: Any) -> Read[JudgedCorrectness]:
        """Read reason and verdict."""
        reason = unescaped(entry.reason).strip()[: self.reason_characters]
        return Read(JudgedCorrectness(reason=reason, verdict=entry.verdict))


TASK = CorrectnessTask()
