"""A text of several lines as one line of a terminal."""

from __future__ import annotations

LABEL = 70  # characters of a node's text in a tree


def one_line(text: str, width: int = LABEL) -> str:
    """Return a text as one line, cut where it is too long."""
    words = " ".join(text.split())
    return words if len(words) <= width else words[: width - 1].rstrip() + "…"
