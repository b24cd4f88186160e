"""The task that gives each passage of a document the context it misses when it stands alone (prompt G.5)."""

from __future__ import annotations

from autokb.tasks.chunking.add_context import model, offline
from autokb.tasks.chunking.add_context.shapes import AddContext, AddedContext, Passage
from autokb.tasks.task import ReplyError, Task

__all__ = ["TASK", "AddContext", "AddedContext", "Passage"]


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


TASK = Task(
    name="chunking/add_context",
    version=1,
    input=AddContext,
    output=AddedContext,
    offline=_offline,
    check=check,
    asking=model.ASKING,
)
