"""Arguments that may be several things or one: a text or a path alone is no list of its letters."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, overload


@overload
def listed(given: Iterable[str] | str) -> list[str]: ...
@overload
def listed(given: Iterable[Path | str] | Path | str) -> list[Path | str]: ...
def listed(given: Any) -> list[Any]:
    """Return what a caller gave as a list: one text or path as a list of itself."""
    return [given] if isinstance(given, str | Path) else list(given)
