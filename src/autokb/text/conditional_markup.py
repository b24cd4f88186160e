"""Conditional markup: ``{for win}...{/for}`` holds a part of a text for some customers; the Markdown keeps it."""

from __future__ import annotations

import re
from dataclasses import dataclass

CONDITIONAL_MARK = re.compile(r"\{for [^{}\n]{1,80}\}|\{/for\}")


@dataclass(frozen=True, slots=True)
class Conditional:
    """A conditional part of a text: ``start`` to ``end`` with its marks, ``names`` it is for (or, negated, not for)."""

    start: int
    end: int
    inner: tuple[int, int]
    names: tuple[str, ...]
    negated: bool


def find_conditionals(text: str) -> list[Conditional]:
    """Return the conditional parts of a text in order of their start; an unclosed one reaches to the text's end."""
    stack: list[re.Match[str]] = []
    found: list[Conditional] = []
    for mark in CONDITIONAL_MARK.finditer(text):
        if mark.group().startswith("{for"):
            stack.append(mark)
        elif stack:
            found.append(_make_conditional(stack.pop(), mark.start(), mark.end()))
    found.extend(_make_conditional(opening, len(text), len(text)) for opening in stack)
    return sorted(found, key=lambda s: (s.start, -s.end))


def _make_conditional(opening: re.Match[str], inner_end: int, end: int) -> Conditional:
    body = opening.group()[5:-1].strip()
    negated = body.startswith("not ")
    names = tuple(n.strip().lower() for n in body.removeprefix("not ").split(",") if n.strip())
    return Conditional(opening.start(), end, (opening.end(), inner_end), names, negated)
