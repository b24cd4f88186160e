"""The task that writes replies to a customer from passages, each with the lines that bear it out."""

from __future__ import annotations

from autokb.heuristics.replies.drafts import DraftedReplies, Drafting, draft_verbatim
from autokb.tasks.answers.replies_wire import (
    MOST_REPLIES,
    TOKENS_A_REPLY,
)
from autokb.tasks.answers.reply_task import ReplyTask


class WriteRepliesTask(ReplyTask[Drafting, DraftedReplies]):
    """What could an agent write back, with nothing but what these passages say?"""

    input = Drafting
    output = DraftedReplies
    version = 2
    entry_tokens = (MOST_REPLIES * TOKENS_A_REPLY[0], MOST_REPLIES * TOKENS_A_REPLY[1])

    def offline(self, item: Drafting) -> DraftedReplies:
        """Reply with the passages' own words."""
        return draft_verbatim(item)


TASK = WriteRepliesTask()
