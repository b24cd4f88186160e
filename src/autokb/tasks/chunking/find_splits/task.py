"""The task that says after which pieces of a document its sections end (the question of LLMSemantic)."""

from __future__ import annotations

from itertools import pairwise

from autokb.tasks.chunking.find_splits import model, offline
from autokb.tasks.chunking.find_splits.shapes import FindSplits, FoundSplits
from autokb.tasks.task import ReplyError, Task

__all__ = ["TASK", "FindSplits", "FoundSplits"]


def answer(item: FindSplits) -> FoundSplits:
    """Find the splits without a model."""
    return FoundSplits(after=offline.splits(item.pieces))


def check(item: FindSplits, reply: FoundSplits) -> None:
    """Refuse no split at all, numbers that do not rise, and a split after a piece that is not there or is the last."""
    last = len(item.pieces) - 1
    if not reply.after:
        raise ReplyError("There is no split; give at least one.")
    if any(a >= b for a, b in pairwise(reply.after)):
        raise ReplyError("The numbers of the splits must rise.")
    if reply.after[0] < 1 or reply.after[-1] > last:
        raise ReplyError(f"A split stands after a piece from 1 to {last}.")


TASK: Task[FindSplits, FoundSplits] = Task(
    name="chunking/find_splits",
    version=1,
    input=FindSplits,
    output=FoundSplits,
    offline=answer,
    check=check,
    asking=model.ASKING,
)
