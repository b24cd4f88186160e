"""What cutting a document gives: chunks, and what was left out with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from autokb.knowledge.nouns import Chunk, Document, Span

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

    The first kinds are elements that it stands in, ``named`` is one whose class or id names page furniture; the last
    ones say which extractor keeps it. ``value`` is the share of its characters that are links.
    """

    start: int
    end: int
    kind: MarkKind
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Noise:
    """What stands in no chunk, and why."""

    spans: tuple[Span, ...]
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A document's chunks and its noise: every character that is no white space is in exactly one of them.

    ``counts`` says how often something had to be repaired, by name.
    """

    chunks: tuple[Chunk, ...]
    noise: tuple[Noise, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


Cutter = Callable[[Document, int, tuple[Mark, ...]], Cut]
