"""Cutting a text at what parts it most: paragraphs, then lines, sentences and words, as recursive splitters do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from autokb.chunking.cutting import Cut, Mark
from autokb.chunking.pieces import Piece, as_chunks, check_size, cut, trimmed
from autokb.core.nouns import Document, Span
from autokb.text.markdown import section_at, sections
from autokb.text.plain_text import sentences

Breaks = Callable[[str, int, int], Iterable[int]]  # the places inside a span where a part begins
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n\s*")
_LINE = re.compile(r"\n\s*")
_WORD = re.compile(r"\s+")


def recursive_text_chunks(document: Document, max_size: int, marks: tuple[Mark, ...] = ()) -> Cut:
    """Cut a text at its blank lines; a paragraph that is too long at its lines, then sentences, then words."""
    check_size(max_size)
    return chunks_at(document, recursive_spans(document.text, 0, len(document.text), max_size))


def chunks_at(document: Document, spans: Iterable[Span]) -> Cut:
    """Return chunks that are these spans of a document as they stand, and no noise."""
    text, found = document.text, sections(document.text)
    pieces = (Piece(((s, e),), text[s:e], found[section_at(found, s)].headings) for s, e in spans)
    return Cut(as_chunks(document, pieces))


def _after(pattern: re.Pattern[str]) -> Breaks:
    return lambda text, start, end: (found.end() for found in pattern.finditer(text, start, end))


def _sentence_starts(text: str, start: int, end: int) -> Iterator[int]:
    return (first for first, _ in sentences(text, start, end))


TEXT_BREAKS: tuple[Breaks, ...] = (_after(_BLANK_LINE), _after(_LINE), _sentence_starts, _after(_WORD))


def recursive_spans(
    text: str, start: int, end: int, size: int, breaks: Sequence[Breaks] = TEXT_BREAKS
) -> Iterator[Span]:
    """Give spans of at most ``size`` characters that hold everything between two places save white space.

    A part is cut at the first kind of break; neighbours that fit together stay together, and a part that is too long
    is cut at the next kind. What has no break left is cut anywhere.
    """
    start, end = trimmed(text, start, end)
    if start < end <= start + size:
        yield start, end
    elif start < end and not breaks:
        yield from cut(text, start, end, size)
    elif start < end:
        parts = parts_at(text, start, end, breaks[0](text, start, end))
        yield from packed(parts, size, lambda part: recursive_spans(text, *part, size, breaks[1:]))


def parts_at(text: str, start: int, end: int, places: Iterable[int]) -> Iterator[Span]:
    """Give the parts of a span between places inside it, which rise, without the white space around them."""
    here = start
    for place in (*places, end):
        part = trimmed(text, here, place)
        if part[0] < part[1]:
            yield part
        here = max(here, place)


def packed(parts: Iterable[Span], size: int, smaller: Callable[[Span], Iterable[Span]]) -> Iterator[Span]:
    """Join neighbouring parts as far as they fit; ``smaller`` cuts one that is too long, and what it gives stays."""
    begun: Span | None = None
    for part in parts:
        if begun and part[1] - begun[0] <= size:
            begun = (begun[0], part[1])
            continue
        if begun:
            yield begun
        begun = part if part[1] - part[0] <= size else None
        if begun is None:
            yield from smaller(part)
    if begun:
        yield begun
