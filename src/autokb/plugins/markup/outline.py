"""The headings of a page as it is read, so that tabs and what unfolds become sections below the heading above."""

from __future__ import annotations

from collections.abc import Callable

LOWEST = 6  # level of a heading


class Outline:
    """The heading above what is read next."""

    def __init__(self) -> None:
        """Begin a page."""
        self._above = (1, "")
        self._is_behind_panel = False

    def heading(self, level: int, words: str) -> str:
        """Return the HTML of a heading."""
        self._above, self._is_behind_panel = (level, words), False
        return f"<h{level}>{words}</h{level}>"

    def panel(self, label: str, read: Callable[[], str]) -> str:
        """Return a tab, or what unfolds, as a section under its label."""
        above = self._above
        html = self.heading(min(LOWEST, above[0] + 1), label) + read()
        self._above, self._is_behind_panel = above, True
        return html

    def behind_panel(self) -> str:
        """Return the heading above once more where a text follows on a panel."""
        is_behind, self._is_behind_panel = self._is_behind_panel, False
        level, words = self._above
        return f"<h{level}>{words}</h{level}>" if is_behind and words else ""
