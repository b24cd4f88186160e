"""Splits a web page along its elements: what fits stays whole, what is too long is opened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from autokb.chunking.baselines.recursive_text import join_neighbours, split_at, split_recursively
from autokb.chunking.chunk_result import ChunkResult, MarkedPage, result_of_spans
from autokb.chunking.spans import check_size, trim_span
from autokb.core.marks import AREAS, Mark
from autokb.core.nouns import Span
from autokb.text.markdown import Block, parse_blocks

DEEPEST = 60  # elements in each other that are told apart; what is deeper belongs to the one around it
_AREAS = frozenset(AREAS)


@dataclass(slots=True)
class _Element:
    start: int
    end: int
    children: list[_Element] = field(default_factory=list)


def chunk_recursive_html(page: MarkedPage, max_size: int) -> ChunkResult:
    """Chunk a page along its tree of elements; neighbours inside one element share a chunk as far as they fit.

    The elements of a web page are the areas that its marks name (menus, footers, forms and the like) and, in them, the
    lists, items, tables, code, headings and paragraphs of its Markdown. A document without marks, whatever its kind,
    falls back on the latter: the elements that its Markdown is rendered to. Headings are elements like any other, so
    that a section has none of its own; ``recursive_markdown`` is the one that splits at sections.
    """
    check_size(max_size)
    text = page.document.text
    return result_of_spans(page.document, _split_element(text, _element_tree(text, page.marks), max_size))


def _element_tree(text: str, marks: Iterable[Mark]) -> _Element:
    areas = [(m.start, min(m.end, len(text))) for m in marks if m.kind in _AREAS]
    blocks = parse_blocks(text)
    found = {trim_span(text, *span) for span in (*areas, *_list_spans(blocks), *((b.start, b.end) for b in blocks))}
    root = _Element(0, len(text))
    opened = [root]
    for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
        while start >= opened[-1].end and len(opened) > 1:
            opened.pop()
        crosses = end > opened[-1].end  # an area that ends inside of what it began before is no element
        if start < end and not crosses and len(opened) < DEEPEST:
            element = _Element(start, end)
            opened[-1].children.append(element)
            opened.append(element)
    return root


def _list_spans(blocks: Iterable[Block]) -> Iterator[Span]:
    """Yield the span of each list of the first level."""
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


def _split_element(text: str, element: _Element, size: int) -> Iterator[Span]:
    start, end = trim_span(text, element.start, element.end)
    if start < end <= start + size:
        yield start, end
    elif not element.children:
        yield from split_recursively(text, start, end, size)
    else:
        inside = {trim_span(text, c.start, c.end): c for c in element.children}
        edges = sorted({place for child in element.children for place in (child.start, child.end)})
        parts = split_at(text, start, end, edges)
        yield from join_neighbours(
            parts, size, lambda part: _split_element(text, inside.get(part) or _Element(*part), size)
        )
