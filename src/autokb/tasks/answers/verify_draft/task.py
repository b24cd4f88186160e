"""The task that checks points of drafted replies against passages and writes the final replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.core.reply import Reply
from autokb.heuristics.replies.drafts import DraftedReplies, Drafting, Verifying
from autokb.tasks.answers.replies_wire import (
    MOST_POINTS,
    MOST_REPLIES,
    TOKENS_A_REPLY,
    list_of,
    one_line,
    read_replies,
    replies_type,
)
from autokb.tasks.answers.reply_task import ReplyTask
from autokb.tasks.task import Read
from autokb.tasks.wire import number_to, wire

LONGEST_WHY = 400  # characters


class PointFeedback(Reply):
    """Whether a point, counted from 1, holds, and why."""

    point: int
    holds: bool
    why: str = ""


class VerifiedReplies(DraftedReplies):
    """What was found of each point, and the replies after that."""

    feedback: tuple[PointFeedback, ...]


class VerifyDraftTask(ReplyTask[Verifying, VerifiedReplies]):
    """Do the passages bear out each point, and what can be sent after that?"""

    input = Verifying
    output = VerifiedReplies
    entry_tokens = (MOST_REPLIES * TOKENS_A_REPLY[0] + 900, MOST_REPLIES * TOKENS_A_REPLY[1] + 200)

    def shown(self, item: Verifying) -> Mapping[str, Any]:
        """Return the drafts and the points beside what every such task shows."""
        return {**super().shown(item), "drafts": item.drafts, "points": item.points}

    def example(self, example: Mapping[str, Any]) -> Verifying:
        """Return what an entry of ``examples.yaml`` is about."""
        about: Drafting = super().example(example)
        drafts, points = tuple(example["drafts"]), tuple(example["points"])
        return Verifying(about.conversation, about.passages, about.house, drafts, points)

    def entry(self, items: Sequence[Verifying]) -> Mapping[str, Any]:
        """Return the fields of the one entry: what was found of each point, then the final replies."""
        (item,) = items
        feedback: Any = wire(
            "Feedback",
            point=number_to(max(1, len(item.points))),
            holds=Literal["yes", "no"],
            why=Annotated[str, Field(max_length=LONGEST_WHY)],
        )
        return {
            "feedback": list_of(feedback, MOST_POINTS),
            "replies": replies_type(len(self.lines(item))),
        }

    def read(self, item: Verifying, entry: Any) -> Read[VerifiedReplies]:
        """Read what was found, and the replies with the places of their lines."""
        feedback = (PointFeedback(point=f.point, holds=f.holds == "yes", why=one_line(f.why)) for f in entry.feedback)
        return Read(VerifiedReplies(feedback=tuple(feedback), replies=read_replies(entry.replies, self.lines(item))))


TASK = VerifyDraftTask()
