"""The task that judges whether a suggestion says only what it cites: a model in the place of an alignment score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autokb.tasks.judges.reasoned_verdicts import NOBODY_JUDGES, ReasonedReply, ReasonedTask

Consistent = Literal["yes", "no", "unsure", "not judged"]


@dataclass(frozen=True, slots=True)
class JudgeConsistency:
    """A suggestion, and the words of the documents that it cites."""

    suggestion: str
    cited: tuple[str, ...]


class JudgedConsistency(ReasonedReply):
    """Whether all that the suggestion says stands in what it cites, and why."""

    verdict: Consistent


class ConsistencyTask(ReasonedTask[JudgeConsistency, JudgedConsistency]):
    """Do the cited passages bear this suggestion out?"""

    input = JudgeConsistency
    output = JudgedConsistency
    cited_characters = 4_000  # of a passage that a model reads

    def offline(self, item: JudgeConsistency) -> JudgedConsistency:
        """Say that it was not judged; the words in common are counted elsewhere."""
        return JudgedConsistency(reason=NOBODY_JUDGES, verdict="not judged")

    def values(self, items: Sequence[JudgeConsistency]) -> Mapping[str, Any]:
        """Return the suggestions with what they cite, long passages cut."""
        most = self.cited_characters
        return {"suggestions": [JudgeConsistency(i.suggestion, tuple(c[:most] for c in i.cited)) for i in items]}


TASK = ConsistencyTask()
