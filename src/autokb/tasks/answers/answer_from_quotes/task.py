"""The task that writes replies to a customer from quotes alone, each with the numbers of those that it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autokb.heuristics.replies.drafts import DraftedReplies, Drafting, Quoted, parts_of
from autokb.tasks.answers.replies_wire import MOST_REPLIES, TOKENS_A_REPLY
from autokb.tasks.answers.reply_task import ReplyTask


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


TASK = AnswerFromQuotesTask()
