"""What the task is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from autokb.tasks.reply import Reply

HIGHEST = 4
LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class JudgeRelevance:
    """A question and a chunk that was found for it."""

    query: str
    text: str


class JudgedRelevance(Reply):
    """How well the chunk answers, from 0 to 4, and why; None where nobody judged."""

    reason: str
    score: Literal[0, 1, 2, 3, 4] | None
