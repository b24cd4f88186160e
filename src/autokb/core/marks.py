"""What a page says of spans of its Markdown that the Markdown itself cannot tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MarkKind = Literal[
    "nav",
    "header",
    "footer",
    "aside",
    "form",
    "hidden",
    "dialog",
    "named",
    "kept_by_trafilatura",
    "kept_by_readability",
]


@dataclass(frozen=True, slots=True)
class Mark:
    """What a page says of a span of its Markdown that the Markdown itself cannot tell.

    The first kinds are elements that it is in, ``named`` is one whose class or id names page boilerplate; the last
    ones say which extractor keeps it. ``value`` is the share of its characters that are links.
    """

    start: int
    end: int
    kind: MarkKind
    value: float = 0.0
