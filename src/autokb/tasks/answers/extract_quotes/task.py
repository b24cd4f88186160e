"""The task that takes from passages the lines that bear on a customer's question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than
from autokb.core.nouns import Message
from autokb.core.reply import Reply
from autokb.heuristics.replies.drafts import GivenPassage, Quoted, check_numbers
from autokb.tasks.answers.replies_wire import (
    example_drafting,
    list_of,
    numbered_lines,
    published_texts,
    read_lines,
    shown_material,
)
from autokb.tasks.task import Read, Task
from autokb.tasks.wire import number_to

MOST_QUOTES = 12  # of one reply of a model


@dataclass(frozen=True, slots=True)
class Quoting:
    """A conversation with a team that supports a ``domain``, and the passages for what it asks, best first."""

    conversation: tuple[Message, ...]
    passages: tuple[GivenPassage, ...]
    domain: str
    language: str = only_if_other_than(ENGLISH)


class Quotes(Reply):
    """Quotes in the order in which they help; none where no passage helps."""

    quotes: tuple[Quoted, ...]


class ExtractQuotesTask(Task[Quoting, Quotes]):
    """Which lines of these passages bear on what the customer asks?"""

    input = Quoting
    output = Quotes
    masks = True
    entry_tokens = (200, 30)

    def check(self, item: Quoting, reply: Quotes) -> None:
        """Refuse a passage that is not there."""
        check_numbers(reply.quotes, len(item.passages))

    def values(self, items: Sequence[Quoting]) -> Mapping[str, Any]:
        """Return the conversation and the passages."""
        (item,) = items
        return {"domain": item.domain, **shown_material(item.conversation, item.passages, item.language)}

    def published(self, items: Sequence[Quoting]) -> Sequence[str]:
        """Return the passages that are no tickets."""
        return published_texts(items[0].passages)

    def examples(self, items: Sequence[Quoting]) -> Sequence[Mapping[str, Any]]:
        """Return the examples as a request shows its own material."""
        found = [(e, example_drafting(e)) for e in super().examples(items)]
        return [{**e, **shown_material(d.conversation, d.passages, d.house.language)} for e, d in found]

    def entry(self, items: Sequence[Quoting]) -> Mapping[str, Any]:
        """Return the field of the one entry: the numbers of the lines that are quoted."""
        lines = numbered_lines(items[0].passages, items[0].language)
        return {"lines": list_of(number_to(max(1, len(lines))), MOST_QUOTES)}

    def read(self, item: Quoting, entry: Any) -> Read[Quotes]:
        """Turn numbers into places."""
        return Read(Quotes(quotes=read_lines(entry.lines, numbered_lines(item.passages, item.language))))


TASK = ExtractQuotesTask()
