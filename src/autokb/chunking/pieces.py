"""From spans to chunks: cutting a span to size, and ids that last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autokb.core.errors import BadInputError
from autokb.core.ids import digest, occurrences, short_id
from autokb.core.nouns import Chunk, Document, Span

REACH = 0.2  # of the size: how far back a cut may move to find white space


@dataclass(frozen=True, slots=True)
class Piece:
    """What will be a chunk: ``text`` is the Markdown of the spans, with what is repeated before it."""

    spans: tuple[Span, ...]
    text: str
    headings: tuple[str, ...] = ()
    parent: int | None = None


def check_size(max_size: int) -> None:
    """Refuse a size that no chunk can have."""
    if max_size < 1:
        raise BadInputError(f"The chunk size must be at least 1 character, not {max_size}; try --max-size 2048.")


def trimmed(text: str, start: int, end: int) -> Span:
    """Return the span without the white space around it."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def cut(text: str, start: int, end: int, size: int) -> list[Span]:
    """Cut a span into spans of at most ``size`` characters, at white space where some is within reach."""
    found: list[Span] = []
    start, end = trimmed(text, start, end)
    while start < end:
        stop = min(start + size, end)
        if stop < end and not text[stop].isspace() and not text[stop - 1].isspace():
            stop = _white_space(text, max(start + 1, stop - max(1, int(size * REACH))), stop)
        found.append(trimmed(text, start, stop))
        start, end = trimmed(text, stop, end)
    return found


def _white_space(text: str, reach: int, stop: int) -> int:
    for place in range(stop, reach, -1):
        if text[place - 1].isspace():
            return place
    return stop


def as_chunks(document: Document, pieces: Iterable[Piece]) -> tuple[Chunk, ...]:
    """Name the pieces: a chunk's id is its document, the hash of its text and which occurrence of it this is."""
    pieces = tuple(pieces)
    hashes = [digest(piece.text) for piece in pieces]
    ids = [
        short_id("chunk", document.id, text, str(which))
        for text, which in zip(hashes, occurrences(hashes), strict=True)
    ]
    return tuple(
        Chunk(
            id=chunk_id,
            document=document.id,
            text=piece.text,
            spans=piece.spans,
            headings=piece.headings,
            parent_id=None if piece.parent is None else ids[piece.parent],
        )
        for chunk_id, piece in zip(ids, pieces, strict=True)
    )
