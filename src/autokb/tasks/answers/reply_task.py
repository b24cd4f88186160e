"""What the tasks that end in replies to a customer have in common: what they show, and what is wrong with any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from autokb.heuristics.replies.drafts import DraftedReplies, Drafting, Quoted, Verifying, check_numbers
from autokb.tasks.answers.replies_wire import (
    example_drafting,
    numbered_lines,
    published_texts,
    read_replies,
    replies_type,
    shown,
)
from autokb.tasks.task import Read, Task

Given = TypeVar("Given", bound=Drafting | Verifying)
Written = TypeVar("Written", bound=DraftedReplies)


class ReplyTask(Task[Given, Written]):
    """A task whose answer has replies with quotes of numbered passages."""

    masks = True

    def check(self, item: Given, reply: Written) -> None:
        """Refuse a passage that is not there."""
        for one in reply.replies:
            check_numbers(one.quotes, len(item.passages))

    def shown(self, item: Given) -> Mapping[str, Any]:
        """Return what a request shows: the conversation, the passages and how the team replies."""
        return shown(item)

    def lines(self, item: Given) -> Sequence[Quoted]:
        """Return the lines that a reply can rest on, in the order of their numbers."""
        return numbered_lines(item.passages, item.house.language)

    def example(self, example: Mapping[str, Any]) -> Any:
        """Return what an entry of ``examples.yaml`` is about."""
        return example_drafting(example)

    def entry(self, items: Sequence[Given]) -> Mapping[str, Any]:
        """Return the field of the one entry: the replies, each with the numbers of its lines."""
        return {"replies": replies_type(len(self.lines(items[0])))}

    def read(self, item: Given, entry: Any) -> Read[Written]:
        """Turn numbers into places."""
        return Read(self.output(replies=read_replies(entry.replies, self.lines(item))))

    def values(self, items: Sequence[Given]) -> Mapping[str, Any]:
        """Return what is shown of the one item of a request."""
        (item,) = items
        return self.shown(item)

    def published(self, items: Sequence[Given]) -> Sequence[str]:
        """Return the passages that are no tickets."""
        return published_texts(items[0].passages)

    def examples(self, items: Sequence[Given]) -> Sequence[Mapping[str, Any]]:
        """Return the examples as a request shows its own material."""
        return [{**e, **self.shown(self.example(e))} for e in super().examples(items)]
