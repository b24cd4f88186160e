"""The task that writes replies to a customer from quotes alone, each with the numbers of those that it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autokb.heuristics.replies.drafts import DraftedReplies, DraftedReply, Drafting, Quoted, check_numbers
from autokb.heuristics.replies.verbatim import draft_verbatim
from autokb.tasks.answers.replies_wire import (
    MOST_REPLIES,
    example_drafting,
    list_of,
    one_line,
    reply_type,
    shown,
)
from autokb.tasks.task import Read, Task
from autokb.tasks.wire import number_to

__all__ = ["TASK", "DraftedReplies", "Drafting"]


class AnswerFromQuotesTask(Task[Drafting, DraftedReplies]):
    """What could an agent write back, with nothing but these quotes? The parts of its passages are the quotes."""

    input = Drafting
    output = DraftedReplies
    masks = True
    entry_tokens = (MOST_REPLIES * 350, MOST_REPLIES * 60)

    def offline(self, item: Drafting) -> DraftedReplies:
        """Reply with the quotes' own words."""
        return draft_verbatim(item)

    def check(self, item: Drafting, reply: DraftedReplies) -> None:
        """Refuse a passage that is not there."""
        for one in reply.replies:
            check_numbers(one.quotes, len(item.passages))

    def values(self, items: Sequence[Drafting]) -> Mapping[str, Any]:
        """Return the conversation, the numbered quotes and how the team replies."""
        (item,) = items
        return _with_quotes(item)

    def examples(self, items: Sequence[Drafting]) -> Sequence[Mapping[str, Any]]:
        """Return the examples as a request shows its own material."""
        return [{**e, **_with_quotes(example_drafting(e))} for e in super().examples(items)]

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


def _with_quotes(item: Drafting) -> Mapping[str, Any]:
    variables = {name: value for name, value in shown(item).items() if name != "passages"}
    quotes = [{"title": passage.title, "text": part} for passage in item.passages for part in passage.parts]
    return {**variables, "quotes": quotes}


TASK = AnswerFromQuotesTask()
