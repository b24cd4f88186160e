"""The task that judges whether a suggestion says what a person replied (4.2.1, response prediction paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autokb.tasks.judges.reasoned_verdicts import NOBODY_JUDGES, ReasonedReply, ReasonedTask

ReplyVerdict = Literal["correct", "incorrect", "unsure", "not judged"]


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """What was said in a conversation (speaker and text, the customer last), the true reply, and the suggested one."""

    messages: tuple[tuple[str, str], ...]
    truth: str
    suggestion: str


class JudgedReply(ReasonedReply):
    """Whether the suggestion is right beside the true reply, and why."""

    verdict: ReplyVerdict


class ReplyCorrectnessTask(ReasonedTask[JudgeReply, JudgedReply]):
    """Does this suggestion say what the true reply says?"""

    input = JudgeReply
    output = JudgedReply
    verdicts = ("correct", "incorrect", "unsure")
    masks = True
    message_characters = 2_000  # of a message or a reply that a model reads
    last_messages = 6  # of the conversation that a model reads

    def offline(self, item: JudgeReply) -> JudgedReply:
        """Say that it was not judged: words in common are no agreement."""
        return JudgedReply(reason=NOBODY_JUDGES, verdict="not judged")

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


TASK = ReplyCorrectnessTask()
