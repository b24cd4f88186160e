"""The task that writes replies to a customer from passages, each with the quotes that bear it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autokb.heuristics.replies.drafts import DraftedReplies, Drafting, check_numbers
from autokb.heuristics.replies.verbatim import draft_verbatim
from autokb.tasks.answers.replies_wire import (
    MOST_REPLIES,
    TOKENS_A_REPLY,
    example_drafting,
    read_replies,
    replies_type,
    shown,
)
from autokb.tasks.task import Read, Task

__all__ = ["TASK", "DraftedReplies", "Drafting"]


class WriteRepliesTask(Task[Drafting, DraftedReplies]):
    """What could an agent write back, with nothing but what these passages say?"""

    input = Drafting
    output = DraftedReplies
    masks = True
    entry_tokens = (MOST_REPLIES * TOKENS_A_REPLY[0], MOST_REPLIES * TOKENS_A_REPLY[1])

    def offline(self, item: Drafting) -> DraftedReplies:
        """Reply with the passages' own words."""
        return draft_verbatim(item)

    def check(self, item: Drafting, reply: DraftedReplies) -> None:
        """Refuse a passage that is not there."""
        for one in reply.replies:
            check_numbers(one.quotes, len(item.passages))

    def values(self, items: Sequence[Drafting]) -> Mapping[str, Any]:
        """Return the conversation, the passages and how the team replies."""
        (item,) = items
        return shown(item)

    def examples(self, items: Sequence[Drafting]) -> Sequence[Mapping[str, Any]]:
        """Return the examples as a request shows its own material."""
        return [{**e, **shown(example_drafting(e))} for e in super().examples(items)]

    def entry(self, items: Sequence[Drafting]) -> Mapping[str, Any]:
        """Return the field of the one entry: the replies."""
        return {"replies": replies_type(len(items[0].passages))}

    def read(self, item: Drafting, entry: Any) -> Read[DraftedReplies]:
        """Read the replies as they are."""
        return Read(DraftedReplies(replies=read_replies(entry.replies, item.passages)))


TASK = WriteRepliesTask()
