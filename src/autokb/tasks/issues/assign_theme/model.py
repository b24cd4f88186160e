"""How a model is asked for themes: many issues in one request, the themes' names as an enumeration."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.issues.assign_theme.shapes import AssignedTheme, AssignTheme
from autokb.tasks.prompts import examples

PACKAGE = "autokb.tasks.issues.assign_theme"
TOGETHER = 40  # issues in one request
READ = 1_500  # characters of an issue: its theme shows early


def values(items: Sequence[AssignTheme]) -> Mapping[str, Any]:
    """Return the template's variables; domain and themes stand first and are the same for all."""
    first = items[0]
    return {
        "domain": first.domain,
        "themes": first.themes,
        "miscellaneous": None if first.miscellaneous is None else first.themes[first.miscellaneous],
        "issues": [item.issue[:READ] for item in items],
        "examples": examples(PACKAGE),
    }


def entry(items: Sequence[AssignTheme]) -> type[Wire]:
    """Return the type of one entry: the issue's number and one of the themes."""
    numbers = tuple(range(1, len(items) + 1))
    return wire("Entry", number=Literal[numbers], theme=Literal[items[0].themes])


def read(
    items: Sequence[AssignTheme], position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[AssignedTheme, tuple[str, ...]]:
    """Turn an entry into the task's answer."""
    return AssignedTheme(index=items[position].themes.index(entry.theme), theme=entry.theme), ()


def tokens(item: AssignTheme) -> tuple[int, int]:
    """Return the most and the usual number of tokens of an entry: its theme's name and what stands around it."""
    longest = max(len(theme.encode()) for theme in item.themes)
    return longest + 32, 12 + longest // 8


def together(item: AssignTheme) -> Hashable:
    """Items of one list of themes can share a request."""
    return item.domain, item.themes


ASKING = Asking(PACKAGE, values, entry, read, tokens, together, TOGETHER)
