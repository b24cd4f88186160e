"""Who is told how far some work is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]  # a stage, its items that are done, and all of its items


def silent(_stage: str, _done: int, _total: int) -> None:
    """Report no progress."""
