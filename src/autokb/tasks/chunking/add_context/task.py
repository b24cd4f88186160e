"""The room that gives each passage of a document the context it misses when it stands alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from autokb.tasks.chunking.add_context import offline
from autokb.tasks.room import Reply, ReplyError, Room


@dataclass(frozen=True, slots=True)
class Passage:
    """The text of one chunk and the headings it stands under."""

    text: str
    headings: tuple[str, ...] = ()
    context: str = ""


@dataclass(frozen=True, slots=True)
class AddContext:
    """Passages in reading order that need context.

    ``document``: all passages of the document at once. ``chained``: one passage, and in ``previous`` the one before it
    with its own context (None at the start of the document).
    """

    variant: Literal["document", "chained"]
    title: str
    passages: tuple[Passage, ...]
    previous: Passage | None = None


class AddedContext(Reply):
    """The context of each passage, in their order."""

    contexts: tuple[str, ...]


def check(item: AddContext, reply: AddedContext) -> None:
    """Refuse a reply that has not one context for each passage."""
    if len(reply.contexts) != len(item.passages):
        raise ReplyError(
            f"There are {len(item.passages)} passages but {len(reply.contexts)} contexts; give one for each."
        )


def _offline(item: AddContext) -> AddedContext:
    before = None
    if item.previous:
        before = offline.Place(item.previous.text, item.previous.headings, item.previous.context)
    passages = [offline.Place(p.text, p.headings) for p in item.passages]
    return AddedContext(contexts=offline.answer(item.title, passages, before))


ROOM = Room(
    name="chunking/add_context",
    version=1,
    input=AddContext,
    output=AddedContext,
    offline=_offline,
    check=check,
)
