"""A text as numbered paragraphs: every character that is no white space stands in exactly one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autokb.chunking.pieces import trimmed
from autokb.core.nouns import Span
from autokb.text.front_matter import front_matter_end
from autokb.text.markdown import Block, Kind, parse_blocks
from autokb.text.plain_text import plain_text

LONG_LINE = 160  # characters; lines that are longer on average are not wrapped: each is a paragraph of its own
# Headings of wiki texts; corpora that were split into words write "= = Name = =". A legend ("= Goals ; A =") is none.
_WIKI_HEADING = re.compile(r"((?:= ?){1,6}) ?([^\s=;](?:[^=;\n]*[^\s=;])?) ?((?:= ?){1,6})")
_QUOTE_MARKS = re.compile(r"[>\s]*")
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n|\r[^\S\r\n]*\r")


@dataclass(frozen=True, slots=True)
class NumberedBlock:
    """Paragraph ``number`` (from 1) of a document with its span; an item is one of a list's first level.

    ``level`` is a heading's level. Ordered lists that go on counting after a note share their ``list_id``.
    """

    number: int
    kind: Kind
    start: int
    end: int
    level: int = 0
    ordered: bool = False
    list_id: int = -1


def numbered_blocks(text: str) -> tuple[NumberedBlock, ...]:
    """Return the paragraphs of a Markdown text in order, those between its blocks (rules, link targets) included.

    Front matter is the first one.
    """
    blocks = (line for block in _covering(text) for line in _lines(text, block))
    return tuple(
        NumberedBlock(n, b.kind, b.start, b.end, b.level, b.ordered, b.list_id) for n, b in enumerate(blocks, 1)
    )


def heading_words(text: str, block: NumberedBlock) -> str:
    """Return a heading as a reader sees it."""
    written = text[block.start : block.end]
    wiki = _WIKI_HEADING.fullmatch(written)
    return plain_text(wiki.group(2) if wiki else written)


def _covering(text: str) -> Iterator[Block]:
    """Give the blocks of the first level, and what stands between them as paragraphs."""
    place = front_matter_end(text)
    if place:
        yield Block("front matter", 0, place)
    for block in parse_blocks(text):
        if block.end <= place or (block.kind == "item" and block.level > 1):
            continue
        start, end = trimmed(text, place, max(block.start, place))
        if start < end and not _quotes(text, start, end, block):
            yield Block("paragraph", start, end)
            start = max(block.start, place)
        place = block.end
        # The marks of a quotation belong to what they quote.
        start = start if start < end else max(block.start, start)
        yield Block(block.kind, start, block.end, _level(block), block.ordered, block.number, block.list_id)
    start, end = trimmed(text, place, len(text))
    if start < end:
        yield Block("paragraph", start, end)


def _quotes(text: str, start: int, end: int, block: Block) -> bool:
    """Return whether nothing but marks of the quotation that a block stands in stands before it."""
    if block.kind == "heading" or not _QUOTE_MARKS.fullmatch(text, start, end):
        return False
    return _EMPTY_LINE.search(text, start, block.start) is None


def _level(block: Block) -> int:
    return block.level if block.kind == "heading" else 0


def _lines(text: str, block: Block) -> Iterable[Block]:
    """Give the lines of a paragraph that is written a paragraph a line, and its wiki headings."""
    if block.kind != "paragraph":
        return (block,)
    lines = list(_line_spans(text, block))
    headings = {span: level for span in lines if (level := _wiki_level(text, span))}
    if len(lines) > 1 and sum(end - start for start, end in lines) > LONG_LINE * len(lines):
        return [_line(span, headings) for span in lines]
    if not headings:
        return (block,)
    return _around_headings(lines, headings)


def _line_spans(text: str, block: Block) -> Iterator[Span]:
    start = block.start
    while start < block.end:
        end = text.find("\n", start, block.end)
        end = block.end if end < 0 else end
        span = trimmed(text, start, end)
        if span[0] < span[1]:
            yield span
        start = end + 1


def _line(span: Span, headings: dict[Span, int]) -> Block:
    level = headings.get(span, 0)
    return Block("heading" if level else "paragraph", *span, level)


def _around_headings(lines: list[Span], headings: dict[Span, int]) -> Iterator[Block]:
    run: list[Span] = []
    for span in lines:
        if span in headings:
            if run:
                yield Block("paragraph", run[0][0], run[-1][1])
            run = []
            yield _line(span, headings)
        else:
            run.append(span)
    if run:
        yield Block("paragraph", run[0][0], run[-1][1])


def _wiki_level(text: str, span: Span) -> int:
    """Return the level of a wiki heading, 0 for any other line."""
    if text[span[0]] != "=" or text[span[1] - 1] != "=":
        return 0
    found = _WIKI_HEADING.fullmatch(text, *span)
    if not found or found.group(1).count("=") != found.group(3).count("="):
        return 0
    return found.group(1).count("=")
