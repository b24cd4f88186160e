"""The task that checks points of drafted replies against passages and writes the final replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.heuristics.replies.drafts import DraftedReply, Drafting, check_numbers
from autokb.heuristics.replies.verification import Feedback, VerifiedReplies, Verifying, verify_quotes
from autokb.tasks.answers.replies_wire import (
    MOST_POINTS,
    MOST_REPLIES,
    TOKENS_A_REPLY,
    example_drafting,
    list_of,
    one_line,
    read_replies,
    replies_type,
    shown,
)
from autokb.tasks.task import Read, Task
from autokb.tasks.wire import number_to, wire

__all__ = ["TASK", "VerifiedReplies", "Verifying"]

LONGEST_WHY = 400  # characters


class VerifyDraftTask(Task[Verifying, VerifiedReplies]):
    """Do the passages bear out each point, and what can be sent after that?"""

    input = Verifying
    output = VerifiedReplies
    masks = True
    entry_tokens = (MOST_REPLIES * TOKENS_A_REPLY[0] + 900, MOST_REPLIES * TOKENS_A_REPLY[1] + 200)

    def offline(self, item: Verifying) -> VerifiedReplies:
        """Look each quote up in its passage."""
        return verify_quotes(item)

    def check(self, item: Verifying, reply: VerifiedReplies) -> None:
        """Refuse a passage that is not there."""
        for one in reply.replies:
            check_numbers(one.quotes, len(item.passages))

    def values(self, items: Sequence[Verifying]) -> Mapping[str, Any]:
        """Return the conversation, the passages, the drafts, the points and how the team replies."""
        (item,) = items
        return _shown(item)

    def examples(self, items: Sequence[Verifying]) -> Sequence[Mapping[str, Any]]:
        """Return the examples as a request shows its own material."""
        return [{**e, **_shown(example_verifying(e))} for e in super().examples(items)]

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
            "replies": replies_type(len(item.passages)),
        }

    def read(self, item: Verifying, entry: Any) -> Read[VerifiedReplies]:
        """Read what was found, and the replies as they are."""
        feedback = (Feedback(point=f.point, holds=f.holds == "yes", why=one_line(f.why)) for f in entry.feedback)
        return Read(VerifiedReplies(feedback=tuple(feedback), replies=read_replies(entry.replies, item.passages)))


def example_verifying(example: Mapping[str, Any]) -> Verifying:
    """Return what an entry of ``examples.yaml`` is about."""
    about = example_drafting(example)
    drafts = tuple(DraftedReply(text=text, quotes=()) for text in example["drafts"])
    return Verifying(about.conversation, about.passages, about.house, drafts, tuple(example["points"]))


def _shown(item: Verifying) -> Mapping[str, Any]:
    about = shown(Drafting(item.conversation, item.passages, item.house))
    return {**about, "drafts": [draft.text for draft in item.drafts], "points": item.points}


TASK = VerifyDraftTask()
