"""What the task is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from autokb.tasks.reply import Reply


@dataclass(frozen=True, slots=True)
class Passage:
    """The text of one chunk and the headings it stands under."""

    text: str
    headings: tuple[str, ...] = ()
    context: str = ""


@dataclass(frozen=True, slots=True)
class AddContext:
    """Passages in reading order that need context.

    ``document``: all passages of the document at once, or of a part of a long one; ``previous`` is then the passage
    before the part. ``chained``: one passage, and in ``previous`` the one before it with its own context (None at the
    start of the document).
    """

    variant: Literal["document", "chained"]
    title: str
    passages: tuple[Passage, ...]
    previous: Passage | None = None


class AddedContext(Reply):
    """The context of each passage, in their order; a passage that misses nothing has an empty one."""

    contexts: tuple[str, ...]
