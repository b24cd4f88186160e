"""Markdown as it is read on a page: pieces with the markup told from the words, every character of the source kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from autokb.core.nouns import Span
from autokb.text.markdown import parse_blocks

PieceKind = Literal["heading", "paragraph", "item", "table", "code", "html", "front matter"]
Style = Literal["", "markup", "strong", "code"]
_HEADING_MARKUP = re.compile(r"\s{0,3}#{1,6}[ \t]+|[ \t]+#+\s*$|\n[ \t]*(?:=+|-+)\s*$")
_INLINE = re.compile(
    r"(?P<ticks>`+)(?P<code>[^`\n]{1,500})(?P=ticks)|(?P<stars>\*\*|__)(?=\S)(?P<strong>[^*_\n]{1,500}?\S)(?P=stars)"
)
_LINK = re.compile(
    r"(?P<open>!?\[)(?P<words>[^\[\]\n]{1,500})(?P<target>\]\([^()\s]{0,2000}(?: \"[^\"\n]{0,500}\")?\))"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A heading, a paragraph, an item without those under it; ``level`` is a heading's level or an item's depth."""

    kind: PieceKind
    start: int
    end: int
    level: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """Characters of a piece that look alike; ``markup`` is what a reader may overlook."""

    start: int
    end: int
    style: Style = ""


def pieces(text: str) -> tuple[Piece, ...]:
    """Return a text in pieces that follow each other and leave out nothing but white space."""
    blocks = sorted(parse_blocks(text), key=lambda one: (one.start, -one.end))
    found: list[Piece] = []
    here = 0
    for number, block in enumerate(blocks):
        after = blocks[number + 1].start if number + 1 < len(blocks) else len(text)
        found += _trimmed(text, Piece("paragraph", here, block.start))
        start = max(block.start, here)
        end = max(start, min(block.end, after))
        found += _trimmed(text, Piece(block.kind, start, end, block.level))
        here = max(here, end)
    return (*found, *_trimmed(text, Piece("paragraph", here, len(text))))


def runs(text: str, piece: Piece) -> tuple[Run, ...]:
    """Return a piece as runs that cover it whole."""
    if piece.kind in ("code", "html", "front matter", "table"):
        return (Run(piece.start, piece.end),)
    spans: list[tuple[int, int, Style]] = []
    if piece.kind == "heading":
        spans = [(*m.span(), "markup") for m in _HEADING_MARKUP.finditer(text[piece.start : piece.end])]
    part = text[piece.start : piece.end]
    for m in _INLINE.finditer(part):
        name, marks = ("code", "ticks") if m["code"] is not None else ("strong", "stars")
        inner = m.span(name)
        width = len(m[marks])
        spans += [(m.start(), m.start() + width, "markup"), (*inner, name), (m.end() - width, m.end(), "markup")]  # type: ignore[list-item]
    for m in _LINK.finditer(part):
        spans += [(*m.span("open"), "markup"), (*m.span("target"), "markup")]
    return tuple(_cover(piece, sorted(spans)))


def cut(found: Sequence[Run], spans: Sequence[Span]) -> Iterator[tuple[Run, frozenset[int]]]:
    """Yield runs cut at the borders of spans, each with the numbers of the spans that it lies in."""
    borders = sorted({border for span in spans for border in span})
    for run in found:
        points = [run.start, *(b for b in borders if run.start < b < run.end), run.end]
        for start, end in pairwise(points):
            inside = frozenset(n for n, (first, last) in enumerate(spans) if first <= start and end <= last)
            yield Run(start, end, run.style), inside


def page_starts(text: str, size: int) -> tuple[int, ...]:
    """Return where pages of at most ``size`` code points begin: at a heading, else behind a gap, a line, a word."""
    starts = [0]
    while len(text) - starts[-1] > size:
        here, half = starts[-1], starts[-1] + size // 2
        for border, step in (("\n#", 1), ("\n\n", 2), ("\n", 1), (" ", 1)):
            found = text.rfind(border, half, here + size)
            if found >= 0:
                starts.append(found + step)
                break
        else:
            starts.append(here + size)
    return tuple(starts)


def _trimmed(text: str, piece: Piece) -> list[Piece]:
    start, end = piece.start, piece.end
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    return [Piece(piece.kind, start, end, piece.level)] if start < end else []


def _cover(piece: Piece, spans: Sequence[tuple[int, int, Style]]) -> Iterator[Run]:
    here = piece.start
    for first, last, style in spans:
        start, end = piece.start + first, piece.start + last
        if start < here:  # a link inside strong words keeps their look
            continue
        if here < start:
            yield Run(here, start)
        if start < end:
            yield Run(start, end, style)
        here = end
    if here < piece.end:
        yield Run(here, piece.end)
