"""The task that says at which paragraph the content of a document shifts (the question of LumberChunker)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than
from autokb.heuristics.cohesion import first_shift
from autokb.heuristics.grounding.visible import visible
from autokb.tasks.task import Reply, ReplyError, Task


@dataclass(frozen=True, slots=True)
class FindShift:
    """Neighbouring paragraphs of a document, at least two."""

    title: str
    paragraphs: tuple[str, ...]
    language: str = only_if_other_than(ENGLISH)


class FoundShift(Reply):
    """The number of the paragraph, from 2, that begins something else than the ones before it."""

    at: int


class FindShiftTask(Task[FindShift, FoundShift]):
    """At which of these paragraphs does the content shift? A request is about one window of one document."""

    offline_revision = 1
    input = FindShift
    output = FoundShift
    entry_tokens = (32, 20)  # one number

    def offline(self, item: FindShift) -> FoundShift:
        """Find the shift by headings and by the words that paragraphs share."""
        return FoundShift(at=first_shift(item.paragraphs, item.language))

    def check(self, item: FindShift, reply: FoundShift) -> None:
        """Refuse a paragraph that is not there, and the first one, which has nothing before it."""
        last = len(item.paragraphs)
        if not 2 <= reply.at <= last:
            raise ReplyError(f"The content can shift at a paragraph from 2 to {last}, not at {reply.at}.")

    def values(self, items: Sequence[FindShift]) -> Mapping[str, Any]:
        """Return title and paragraphs as people see them."""
        return {"title": visible(items[0].title), "paragraphs": [visible(text) for text in items[0].paragraphs]}

    def entry(self, items: Sequence[FindShift]) -> Mapping[str, Any]:
        """Return the field of an entry: the number of the paragraph where the content shifts."""
        return {"at": Annotated[int, Field(ge=2, le=max(len(item.paragraphs) for item in items))]}


TASK = FindShiftTask()
