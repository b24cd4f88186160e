"""The task that finds broad themes over raw issues (prompt G.6)."""

from __future__ import annotations

from autokb.tasks.issues.find_themes import model, offline
from autokb.tasks.issues.find_themes.reply import FoundThemes
from autokb.tasks.issues.find_themes.shapes import FindThemes
from autokb.tasks.task import ReplyError, Task

__all__ = ["TASK", "FindThemes"]


def answer(item: FindThemes) -> FoundThemes:
    """Find the themes without a model."""
    return offline.find_themes(item.subjects or item.issues, item.vectors, item.domain.split(":", 1)[0])


def check(item: FindThemes, reply: FoundThemes) -> None:
    """Refuse themes that are missing, share a name, or name an issue twice or one that is not there."""
    if item.issues and not reply.themes:
        raise ReplyError("There are issues but no theme.")
    names = [theme.name.casefold() for theme in reply.themes]
    if len(set(names)) < len(names) or not all(name.strip() for name in names):
        raise ReplyError("Every theme needs a name of its own.")
    if sum(theme.miscellaneous for theme in reply.themes) > 1:
        raise ReplyError("Only one theme can be the miscellaneous one.")
    members = [member for theme in reply.themes for member in theme.members]
    if len(set(members)) < len(members):
        raise ReplyError("An issue stands in two themes.")
    if members and not 0 <= min(members) <= max(members) < len(item.issues):
        raise ReplyError("A theme names an issue that is not in the list.")
    if any(not theme.members for theme in reply.themes):
        raise ReplyError("Every theme needs at least one issue that shows it.")


TASK: Task[FindThemes, FoundThemes] = Task(
    name="issues/find_themes",
    version=4,
    input=FindThemes,
    output=FoundThemes,
    offline=answer,
    check=check,
    asking=model.ASKING,
)
