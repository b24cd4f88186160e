"""Chunks under their headings: units become pieces of the right size, and each piece knows what it hangs under."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from autokb.chunking.blocks import NumberedBlock, heading_words
from autokb.chunking.outline import Path, common
from autokb.chunking.packing import Atom, Bit, atoms_of, block_atom, equal_parts
from autokb.chunking.pieces import Piece, as_chunks
from autokb.chunking.units import Unit, groups
from autokb.core.nouns import Chunk, Document, Span

REPEATED = 0.5  # of the size: what repeated headings may take at most


@dataclass(frozen=True, slots=True)
class Outline:
    """A text with its blocks and, for each, the headings that it stands under."""

    text: str
    blocks: tuple[NumberedBlock, ...]
    paths: tuple[Path, ...]

    def length(self, unit: Unit) -> int:
        """Return the characters of a unit's blocks and what stands between them."""
        return self.blocks[unit[-1]].end - self.blocks[unit[0]].start

    def path(self, positions: Sequence[int]) -> Path:
        """Return the headings that all of some blocks stand under; those of headings count where there is no text."""
        said = [p for p in positions if self.blocks[p].kind != "heading"]
        return common(self.paths[p] for p in said or positions[-1:])

    def written(self, position: int) -> str:
        """Return a block as it is written."""
        return self.text[self.blocks[position].start : self.blocks[position].end]


@dataclass(frozen=True, slots=True)
class _Part:
    bits: tuple[Bit, ...]
    path: Path
    headings: tuple[int, ...]  # those that begin in it


def chunk_tree(document: Document, outline: Outline, units: Sequence[Unit], size: int) -> tuple[Chunk, ...]:
    """Return the chunks of the units in order, each under the chunk of the heading above it.

    A unit that is too long becomes parts that are as equal as its blocks allow, siblings in order. The first chunk
    with text of a heading's own carries what stands below the heading; a heading without such text is a chunk without
    text and spans where several chunks stand below it. Its own characters are in the first of these.
    """
    parts = [part for unit in units for part in _parts(outline, unit, size)]
    grown = _Tree(outline, parts)
    for number, part in enumerate(parts):
        grown.add(number, part, _piece(outline, part, size))
    chunks = as_chunks(document, grown.pieces)
    return tuple(c if c.spans else replace(c, text="") for c in chunks)


