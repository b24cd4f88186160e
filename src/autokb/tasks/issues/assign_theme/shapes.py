"""What the task is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autokb.tasks.reply import Reply
from autokb.tasks.task import outside_key


@dataclass(frozen=True, slots=True)
class AssignTheme:
    """An issue and the names of the themes it can have.

    ``miscellaneous`` is the position of the theme for issues like no other, which an issue gets that is less like
    every centre than ``floor``. ``fingerprint`` stands for the centres, so that other centres are another question.
    """

    domain: str
    issue: str
    themes: tuple[str, ...]
    miscellaneous: int | None = None
    floor: float = -1.0
    fingerprint: str = ""
    vector: Any = outside_key()
    centroids: Any = outside_key()


class AssignedTheme(Reply):
    """The position of the theme in the list and its name."""

    index: int
    theme: str
