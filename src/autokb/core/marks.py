"""What a page says of spans of its Markdown that the Markdown itself cannot tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

AreaKind = Literal["nav", "header", "footer", "aside", "form", "hidden", "dialog"]
MarkKind = Literal[AreaKind, "kept_by_trafilatura"]
AREAS: tuple[AreaKind, ...] = get_args(AreaKind)


@dataclass(frozen=True, slots=True)
class Mark:
    """An area of the page that a span is in (a menu, the foot of the page), or that an extractor keeps the span."""

    start: int
    end: int
    kind: MarkKind