def with_text(chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Leave out the chunks without text; what hung under one hangs under the next one above it."""
    above = {chunk.id: chunk.parent_id for chunk in chunks if not chunk.spans}
    found = []
    for chunk in chunks:
        parent = chunk.parent_id
        while parent in above:
            parent = above[parent]
        if chunk.spans:
            found.append(replace(chunk, parent_id=parent))
    return tuple(found)


def joined_units(outline: Outline, units: Sequence[Unit], below: int) -> tuple[Unit, ...]:
    """Join neighbours that are small, up to ``below`` characters (0: none), where they share a heading.

    Of a unit over half of that, what must stay together takes part by itself: chunks of like size are found best.
    """
    if not below:
        return tuple(units)
    return tuple(unit for run in _runs(outline, units, below) for unit in _joined(outline, run, below))


def _runs(outline: Outline, units: Sequence[Unit], below: int) -> Iterator[list[Unit]]:
    run: list[Unit] = []
    for unit in units:
        if run and not _near(outline, run[0], unit):
            yield run
            run = []
        run += [unit] if outline.length(unit) * 2 <= below else groups(outline.text, outline.blocks, unit)
    if run:
        yield run


def _near(outline: Outline, first: Unit, other: Unit) -> bool:
    """Return whether a unit is of the same section as another, of one below it, or of one beside it."""
    begin, here = outline.path(first), outline.path(other)
    shared = len(common((begin, here)))
    beside = outline.blocks[here[shared]].level > 1 if shared < len(here) else True
    return shared >= len(begin) - 1 and beside


def _joined(outline: Outline, run: list[Unit], below: int) -> Iterator[Unit]:
    atoms = [Atom((Bit(n, outline.blocks[u[0]].start, outline.blocks[u[-1]].end, 2),)) for n, u in enumerate(run)]
    for part in equal_parts(atoms, below, below):
        yield tuple(position for atom in part for position in run[atom.bits[0].position])


def _parts(outline: Outline, unit: Unit, size: int) -> Iterator[_Part]:
    path = outline.path(unit)
    own = {p for p in unit if outline.blocks[p].kind == "heading"}
    above = size - _taken(outline, [p for p in path if p not in own], size)
    again = size - _taken(outline, path, size)
    for atoms in _atoms(outline, unit, above, again, size):
        bits = tuple(bit for atom in atoms for bit in atom.bits)
        positions = list(dict.fromkeys(bit.position for bit in bits))
        begun = {bit.position for bit in bits if bit.start == outline.blocks[bit.position].start}
        yield _Part(bits, outline.path(positions), tuple(p for p in positions if p in own & begun))


def _atoms(outline: Outline, unit: Unit, first: int, others: int, size: int) -> list[list[Atom]]:
    whole = block_atom(outline.text, outline.blocks, unit)
    if whole.length <= first:
        return [[whole]]
    atoms = atoms_of(outline.text, outline.blocks, unit, min(first, others), size)
    return equal_parts(atoms, first, others)


def _fitting(outline: Outline, path: Sequence[int], room: int) -> list[str]:
    """Return the innermost headings that have room, as they are written."""
    kept: list[str] = []
    for position in reversed(path):
        heading = outline.written(position)
        room -= len(heading) + 2
        if room < 0:
            break
        kept.insert(0, heading)
    return kept


def _taken(outline: Outline, path: Sequence[int], size: int) -> int:
    return sum(len(heading) + 2 for heading in _fitting(outline, path, int(size * REPEATED)))


def _piece(outline: Outline, part: _Part, size: int) -> Piece:
    spans = _spans(part.bits)
    head = f"{part.bits[0].head}\n" if part.bits[0].head else ""
    own = head + "".join(outline.text[start:end] for start, end in spans)
    above = [p for p in part.path if p not in {bit.position for bit in part.bits}]
    repeated = _fitting(outline, above, min(int(size * REPEATED), size - len(own)))
    headings = tuple(heading_words(outline.text, outline.blocks[p]) for p in part.path)
    return Piece(spans, "\n\n".join((*repeated, own)), headings)


def _spans(bits: Sequence[Bit]) -> tuple[Span, ...]:
    """Return the spans of bits; one that ends where something is left out takes the white space after it along."""
    spans: list[Span] = []
    free = -1
    for bit in bits:
        if spans and bit.start <= free:
            spans[-1] = (spans[-1][0], bit.end)
        else:
            if spans:
                spans[-1] = (spans[-1][0], free)
            spans.append((bit.start, bit.end))
        free = bit.end + bit.gap
    return tuple(spans)


class _Tree:
    """The pieces so far, and which of them stands for each heading."""

    def __init__(self, outline: Outline, parts: Sequence[_Part]) -> None:
        self.outline = outline
        self.pieces: list[Piece] = []
        self.nodes: dict[int, int] = {}
        self.last: dict[int, int] = {}  # the last part below each heading
        self.own: set[int] = set()  # headings with text of their own
        for number, part in enumerate(parts):
            for position in dict.fromkeys(bit.position for bit in part.bits):
                path = outline.paths[position]
                self.last.update(dict.fromkeys(path, number))
                if path and outline.blocks[position].kind != "heading":
                    self.own.add(path[-1])

    def add(self, number: int, part: _Part, piece: Piece) -> None:
        """Hang a piece under the nearest heading above it."""
        begun = list(part.headings)
        first = self.outline.paths[part.bits[0].position]
        if begun and begun[0] == part.bits[0].position:
            parent = self._nearest(first[:-1])
            while begun and begun[0] not in self.own and self.last[begun[0]] > number:
                parent = self._node(begun.pop(0), parent)
        else:
            parent = self._beside(first)
        self.nodes.update(dict.fromkeys(begun, len(self.pieces)))
        self.pieces.append(replace(piece, parent=parent))

    def _node(self, heading: int, parent: int | None) -> int:
        """Add a chunk without text for a heading that has only others below it."""
        path = self.outline.paths[heading]
        words = tuple(heading_words(self.outline.text, self.outline.blocks[p]) for p in path)
        self.nodes[heading] = len(self.pieces)
        self.pieces.append(Piece((), "\n".join(words), words, parent))
        return self.nodes[heading]

    def _nearest(self, path: Path) -> int | None:
        return next((self.nodes[p] for p in reversed(path) if p in self.nodes), None)

    def _beside(self, path: Path) -> int | None:
        """Return what a further chunk of a heading's own text hangs under: what the first one does."""
        node = self._nearest(path)
        return node if node is None or not self.pieces[node].spans else self.pieces[node].parent
