"""What the task is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from autokb.tasks.reply import Reply, ReplyError

Correct = Literal["yes", "no", "unsure", "not judged"]
LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class JudgeCorrectness:
    """A solution, the issue it is shown for, and the quotes of the documents that it was made from.

    ``attributes`` are for whom the node is: name and sorted values; the quotes stand in the order of the steps.
    """

    domain: str
    issue: str
    attributes: tuple[tuple[str, tuple[str, ...]], ...]
    title: str
    steps: tuple[str, ...]
    quotes: tuple[str, ...]


class JudgedCorrectness(Reply):
    """Whether the solution is correct for its issue, and why."""

    reason: str
    verdict: Correct


def check(_item: JudgeCorrectness, reply: JudgedCorrectness) -> None:
    """Refuse a verdict without a reason."""
    if not reply.reason.strip():
        raise ReplyError(f"The verdict {reply.verdict!r} needs a reason.")
