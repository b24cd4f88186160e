"""The task that says at which paragraph the content of a document shifts (the question of LumberChunker)."""

from __future__ import annotations

from autokb.tasks.chunking.find_shift import model, offline
from autokb.tasks.chunking.find_shift.shapes import FindShift, FoundShift
from autokb.tasks.task import ReplyError, Task

__all__ = ["TASK", "FindShift", "FoundShift"]


def answer(item: FindShift) -> FoundShift:
    """Find the shift without a model."""
    return FoundShift(at=offline.shift(item.paragraphs))


def check(item: FindShift, reply: FoundShift) -> None:
    """Refuse a paragraph that is not there, and the first one, before which nothing stands."""
    if not 2 <= reply.at <= len(item.paragraphs):
        raise ReplyError(f"The content can shift at a paragraph from 2 to {len(item.paragraphs)}, not at {reply.at}.")


TASK: Task[FindShift, FoundShift] = Task(
    name="chunking/find_shift",
    version=1,
    input=FindShift,
    output=FoundShift,
    offline=answer,
    check=check,
    asking=model.ASKING,
)
