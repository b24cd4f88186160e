"""The task that judges whether a suggestion says only what it cites: a model in the place of an alignment score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.prompts import unescaped
from autokb.tasks.task import Read, Reply, ReplyError, Task

__all__ = ["TASK", "Consistent", "JudgeConsistency", "JudgedConsistency"]

Consistent = Literal["yes", "no", "unsure", "not judged"]


@dataclass(frozen=True, slots=True)
class JudgeConsistency:
    """A suggestion, and the words of the documents that it cites."""

    suggestion: str
    cited: tuple[str, ...]


class JudgedConsistency(Reply):
    """Whether all that the suggestion says stands in what it cites, and why."""

    reason: str
    verdict: Consistent


class ConsistencyTask(Task[JudgeConsistency, JudgedConsistency]):
    """Do the cited passages bear this suggestion out?"""

    input = JudgeConsistency
    output = JudgedConsistency
    most = 6  # suggestions; more of them and a judge begins to repeat itself
    entry_tokens = (182, 60)
    reason_characters = 300
    cited_characters = 4_000  # of a passage that a model reads

    def offline(self, item: JudgeConsistency) -> JudgedConsistency:
        """Say that it was not judged; the words in common are counted elsewhere."""
        return JudgedConsistency(reason="Without a model nobody can judge it.", verdict="not judged")

    def check(self, item: JudgeConsistency, reply: JudgedConsistency) -> None:
        """Refuse a verdict without a reason."""
        if not reply.reason.strip():
            raise ReplyError(f"The verdict {reply.verdict!r} needs a reason.")

    def values(self, items: Sequence[JudgeConsistency]) -> Mapping[str, Any]:
        """Return the suggestions with what they cite, long passages cut."""
        most = self.cited_characters
        return {"suggestions": [JudgeConsistency(i.suggestion, tuple(c[:most] for c in i.cited)) for i in items]}

    def entry(self, items: Sequence[JudgeConsistency]) -> Mapping[str, Any]:
        """Return the fields of an entry: the reason, and then the verdict."""
        reason = Field(min_length=1, json_schema_extra={"maxLength": self.reason_characters})
        return {"reason": Annotated[str, reason], "verdict": Literal["yes", "no", "unsure"]}

    def read(self, item: JudgeConsistency, entry: Any) -> Read[JudgedConsistency]:
        """Read reason and verdict."""
        reason = unescaped(entry.reason).strip()[: self.reason_characters]
        return Read(JudgedConsistency(reason=reason, verdict=entry.verdict))


TASK = ConsistencyTask()
