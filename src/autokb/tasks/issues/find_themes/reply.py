"""The answer of the task: themes with the issues that show them."""

from __future__ import annotations

from autokb.tasks.task import Reply


class FoundTheme(Reply):
    """A theme and the positions of issues that belong to it (all of them offline, good examples from a model)."""

    name: str
    members: tuple[int, ...]
    miscellaneous: bool = False


class FoundThemes(Reply):
    """All themes, the miscellaneous one (if there is one) last."""

    themes: tuple[FoundTheme, ...]
