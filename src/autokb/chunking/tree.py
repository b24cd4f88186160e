"""Chunks under their headings: units become drafts of the right size, and each draft knows what it is under."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from autokb.chunking.chunk_result import ChunkDraft, chunks_from_drafts
from autokb.chunking.structure.blocks import heading_words
from autokb.chunking.structure.outline import Outline, Path, Unit
from autokb.chunking.structure.packing import Fragment, atom_of_blocks, atoms_of_unit, pack_equally
from autokb.core.forest import Forest
from autokb.core.nouns import Chunk, Document, Span

REPEATED = 0.5  # of the size: what repeated headings may take at most


@dataclass(frozen=True, slots=True)
class _ChunkPart:
    """What of a unit one chunk holds: ``path`` are the headings above it, ``headings`` those that begin in it."""

    fragments: tuple[Fragment, ...]
    path: Path
    headings: tuple[int, ...]


def build_chunk_tree(document: Document, outline: Outline, units: Sequence[Unit], size: int) -> tuple[Chunk, ...]:
    """Return the chunks of the units in order, each under the chunk of the heading above it.

    A unit that is too long becomes parts that are as equal as its blocks allow, siblings in order. The first chunk
    with text of a heading's own stands for the heading; a heading without such text is a chunk without text and spans
    where several chunks are below it. Its own characters are in the first of these.
    """
    parts = [part for unit in units for part in _split_unit(outline, unit, size)]
    tree = _Tree(outline, parts)
    for number, part in enumerate(parts):
        tree.add(number, part, _draft(outline, part, size))
    chunks = chunks_from_drafts(document, tree.drafts)
    return tuple(c if c.spans else replace(c, text="") for c in chunks)


def chunks_with_text(chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Leave out a document's chunks without text; what was under one is under the nearest one above that has text."""
    forest = Forest(chunks)
    above = {c.id: next((a.id for a in forest.ancestors(c.id) if a.spans), None) for c in chunks if c.spans}
    return tuple(replace(c, parent_id=above[c.id]) for c in chunks if c.spans)


# Complex: the headings that are repeated leave the first part another room than the others.
def _split_unit(outline: Outline, unit: Unit, size: int) -> Iterator[_ChunkPart]:
    """Yield the parts of a unit; the room for each is what the headings before it leave of the size."""
    path = outline.path(unit)
    begun_inside = {p: outline.blocks[p].start for p in unit if outline.blocks[p].kind == "heading"}
    first, others = (
        size - sum(len(heading) + 2 for heading in _innermost(outline, headings, int(size * REPEATED)))
        for headings in ([p for p in path if p not in begun_inside], path)
    )
    whole = atom_of_blocks(outline, unit)
    packed = [[whole]]
    if whole.length > first:
        packed = pack_equally(atoms_of_unit(outline, unit, min(first, others), size), first, others)
    for atoms in packed:
        fragments = tuple(fragment for atom in atoms for fragment in atom.fragments)
        positions = list(dict.fromkeys(fragment.position for fragment in fragments))
        begun = dict.fromkeys(f.position for f in fragments if begun_inside.get(f.position) == f.start)
        yield _ChunkPart(fragments, outline.path(positions), tuple(begun))


def _innermost(outline: Outline, path: Sequence[int], room: int) -> list[str]:
    """Return the innermost headings that have room, as they are written."""
    found: list[str] = []
    for position in reversed(path):
        heading = outline.written(position)
        room -= len(heading) + 2
        if room < 0:
            break
        found.insert(0, heading)
    return found


def _draft(outline: Outline, part: _ChunkPart, size: int) -> ChunkDraft:
    """Return the part's text with as many of the headings above it as have room before it."""
    spans = _joined_spans(part.fragments)
    head = f"{part.fragments[0].head}\n" if part.fragments[0].head else ""
    text = head + "".join(outline.text[start:end] for start, end in spans)
    inside = {fragment.position for fragment in part.fragments}
    above = [p for p in part.path if p not in inside]
    repeated = _innermost(outline, above, min(int(size * REPEATED), size - len(text)))
    headings = tuple(heading_words(outline.text, outline.blocks[p]) for p in part.path)
    return ChunkDraft(spans, "\n\n".join((*repeated, text)), headings)


def _joined_spans(fragments: Sequence[Fragment]) -> tuple[Span, ...]:
    """Return the spans of fragments; one that ends where something is left out takes the white space after it along."""
    spans: list[Span] = []
    free = -1
    for fragment in fragments:
        if spans and fragment.start <= free:
            spans[-1] = (spans[-1][0], fragment.end)
        else:
            if spans:
                spans[-1] = (spans[-1][0], free)
            spans.append((fragment.start, fragment.end))
        free = fragment.end + fragment.gap
    return tuple(spans)


class _Tree:
    """The drafts so far, and which of them stands for each heading."""

    def __init__(self, outline: Outline, parts: Sequence[_ChunkPart]) -> None:
        self.outline = outline
        self.drafts: list[ChunkDraft] = []
        self.draft_of: dict[int, int] = {}  # by heading
        self.last: dict[int, int] = {}  # the last part below each heading
        self.has_text: set[int] = set()  # headings with text of their own
        for number, part in enumerate(parts):
            for position in dict.fromkeys(fragment.position for fragment in part.fragments):
                path = outline.paths[position]
                self.last.update(dict.fromkeys(path, number))
                if path and outline.blocks[position].kind != "heading":
                    self.has_text.add(path[-1])

    def add(self, number: int, part: _ChunkPart, draft: ChunkDraft) -> None:
        """Put a draft under the nearest heading above it."""
        begun = list(part.headings)
        first = part.fragments[0].position
        path = self.outline.paths[first]
        if begun and begun[0] == first:
            parent = self._nearest(path[:-1])
            while begun and begun[0] not in self.has_text and self.last[begun[0]] > number:
                parent = self._add_heading(begun.pop(0), parent)
        else:
            # A further chunk of a heading's own text is a sibling of the first one.
            parent = self._nearest(path)
            if parent is not None and self.drafts[parent].spans:
                parent = self.drafts[parent].parent
        self.draft_of.update(dict.fromkeys(begun, len(self.drafts)))
        self.drafts.append(replace(draft, parent=parent))

    def _add_heading(self, heading: int, parent: int | None) -> int:
        """Add a draft without text for a heading that has only others below it."""
        path = self.outline.paths[heading]
        words = tuple(heading_words(self.outline.text, self.outline.blocks[p]) for p in path)
        self.draft_of[heading] = len(self.drafts)
        self.drafts.append(ChunkDraft((), "\n".join(words), words, parent))
        return self.draft_of[heading]

    def _nearest(self, path: Path) -> int | None:
        return next((self.draft_of[p] for p in reversed(path) if p in self.draft_of), None)
