"""What cutting a document gives: chunks, and what was left out with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from autokb.core.marks import Mark, MarkKind
from autokb.core.nouns import Chunk, Document, Span

__all__ = ["Cut", "Cutter", "Mark", "MarkKind", "Noise"]


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
