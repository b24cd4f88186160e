"""The task that quotes passages, drafts replies from the quotes, and names the points of them to check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from autokb.heuristics.replies.drafts import DraftedReplies, DraftedReply, Drafting
from autokb.tasks.answers.replies_wire import (
    LONGEST_POINT,
    MOST_POINTS,
    MOST_REPLIES,
    TOKENS_A_REPLY,
    list_of,
    one_line,
    quote_type,
    read_quotes,
    reply_type,
)
from autokb.tasks.answers.reply_task import ReplyTask
from autokb.tasks.task import Read
from autokb.tasks.wire import number_to

__all__ = ["TASK", "DoubtedDraft", "Drafting"]

MOST_QUOTES_OF_ALL = 12  # of all replies together


class DoubtedDraft(DraftedReplies):
    """Drafted replies, and what of them should be checked."""

    points: tuple[str, ...]


class DraftAndDoubtTask(ReplyTask[Drafting, DoubtedDraft]):
    """What could an agent write back, and what of it should be checked?"""

    input = Drafting
    output = DoubtedDraft
    entry_tokens = (MOST_REPLIES * TOKENS_A_REPLY[0] + 500, MOST_REPLIES * TOKENS_A_REPLY[1] + 120)

    def entry(self, items: Sequence[Drafting]) -> Mapping[str, Any]:
        """Return the fields of the one entry: quotes, replies that name them by number, points."""
        reply = reply_type(number_to(MOST_QUOTES_OF_ALL), "rests_on")
        point = Annotated[str, Field(min_length=1, max_length=LONGEST_POINT)]
        return {
            "quotes": list_of(quote_type(len(items[0].passages)), MOST_QUOTES_OF_ALL),
            "replies": list_of(reply, MOST_REPLIES),
            "points": list_of(point, MOST_POINTS),
        }

    def read(self, item: Drafting, entry: Any) -> Read[DoubtedDraft]:
        """Turn numbers into quotes; a number of none is left out, and who checks the replies misses it."""
        quotes = read_quotes(entry.quotes, item.passages)
        replies = (
            DraftedReply(
                text=one_line(reply.text),
                quotes=tuple(quotes[n - 1] for n in dict.fromkeys(reply.rests_on) if n <= len(quotes)),
            )
            for reply in entry.replies
        )
        points = tuple(one_line(point) for point in entry.points)
        return Read(DoubtedDraft(replies=tuple(replies), points=points))


TASK = DraftAndDoubtTask()
