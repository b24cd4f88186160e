"""Spans of a text, ``(start, end)`` in code points, half open: trimmed, and split to size."""

from __future__ import annotations

from collections.abc import Iterator

from autokb.core.errors import BadInputError
from autokb.core.nouns import Span

REACH = 0.2  # of the size: how far before its end a span may be split to end between words


def check_size(max_size: int) -> None:
    """Refuse a size that no chunk can have (BadInputError)."""
    if max_size < 1:
        raise BadInputError(f"The chunk size must be at least 1 character, not {max_size}; try --max-size 2048.")


def trim_span(text: str, start: int, end: int) -> Span:
    """Return the span without the white space around it."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def split_span(text: str, start: int, end: int, size: int, reach: float = REACH) -> list[Span]:
    """Split a span into spans of at most ``size`` characters, at the last white space within reach of the size.

    Together they hold everything but white space; where none is within reach a word is split.
    """
    found: list[Span] = []
    start, end = trim_span(text, start, end)
    while start < end:
        stop = min(start + size, end)
        if stop < end and not text[stop].isspace() and not text[stop - 1].isspace():
            nearest = max(start + 1, stop - max(1, int(size * reach)))
            stop = next((place for place in range(stop, nearest, -1) if text[place - 1].isspace()), stop)
        found.append(trim_span(text, start, stop))
        start, end = trim_span(text, stop, end)
    return found


def line_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the lines of a span that are not blank, without the white space around them."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        line = trim_span(text, start, stop)
        if line[0] < line[1]:
            yield line
        start = stop + 1
