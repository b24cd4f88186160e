"""Splits a text where it is parted most: at paragraphs, then lines, sentences and words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from autokb.chunking.chunk_result import ChunkResult, MarkedPage, result_of_spans
from autokb.chunking.spans import check_size, split_span, trim_span
from autokb.core.nouns import Span
from autokb.text.plain_text import sentences

Breaks = Callable[[str, int, int], Iterable[int]]  # the places inside a span where a part begins


def _after(pattern: str) -> Breaks:
    compiled = re.compile(pattern)
    return lambda text, start, end: (found.end() for found in compiled.finditer(text, start, end))


PARAGRAPH_BREAKS = _after(r"\n[ \t\r]*\n\s*")
TEXT_BREAKS: tuple[Breaks, ...] = (
    PARAGRAPH_BREAKS,
    _after(r"\n\s*"),
    lambda text, start, end: (first for first, _ in sentences(text, start, end)),
    _after(r"\s+"),
)


def chunk_recursive_text(page: MarkedPage, max_size: int) -> ChunkResult:
    """Chunk a text at its blank lines; a paragraph that is too long at its lines, then sentences, then words.

    The text of a web page is its Markdown, whose marks are characters like any other.
    """
    check_size(max_size)
    text = page.document.text
    return result_of_spans(page.document, split_recursively(text, 0, len(text), max_size))


def split_recursively(
    text: str, start: int, end: int, size: int, breaks: Sequence[Breaks] = TEXT_BREAKS
) -> Iterator[Span]:
    """Yield spans of at most ``size`` characters that hold everything between two places save white space.

    A part is split at the first kind of break; neighbours that fit together stay together, and a part that is too long
    is split at the next kind. What has no break left is split anywhere.
    """
    start, end = trim_span(text, start, end)
    if start < end <= start + size:
        yield start, end
    elif start < end and not breaks:
        yield from split_span(text, start, end, size)
    elif start < end:
        parts = split_at(text, start, end, breaks[0](text, start, end))
        yield from join_neighbours(parts, size, lambda part: split_recursively(text, *part, size, breaks[1:]))


def split_at(text: str, start: int, end: int, places: Iterable[int]) -> Iterator[Span]:
    """Yield the parts of a span between places inside it, which rise, without the white space around them."""
    here = start
    for place in (*places, end):
        part = trim_span(text, here, place)
        if part[0] < part[1]:
            yield part
        here = max(here, place)


def join_neighbours(parts: Iterable[Span], size: int, split: Callable[[Span], Iterable[Span]]) -> Iterator[Span]:
    """Join neighbouring parts as far as they fit; ``split`` splits one that is too long, whose parts join nothing."""
    begun: Span | None = None
    for part in parts:
        if begun and part[1] - begun[0] <= size:
            begun = (begun[0], part[1])
            continue
        if begun:
            yield begun
        begun = part if part[1] - part[0] <= size else None
        if begun is None:
            yield from split(part)
    if begun:
        yield begun
