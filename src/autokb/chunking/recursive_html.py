"""Cutting a page along its elements: what fits stays whole, what is too long is opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from autokb.chunking.cutting import Cut, Mark
from autokb.chunking.pieces import check_size, trimmed
from autokb.chunking.recursive_text import chunks_at, packed, parts_at, recursive_spans
from autokb.core.nouns import Document, Span
from autokb.text.markdown import Block, parse_blocks

DEEPEST = 60  # elements in each other that are told apart; what is deeper belongs to the one around it
_AREAS = frozenset({"nav", "header", "footer", "aside", "form", "hidden", "dialog", "named"})


@dataclass(slots=True)
class _Element:
    start: int
    end: int
    children: list[_Element] = field(default_factory=list)


def recursive_html_chunks(document: Document, max_size: int, marks: tuple[Mark, ...] = ()) -> Cut:
    """Cut a page along its tree of elements; neighbours inside one element share a chunk as far as they fit.

    The elements are those that the page's Markdown and marks still tell: areas such as menus and forms, lists, items,
    tables, code and paragraphs. Headings are elements like any other.
    """
    check_size(max_size)
    text = document.text
    return chunks_at(document, _spans(text, _tree(text, marks), max_size))


def _tree(text: str, marks: Iterable[Mark]) -> _Element:
    areas = [(m.start, min(m.end, len(text))) for m in marks if m.kind in _AREAS]
    blocks = parse_blocks(text)
    found = {trimmed(text, *span) for span in (*areas, *_lists(blocks), *((b.start, b.end) for b in blocks))}
    root = _Element(0, len(text))
    open_ = [root]
    for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
        while start >= open_[-1].end and len(open_) > 1:
            open_.pop()
        crosses = end > open_[-1].end  # an area that ends inside of what it began before is no element
        if start < end and not crosses and len(open_) < DEEPEST:
            element = _Element(start, end)
            open_[-1].children.append(element)
            open_.append(element)
    return root


def _lists(blocks: Iterable[Block]) -> Iterator[Span]:
    """Give the span of each list of the first level."""
    begun: tuple[int, int, int] | None = None
    for block in blocks:
        if block.kind == "item" and block.level > 1:
            continue
        if begun and block.kind == "item" and block.list_id == begun[2]:
            begun = (begun[0], block.end, block.list_id)
            continue
        if begun:
            yield begun[:2]
        begun = (block.start, block.end, block.list_id) if block.kind == "item" else None
    if begun:
        yield begun[:2]


def _spans(text: str, element: _Element, size: int) -> Iterator[Span]:
    start, end = trimmed(text, element.start, element.end)
    if start < end <= start + size:
        yield start, end
    elif not element.children:
        yield from recursive_spans(text, start, end, size)
    else:
        inside = {trimmed(text, c.start, c.end): c for c in element.children}
        edges = sorted({place for child in element.children for place in (child.start, child.end)})
        parts = parts_at(text, start, end, edges)
        yield from packed(parts, size, lambda part: _spans(text, inside.get(part) or _Element(*part), size))
