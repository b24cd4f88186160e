"""The task that drafts replies from passages and names the points of them to check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from autokb.heuristics.replies.drafts import DraftedReplies, Drafting
from autokb.tasks.answers.replies_wire import (
    LONGEST_POINT,
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


class DoubtedDraft(DraftedReplies):
    """Drafted replies, and what of them should be checked."""

    points: tuple[str, ...]


class DraftAndDoubtTask(ReplyTask[Drafting, DoubtedDraft]):
    """What could an agent write back, and what of it should be checked?"""

    input = Drafting
    output = DoubtedDraft
    entry_tokens = (MOST_REPLIES * TOKENS_A_REPLY[0] + 500, MOST_REPLIES * TOKENS_A_REPLY[1] + 120)

    def entry(self, items: Sequence[Drafting]) -> Mapping[str, Any]:
        """Return the fields of the one entry: replies, then points."""
        point = Annotated[str, Field(min_length=1, max_length=LONGEST_POINT)]
        return {"replies": replies_type(len(self.lines(items[0]))), "points": list_of(point, MOST_POINTS)}

    def read(self, item: Drafting, entry: Any) -> Read[DoubtedDraft]:
        """Turn numbers into places."""
        points = tuple(one_line(point) for point in entry.points)
        return Read(DoubtedDraft(replies=read_replies(entry.replies, self.lines(item)), points=points))


TASK = DraftAndDoubtTask()
