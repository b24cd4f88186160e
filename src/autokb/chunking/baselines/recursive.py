"""The recursive splitter that suits a document: on HTML, on Markdown, or on plain text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from autokb.chunking.chunk_result import ChunkResult, MarkedPage, result_of_spans
from autokb.chunking.spans import check_size, split_span, trim_span
from autokb.core.marks import AREAS, Mark
from autokb.core.nouns import Span
from autokb.text.markdown import Block, parse_blocks
from autokb.text.sentences import sentences

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


def chunk_recursive_markdown(page: MarkedPage, max_size: int) -> ChunkResult:
    """Chunk a Markdown text at headings of the first level; a part that is too long at the second, and so on.

    Below the headings come lists, tables, code and paragraphs as wholes, then the breaks of plain text. A text without
    headings is split between its blocks; of a web page its Markdown is read.
    """
    check_size(max_size)
    text = page.document.text
    breaks = (*_markdown_breaks(text), *TEXT_BREAKS)
    return result_of_spans(page.document, split_recursively(text, 0, len(text), max_size, breaks))


# Complex: one comprehension for each kind of break, in the order of their strength.
def _markdown_breaks(text: str) -> Iterator[Breaks]:
    """Yield the kinds of breaks, the strongest first: each level of headings, lists as wholes, any block."""
    blocks = [b for b in parse_blocks(text) if b.kind != "item" or b.level == 1]
    headings = [b for b in blocks if b.kind == "heading"]
    for level in sorted({h.level for h in headings}):
        yield _at([h.start for h in headings if h.level == level])
    before: list[Block | None] = [None, *blocks]
    yield _at([b.start for b, last in zip(blocks, before, strict=False) if not _is_same_list(last, b)])
    yield _at([b.start for b in blocks])


def _is_same_list(before: Block | None, block: Block) -> bool:
    return before is not None and block.kind == before.kind == "item" and block.list_id == before.list_id


def _at(places: Sequence[int]) -> Breaks:
    return lambda _text, start, end: places[bisect_left(places, start) : bisect_left(places, end)]


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


_HTML = frozenset({".html", ".htm", ".xhtml"})


def chunk_recursive(page: MarkedPage, max_size: int) -> ChunkResult:
    """Chunk a web page along its elements, a text with headings at them, any other text at its paragraphs.

    A web page is known by its marks or by the suffix of its id.
    """
    name = PurePosixPath(page.document.id.removesuffix(".gz"))
    if page.marks or name.suffix.lower() in _HTML:
        return chunk_recursive_html(page, max_size)
    if any(block.kind == "heading" for block in parse_blocks(page.document.text)):
        return chunk_recursive_markdown(page, max_size)
    return chunk_recursive_text(page, max_size)
