"""The task that scores from 0 to 4 how well a chunk answers a question (tenet 5 of the AutoChunker paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.judges.chunk_verdicts import MOST_CHUNKS
from autokb.tasks.prompts import unescaped
from autokb.tasks.task import Read, Reply, Task

HIGHEST = 4  # the best score


@dataclass(frozen=True, slots=True)
class JudgeRelevance:
    """A question and a chunk that was found for it."""

    query: str
    text: str


class JudgedRelevance(Reply):
    """How well the chunk answers, from 0 to 4, and why; None where nobody judged."""

    reason: str
    score: Literal[0, 1, 2, 3, 4] | None


class RelevanceTask(Task[JudgeRelevance, JudgedRelevance]):
    """How well does a chunk answer a question? A request is about all chunks that were found for one question."""

    input = JudgeRelevance
    output = JudgedRelevance
    most = MOST_CHUNKS
    grouped_by = ("query",)
    entry_tokens = (132, 40)
    reason_characters = 200

    def offline(self, item: JudgeRelevance) -> JudgedRelevance:
        """Say that nobody judged it: a cosine would only repeat what found the chunk."""
        return JudgedRelevance(reason="Without a model nobody can judge it.", score=None)

    def values(self, items: Sequence[JudgeRelevance]) -> Mapping[str, Any]:
        """Return the question, which is the same for all, and the chunks."""
        return {"query": items[0].query, "chunks": [item.text for item in items]}

    def entry(self, items: Sequence[JudgeRelevance]) -> Mapping[str, Any]:
        """Return the fields of an entry: the reason, and then the score."""
        # A little too long is cut when it is read; only one without end is an error.
        most = self.reason_characters
        reason = Field(min_length=1, max_length=10 * most, json_schema_extra={"maxLength": most})
        score = Annotated[int, Field(ge=0, le=HIGHEST)]  # no Literal: that would take true for 1
        return {"reason": Annotated[str, reason], "score": score}

    def read(self, item: JudgeRelevance, entry: Any) -> Read[JudgedRelevance]:
        """Read reason and score."""
        reason = unescaped(entry.reason).strip()[: self.reason_characters]
        return Read(JudgedRelevance(reason=reason, score=entry.score))


TASK = RelevanceTask()
