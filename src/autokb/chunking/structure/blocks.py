"""A text as numbered blocks: every character that is no white space is in exactly one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from autokb.chunking.spans import line_spans, trim_span
from autokb.core.nouns import Span
from autokb.text.markdown import LONGEST_HEADING, Block, front_matter_end, parse_blocks
from autokb.text.plain_text import plain_text

LONG_LINE = 160  # characters; lines that are longer on average are not wrapped: each is a block of its own
# Headings of wiki texts; corpora that were split into words write "= = Name = =". A legend ("= Goals ; A =") is none.
_WIKI_HEADING = re.compile(r"((?:= ?){1,6}) ?([^\s=;](?:[^=;\n]*[^\s=;])?) ?((?:= ?){1,6})")
_QUOTE_MARKS = re.compile(r"[>\s]*")
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n|\r[^\S\r\n]*\r")


def numbered_blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a Markdown text in order; what is between two (rules, link targets) is a paragraph.

    The ``number`` of each is its place, from 1; an item is one of a list's first level, and has no ``level``.
    Front matter is the first one. A paragraph that is written a paragraph a line is one block a line, and a line that
    is a wiki heading is a heading.
    """
    blocks = (line for block in _all_blocks(text) for line in _split_lines(text, block))
    return tuple(replace(block, number=n) for n, block in enumerate(blocks, 1))


def heading_words(text: str, block: Block) -> str:
    """Return a heading as a reader sees it."""
    written = text[block.start : block.end]
    wiki = _WIKI_HEADING.fullmatch(written)
    return plain_text(wiki.group(2) if wiki else written)


def _all_blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of the first level, and what is between them as paragraphs."""
    place = front_matter_end(text)
    if place:
        yield Block("front matter", 0, place)
    for block in parse_blocks(text):
        if block.end <= place or (block.kind == "item" and block.level > 1):
            continue
        start, end = trim_span(text, place, max(block.start, place))
        if start < end and not _is_quote_mark(text, start, end, block):
            yield Block("paragraph", start, end)
            start = max(block.start, place)
        place = block.end
        # The marks of a quotation belong to what they quote.
        start = start if start < end else max(block.start, start)
        level = block.level if block.kind == "heading" else 0
        yield replace(block, start=start, level=level)
    start, end = trim_span(text, place, len(text))
    if start < end:
        yield Block("paragraph", start, end)


def _is_quote_mark(text: str, start: int, end: int, block: Block) -> bool:
    """Return whether a span before a block is nothing but marks of the quotation that the block is in."""
    if block.kind == "heading" or not _QUOTE_MARKS.fullmatch(text, start, end):
        return False
    return _EMPTY_LINE.search(text, start, block.start) is None


# Complex: a paragraph is left whole, cut at each line, or cut at its wiki headings, which the same lines decide.
def _split_lines(text: str, block: Block) -> Iterable[Block]:
    """Yield the lines of a paragraph that is written a paragraph a line, and its wiki headings."""
    if block.kind != "paragraph":
        return (block,)
    lines = list(line_spans(text, block.start, block.end))
    headings = {span: level for span in lines if (level := _wiki_level(text, span))}
    if len(lines) > 1 and sum(end - start for start, end in lines) > LONG_LINE * len(lines):
        return [Block("heading" if span in headings else "paragraph", *span, headings.get(span, 0)) for span in lines]
    if not headings:
        return (block,)
    found: list[Block] = []
    for is_heading, run in groupby(lines, headings.__contains__):
        spans = list(run)
        if is_heading:
            found += [Block("heading", *span, headings[span]) for span in spans]
        else:
            found.append(Block("paragraph", spans[0][0], spans[-1][1]))
    return found


def _wiki_level(text: str, span: Span) -> int:
    """Return the level of a wiki heading, 0 for any other line."""
    if text[span[0]] != "=" or text[span[1] - 1] != "=" or span[1] - span[0] > LONGEST_HEADING:
        return 0
    found = _WIKI_HEADING.fullmatch(text, *span)
    if not found or found.group(1).count("=") != found.group(3).count("="):
        return 0
    return found.group(1).count("=")
