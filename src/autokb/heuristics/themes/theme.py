"""Themes as they are found: a name and the issues that show it."""

from __future__ import annotations

from autokb.core.reply import Reply


class FoundTheme(Reply):
    """A theme and the positions of issues that belong to it (all of them offline, good examples from a model)."""

    name: str
    members: tuple[int, ...]
    miscellaneous: bool = False


class FoundThemes(Reply):
    """All themes, the miscellaneous one (if there is one) last."""

    themes: tuple[FoundTheme, ...]
