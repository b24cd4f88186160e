"""The task that gives one issue its theme (prompt G.7)."""

from __future__ import annotations

from autokb.tasks.issues.assign_theme import model, offline
from autokb.tasks.issues.assign_theme.shapes import AssignedTheme, AssignTheme
from autokb.tasks.task import ReplyError, Task

__all__ = ["TASK", "AssignTheme", "AssignedTheme"]


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


TASK: Task[AssignTheme, AssignedTheme] = Task(
    name="issues/assign_theme",
    version=1,
    input=AssignTheme,
    output=AssignedTheme,
    offline=answer,
    check=check,
    asking=model.ASKING,
)
