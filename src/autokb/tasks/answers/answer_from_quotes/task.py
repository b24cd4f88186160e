"""The task that writes replies to a customer from quotes alone, each with the numbers of those that it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autokb.heuristics.replies.drafts import DraftedReplies, Drafting, Quoted, parts_of
from autokb.tasks.answers.replies_wire import MOST_REPLIES, TOKENS_A_REPLY, read_replies, replies_type
from autokb.tasks.answers.reply_task import ReplyTask
from autokb.tasks.task import Read


class AnswerFromQuotesTask(ReplyTask[Drafting, DraftedReplies]):
    """What could an agent write back, with nothing but these quotes? The parts of its passages are the quotes."""

    input = Drafting
    output = DraftedReplies
    entry_tokens = (MOST_REPLIES * TOKENS_A_REPLY[0], MOST_REPLIES * TOKENS_A_REPLY[1])

    def shown(self, item: Drafting) -> Mapping[str, Any]:
        """Return the numbered quotes in the place of the passages."""
        variables = {name: value for name, value in super().shown(item).items() if name != "passages"}
        quotes = [{"title": passage.title, "text": part} for passage in item.passages for part in passage.parts]
        return {**variables, "quotes": quotes}

    def lines(self, item: Drafting) -> Sequence[Quoted]:
        """Return the quotes whole, each under one number."""
        return parts_of(item.passages)

    def entry(self, items: Sequence[Drafting]) -> Mapping[str, Any]:
        """Return the field of the one entry: the replies, each with the numbers of its quotes."""
        return {"replies": replies_type(len(self.lines(items[0])))}

    def read(self, item: Drafting, entry: Any) -> Read[DraftedReplies]:
        """Turn numbers into quotes."""
        return Read(DraftedReplies(replies=read_replies(entry.replies, self.lines(item))))


TASK = AnswerFromQuotesTask()
