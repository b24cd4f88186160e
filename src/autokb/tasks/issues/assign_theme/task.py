"""The task that gives one issue its theme (prompt G.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.heuristics.themes.find import nearest_theme
from autokb.tasks.task import Read, Reply, ReplyError, Task, outside_key
from autokb.tasks.wire import number_to


@dataclass(frozen=True, slots=True)
class AssignTheme:
    """An issue and the names of the themes it can have.

    ``miscellaneous`` is the position of the theme for issues like no other, which an issue gets that is less like
    every centre than ``floor``. ``fingerprint`` is a hash of the centres, so that other centres are another question.
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


class AssignThemeTask(Task[AssignTheme, AssignedTheme]):
    """Which of these themes does this issue have?"""

    version = 2
    input = AssignTheme
    output = AssignedTheme
    most = 40  # issues
    evenly = True
    entry_tokens = (16, 8)  # a number, and what is around it
    grouped_by = ("domain", "themes")
    issue_characters = 1_500  # that a model reads: the theme of an issue shows early

    def offline(self, item: AssignTheme) -> AssignedTheme:
        """Assign the theme with the nearest centre."""
        index = nearest_theme(item.vector, item.centroids, item.floor, item.miscellaneous)
        return AssignedTheme(index=index, theme=item.themes[index])

    def check(self, item: AssignTheme, reply: AssignedTheme) -> None:
        """Refuse a theme that is not in the list, or whose name is at another position."""
        if not 0 <= reply.index < len(item.themes):
            raise ReplyError(f"There is no theme {reply.index}; give an index from 0 to {len(item.themes) - 1}.")
        if reply.theme != item.themes[reply.index]:
            raise ReplyError(f"Theme {reply.index} is {item.themes[reply.index]!r}, not {reply.theme!r}.")

    def values(self, items: Sequence[AssignTheme]) -> Mapping[str, Any]:
        """Return domain and themes, which are the same for all, and the issues."""
        first = items[0]
        return {
            "domain": first.domain,
            "themes": first.themes,
            "miscellaneous": None if first.miscellaneous is None else first.miscellaneous + 1,
            "issues": [item.issue[: self.issue_characters] for item in items],
        }

    def entry(self, items: Sequence[AssignTheme]) -> Mapping[str, Any]:
        """Return the field of an entry: the number of one of the themes."""
        return {"theme": number_to(len(items[0].themes))}

    def read(self, item: AssignTheme, entry: Any) -> Read[AssignedTheme]:
        """Read the theme by its number."""
        index = entry.theme - 1
        return Read(AssignedTheme(index=index, theme=item.themes[index]))


TASK = AssignThemeTask()
