"""The task that judges whether a suggestion says what a person replied (4.2.1, response prediction paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.prompts import unescaped
from autokb.tasks.task import Read, Reply, ReplyError, Task

__all__ = ["TASK", "JudgeReply", "JudgedReply", "ReplyVerdict"]

ReplyVerdict = Literal["correct", "incorrect", "unsure", "not judged"]


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """What was said in a conversation (speaker and text, the customer last), the true reply, and the suggested one."""

    messages: tuple[tuple[str, str], ...]
    truth: str
    suggestion: str


class JudgedReply(Reply):
    """Whether the suggestion is right beside the true reply, and why."""

    reason: str
    verdict: ReplyVerdict


class ReplyCorrectnessTask(Task[JudgeReply, JudgedReply]):
    """Does this suggestion say what the true reply says?"""

    input = JudgeReply
    output = JudgedReply
    masks = True
    most = 6  # suggestions; more of them and a judge begins to repeat itself
    entry_tokens = (182, 60)
    reason_characters = 300
    message_characters = 2_000  # of a message or a reply that a model reads
    last_messages = 6  # of the conversation that a model reads

    def offline(self, item: JudgeReply) -> JudgedReply:
        """Say that it was not judged: words in common are no agreement."""
        return JudgedReply(reason="Without a model nobody can judge it.", verdict="not judged")

    def check(self, item: JudgeReply, reply: JudgedReply) -> None:
        """Refuse a verdict without a reason."""
        if not reply.reason.strip():
            raise ReplyError(f"The verdict {reply.verdict!r} needs a reason.")

    def values(self, items: Sequence[JudgeReply]) -> Mapping[str, Any]:
        """Return what is judged, long texts cut."""
        most = self.message_characters
        cut = [
            JudgeReply(
                tuple((who, text[:most]) for who, text in item.messages[-self.last_messages :]),
                item.truth[:most],
                item.suggestion[:most],
            )
            for item in items
        ]
        return {"cases": cut}

    def entry(self, items: Sequence[JudgeReply]) -> Mapping[str, Any]:
        """Return the fields of an entry: the reason, and then the verdict."""
        reason = Field(min_length=1, json_schema_extra={"maxLength": self.reason_characters})
        return {"reason": Annotated[str, reason], "verdict": Literal["correct", "incorrect", "unsure"]}

    def read(self, item: JudgeReply, entry: Any) -> Read[JudgedReply]:
        """Read reason and verdict."""
        reason = unescaped(entry.reason).strip()[: self.reason_characters]
        return Read(JudgedReply(reason=reason, verdict=entry.verdict))


TASK = ReplyCorrectnessTask()
