"""One chunk a section; a long section is cut between its blocks, with its headings repeated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autokb.chunking.pieces import Piece, as_chunks, check_size, cut, trimmed
from autokb.core.nouns import Chunk, Document, Span
from autokb.text.markdown import Block, Section, parse_blocks, section_at, sections, sentences

REPEATED = 0.5  # of the size: what repeated headings, and again a table's head, may take at most


@dataclass(frozen=True, slots=True)
class _Part:
    """A span that stays whole; ``head`` is the table's head that stands before it when it begins a chunk."""

    start: int
    end: int
    head: str = ""


@dataclass(frozen=True, slots=True)
class _Outline:
    """A text with its sections and the blocks of each, nested items left out."""

    text: str
    sections: tuple[Section, ...]
    blocks: tuple[tuple[Block, ...], ...]

    def above(self, number: int) -> list[int]:
        """Return the sections above one, the outermost first."""
        found: list[int] = []
        parent = self.sections[number].parent
        while parent is not None:
            found.insert(0, parent)
            parent = self.sections[parent].parent
        return found

    def heading(self, number: int) -> str:
        """Return the heading of a section as it is written."""
        if not self.sections[number].level:
            return ""
        block = self.blocks[number][0]
        return self.text[block.start : block.end]


def heading_chunks(document: Document, max_size: int = 2048) -> tuple[Chunk, ...]:
    """Cut a document at its headings; a heading without text of its own goes with what follows it."""
    check_size(max_size)
    return as_chunks(document, _pieces(_outline(document.text), max_size))


def _outline(text: str) -> _Outline:
    found = sections(text)
    blocks: list[list[Block]] = [[] for _ in found]
    for block in parse_blocks(text):
        if block.kind != "item" or block.level == 1:
            blocks[section_at(found, block.start)].append(block)
    return _Outline(text, found, tuple(tuple(b) for b in blocks))


def _pieces(outline: _Outline, size: int) -> list[Piece]:
    pieces: list[Piece] = []
    begun: dict[int, int] = {}  # the first piece of each section that has text of its own
    for group in _groups(outline, size):
        last = group[-1]
        parent = next((begun[n] for n in reversed(outline.above(last)) if n in begun), None)
        begun[last] = len(pieces)
        above = _fitting((outline.heading(n) for n in outline.above(group[0])), size)
        again = _fitting((outline.heading(n) for n in (*outline.above(last), last)), size)
        room = size - max(sum(len(h) + 2 for h in above), sum(len(h) + 2 for h in again))
        parts = [part for n in group for part in _parts(outline, n, room)]
        for number, packed in enumerate(_packed(outline.text, parts, room)):
            span = (packed[0].start, packed[-1].end)
            table = f"{packed[0].head}\n" if packed[0].head else ""
            text = "\n\n".join((*(again if number else above), table + outline.text[span[0] : span[1]]))
            pieces.append(Piece((span,), text, outline.sections[last].headings, parent))
    return pieces


def _groups(outline: _Outline, size: int) -> Iterator[list[int]]:
    """Give the sections that share a chunk: headings without text and the section that follows them."""
    group: list[int] = []
    for number, section in enumerate(outline.sections):
        if not outline.text[section.start : section.own_end].strip():
            continue
        group.append(number)
        bare = section.level > 0 and len(outline.blocks[number]) == 1
        under = number + 1 < len(outline.sections) and outline.sections[number + 1].parent == number
        if not (bare and under and section.own_end - outline.sections[group[0]].start <= size * REPEATED):
            yield group
            group = []
    if group:
        yield group


def _fitting(headings: Iterable[str], size: int) -> list[str]:
    """Keep the innermost headings that have room."""
    kept: list[str] = []
    room = int(size * REPEATED)
    for heading in reversed([h for h in headings if h]):
        room -= len(heading) + 2
        if room < 0:
            break
        kept.insert(0, heading)
    return kept


def _packed(text: str, parts: list[_Part], room: int) -> Iterator[list[_Part]]:
    packed: list[_Part] = []
    for part in parts:
        begin = packed[0] if packed else part
        if packed and part.end - begin.start + (len(begin.head) + 1 if begin.head else 0) > room:
            yield packed
            packed = []
        packed.append(part)
    if packed:
        yield packed


def _parts(outline: _Outline, number: int, room: int) -> Iterator[_Part]:
    """Give the parts of a section in order; together they hold every character that is not white space."""
    section = outline.sections[number]
    blocks = {b.start: b for b in outline.blocks[number]}
    starts = sorted({section.start, *blocks})
    for start, end in zip(starts, (*starts[1:], section.own_end), strict=True):
        span = trimmed(outline.text, start, end)
        if span[1] - span[0] <= room:
            yield from (_Part(*span) for _ in range(span[0] < span[1]))
        elif start in blocks and blocks[start].kind == "table":
            yield from _rows(outline.text, span, room)
        else:
            yield from _torn(outline.text, span, room)


def _rows(text: str, span: Span, room: int) -> Iterator[_Part]:
    """Cut a table between its rows and repeat its head."""
    lines = [line for line in _lines(text, span) if line[0] < line[1]]
    head = text[lines[0][0] : lines[min(1, len(lines) - 1)][1]]
    head = head if len(head) < room * REPEATED else ""
    yield from _torn(text, (lines[0][0], lines[min(1, len(lines) - 1)][1]), room)
    for line in lines[2:]:
        for start, end in cut(text, *line, room - len(head) - 1 if head else room):
            yield _Part(start, end, head)


def _lines(text: str, span: Span) -> Iterator[Span]:
    start = span[0]
    while start < span[1]:
        end = text.find("\n", start, span[1])
        end = span[1] if end < 0 else end
        yield trimmed(text, start, end)
        start = end + 1


def _torn(text: str, span: Span, room: int) -> Iterator[_Part]:
    """Tear a part that is too long between its sentences, and a sentence that is too long at white space."""
    for sentence in sentences(text, *span):
        for start, end in cut(text, *sentence, room):
            yield _Part(start, end)
