"""The room that gives one issue its theme (prompt G.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autokb.tasks.issues.assign_theme import offline
from autokb.tasks.room import Reply, ReplyError, Room, outside_key


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


def answer(item: AssignTheme) -> AssignedTheme:
    """Assign the theme without a model."""
    index = offline.nearest_theme(item.vector, item.centroids, item.floor, item.miscellaneous)
    return AssignedTheme(index=index, theme=item.themes[index])


def check(item: AssignTheme, reply: AssignedTheme) -> None:
    """Refuse a theme that is not in the list, or whose name stands at another position."""
    if not 0 <= reply.index < len(item.themes):
        raise ReplyError(f"There is no theme {reply.index}; give an index from 0 to {len(item.themes) - 1}.")
    if reply.theme != item.themes[reply.index]:
        raise ReplyError(f"Theme {reply.index} is {item.themes[reply.index]!r}, not {reply.theme!r}.")


ROOM: Room[AssignTheme, AssignedTheme] = Room(
    name="issues/assign_theme", version=1, input=AssignTheme, output=AssignedTheme, offline=answer, check=check
)
