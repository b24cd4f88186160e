"""The task that writes replies to a customer from quotes alone, each with the numbers of those that it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autokb.heuristics.replies.drafts import DraftedReplies, DraftedReply, Drafting, Quoted
from autokb.tasks.answers.replies_wire import (
    MOST_REPLIES,
    list_of,
    one_line,
    reply_type,
)
from autokb.tasks.answers.reply_task import ReplyTask
from autokb.tasks.task import Read
from autokb.tasks.wire import number_to

__all__ = ["TASK", "DraftedReplies", "Drafting"]


class AnswerFromQuotesTask(ReplyTask[Drafting, DraftedReplies]):
    """What could an agent write back, with nothing but these quotes? The parts of its passages are the quotes."""

    input = Drafting
    output = DraftedReplies
    entry_tokens = (MOST_REPLIES * 350, MOST_REPLIES * 60)

    def shown(self, item: Drafting) -> Mapping[str, Any]:
        """Return the numbered quotes in the place of the passages."""
        variables = {name: value for name, value in super().shown(item).items() if name != "passages"}
        quotes = [{"title": passage.title, "text": part} for passage in item.passages for part in passage.parts]
        return {**variables, "quotes": quotes}

    def entry(self, items: Sequence[Drafting]) -> Mapping[str, Any]:
        """Return the field of the one entry: the replies, each with the numbers of its quotes."""
        number = number_to(max(1, len(_quotes(items[0]))))
        return {"replies": list_of(reply_type(number), MOST_REPLIES)}

    def read(self, item: Drafting, entry: Any) -> Read[DraftedReplies]:
        """Turn numbers into quotes."""
        quotes = _quotes(item)
        replies = (
            DraftedReply(text=one_line(r.text), quotes=tuple(quotes[n - 1] for n in dict.fromkeys(r.quotes)))
            for r in entry.replies
        )
        return Read(DraftedReplies(replies=tuple(replies)))


def _quotes(item: Drafting) -> list[Quoted]:
    """Return the quotes in the order of their numbers."""
    return [Quoted(passage=n, quote=part) for n, passage in enumerate(item.passages, 1) for part in passage.parts]


TASK = AnswerFromQuotesTask()
