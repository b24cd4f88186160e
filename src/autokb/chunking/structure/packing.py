"""Packs what must not be split into parts that are as equal as can be, none of them over its size."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from autokb.chunking.spans import line_spans, split_span, trim_span
from autokb.chunking.structure.block_groups import block_features, group_blocks, has_words
from autokb.chunking.structure.outline import Outline, Unit
from autokb.core.nouns import Span
from autokb.text.markdown import Block, Kind, inner_blocks, parse_blocks
from autokb.text.sentences import sentences


@dataclass(frozen=True, slots=True)
class NestedBlock:
    """A table, code, or an ordered list: of kind ``item`` with its ``items``, which have what is ``inner`` to them."""

    kind: Kind
    start: int
    end: int
    items: tuple[NestedBlock, ...] = ()
    inner: tuple[NestedBlock, ...] = ()


def nested_blocks(text: str, start: int, end: int) -> tuple[NestedBlock, ...]:
    """Return the outermost tables, code and ordered lists inside an item of a list's first level, in order."""
    # Its line is read from the beginning: marks of a quotation are there, and in the lines below.
    line = start
    while line and text[line - 1] not in "\r\n":
        line -= 1
    written = text[line:end]
    found = [*(b for b in parse_blocks(written) if b.ordered and b.level > 1), *inner_blocks(written)]
    placed = (replace(b, start=b.start + line, end=b.end + line) for b in found if b.start < b.end)
    blocks = sorted(placed, key=lambda b: (b.start, b.level))
    starts = [block.start for block in blocks]
    lists: dict[int, list[Block]] = {}
    for block in blocks:
        if block.kind == "item":
            lists.setdefault(block.list_id, []).append(block)

    def outermost(start: int, end: int, level: int) -> tuple[NestedBlock, ...]:
        """Return what is outermost between two places, below the level of the item there."""
        found: list[NestedBlock] = []
        place = start
        for block in blocks[bisect_left(starts, start) : bisect_left(starts, end)]:
            if block.level > level and block.start >= place:
                found.append(nested(block))
                place = found[-1].end
        return tuple(found)

    def nested(block: Block) -> NestedBlock:
        if block.kind != "item":
            return NestedBlock(block.kind, block.start, block.end)
        items = tuple(
            NestedBlock("item", item.start, item.end, (), outermost(item.start, item.end, item.level))
            for item in lists[block.list_id]
        )
        return NestedBlock("item", items[0].start, items[-1].end, items)

    return outermost(start, end, 1)


LONGEST_HEAD = 0.5  # of a part's size: what a table's head may take to be repeated
_WHOLE = ("table", "code")


@dataclass(frozen=True, slots=True)
class Fragment:
    """A span of one block that stays whole; ``gap`` is the length of the white space after it.

    ``head`` is the table's head that is repeated before it where it begins a part.
    """

    position: int
    start: int
    end: int
    gap: int
    head: str = ""


@dataclass(frozen=True, slots=True)
class Atom:
    """Fragments between which no part begins; no part ends after a ``tight`` one while there is room for the next."""

    fragments: tuple[Fragment, ...]
    tight: bool = False

    @property
    def length(self) -> int:
        """Characters of the fragments and the white space between them."""
        return sum(f.end - f.start + f.gap for f in self.fragments) - self.fragments[-1].gap

    @property
    def gap(self) -> int:
        """Characters of the white space after it."""
        return self.fragments[-1].gap

    @property
    def head(self) -> int:
        """Characters that a repeated head takes where it begins a part."""
        return len(self.fragments[0].head) + 1 if self.fragments[0].head else 0


def pack_equally(atoms: Sequence[Atom], first: int, others: int) -> list[list[Atom]]:
    """Return the atoms in as few parts as fit, and these as equal as can be: the longest one as short as possible.

    ``first`` and ``others`` are the sizes, in characters, of the first part and of those that follow; an atom that is
    longer is a part of its own.
    """
    lengths = [(atom.length, atom.gap, atom.head) for atom in atoms]
    starts = _part_starts(lengths, first, others)
    low, high = 0, max(first, others)
    while low < high:
        less = (low + high + 1) // 2
        tried = _part_starts(lengths, first - less, others - less)
        if len(tried) == len(starts):
            low, starts = less, tried
        else:
            high = less - 1
    return [list(atoms[a:b]) for a, b in zip(starts, (*starts[1:], len(atoms)), strict=True)]


def _part_starts(lengths: Sequence[tuple[int, int, int]], first: int, others: int) -> list[int]:
    """Return where parts begin when each takes what fits; of each atom its length, gap and head are given."""
    starts: list[int] = []
    size = gap = 0
    for n, (length, after, head) in enumerate(lengths):
        room = first if len(starts) == 1 else others
        if not starts or size + gap + length > room:
            starts.append(n)
            size, gap = head, 0
        size += gap + length
        gap = after
    return starts


def atom_of_blocks(outline: Outline, positions: Sequence[int]) -> Atom:
    """Return some blocks as one atom."""
    text, blocks = outline.text, outline.blocks
    return Atom(tuple(_fragment(text, p, blocks[p].start, blocks[p].end) for p in positions))


def _fragment(text: str, position: int, start: int, end: int, head: str = "") -> Fragment:
    following = end
    while following < len(text) and text[following].isspace():
        following += 1
    return Fragment(position, start, end, following - end, head)


def atoms_of_unit(outline: Outline, unit: Unit, room: int, whole: int) -> list[Atom]:
    """Return what of a unit stays together in parts of ``room`` characters.

    What belongs together stays so while it fits; then blocks, then sentences, lines and rows. An ordered list, a table
    and code are whole up to ``whole`` characters, those inside an item too.
    """
    found: list[Atom] = []
    for group in group_blocks(outline, unit):
        together = atom_of_blocks(outline, group)
        found += [together] if together.length <= room else join_tight(_group_atoms(outline, group, room, whole), room)
    return join_blank(outline.text, join_blank(outline.text, found, room), whole)


@dataclass(slots=True)
class _GrowingAtom:
    """An atom that others join; its ``length``, with the head, is counted on, so that joining thousands is linear."""

    fragments: list[Fragment]
    length: int
    tight: bool
    blank: bool = False

    def has_room(self, atom: Atom, room: int) -> bool:
        return self.length + self.fragments[-1].gap + atom.length <= room

    def add(self, atom: Atom) -> None:
        self.length += self.fragments[-1].gap + atom.length
        self.fragments += atom.fragments
        self.tight = atom.tight


def join_tight(atoms: Iterable[Atom], room: int) -> list[Atom]:
    """Join each tight atom with the one after it where both fit."""
    found: list[_GrowingAtom] = []
    for atom in atoms:
        if found and found[-1].tight and found[-1].has_room(atom, room):
            found[-1].add(atom)
        else:
            found.append(_GrowingAtom(list(atom.fragments), atom.head + atom.length, atom.tight))
    return [Atom(tuple(one.fragments), one.tight) for one in found]


def join_blank(text: str, atoms: Iterable[Atom], room: int) -> list[Atom]:
    """Join each atom without words to the one before it, else to the one after it, where both fit."""
    found: list[_GrowingAtom] = []
    for atom in atoms:
        blank = not any(has_words(text, fragment.start, fragment.end) for fragment in atom.fragments)
        if found and (blank or found[-1].blank) and found[-1].has_room(atom, room):
            found[-1].add(atom)
            found[-1].blank = found[-1].blank and blank
        else:
            found.append(_GrowingAtom(list(atom.fragments), atom.head + atom.length, atom.tight, blank))
    return [Atom(tuple(one.fragments), one.tight) for one in found]


def _group_atoms(outline: Outline, group: Unit, room: int, whole: int) -> Iterator[Atom]:
    """Yield what stays whole of a group: lists that go on after a note together, or else each, while they fit."""
    text, blocks = outline.text, outline.blocks
    for run in _lists_with_notes(blocks, group):
        if (atom := atom_of_blocks(outline, run)).length <= (whole if blocks[run[0]].ordered else room):
            yield Atom(atom.fragments, block_features(text, blocks[run[-1]]).introduces)
            continue
        for part in _lists_alone(blocks, run):
            atom = atom_of_blocks(outline, part)
            first = blocks[part[0]]
            if atom.length <= (whole if first.ordered or first.kind in _WHOLE else room):
                yield Atom(atom.fragments, block_features(text, blocks[part[-1]]).introduces)
                continue
            for fragment in atom.fragments:
                block = blocks[fragment.position]
                if fragment.end - fragment.start <= room:
                    yield Atom((fragment,), block_features(text, block).introduces)
                elif block.kind == "item":
                    nested = nested_blocks(text, fragment.start, fragment.end)
                    yield from _item_atoms(text, fragment, nested, room, whole)
                else:
                    yield from _line_atoms(text, fragment, block.kind, room)


def _lists_with_notes(blocks: Sequence[Block], group: Unit) -> Iterator[list[int]]:
    """Yield the blocks of a group one by one, lists whole: an ordered one with the notes between its items."""
    last = {blocks[p].list_id: n for n, p in enumerate(group) if blocks[p].kind == "item"}
    run: list[int] = []
    until = -1
    for n, position in enumerate(group):
        if run and n > until:
            yield run
            run = []
        run.append(position)
        if blocks[position].kind == "item":
            until = max(until, last[blocks[position].list_id])
    if run:
        yield run


def _lists_alone(blocks: Sequence[Block], run: Sequence[int]) -> Iterator[list[int]]:
    """Yield the lists of a run, and the blocks between them one by one; a block that was left out parts a list too."""
    part: list[int] = []
    for position in run:
        block = blocks[position]
        if part and (block.kind != "item" or position > part[-1] + 1 or block.list_id != blocks[part[-1]].list_id):
            yield part
            part = []
        part.append(position)
    if part:
        yield part


def _item_atoms(text: str, item: Fragment, nested: Sequence[NestedBlock], room: int, whole: int) -> Iterator[Atom]:
    """Yield the tables, code and ordered lists inside an item whole where they fit, and the sentences between them."""
    place = item.start
    for block in nested:
        yield from _sentence_atoms(text, item, place, block.start, room, tight=True)
        place = block.start
        if block.end - block.start <= whole:
            yield Atom((_fragment(text, item.position, block.start, block.end),))
        elif block.kind == "item":
            for step in block.items:
                # From the end of the one before: a mark of a quotation may be between them.
                fragment = _fragment(text, item.position, *trim_span(text, place, step.end))
                if fragment.end - fragment.start <= room:
                    yield Atom((fragment,))
                else:
                    yield from _item_atoms(text, fragment, step.inner, room, whole)
                place = step.end
        else:
            fragment = _fragment(text, item.position, block.start, block.end)
            yield from _line_atoms(text, fragment, block.kind, room)
        place = block.end
    yield from _sentence_atoms(text, item, place, item.end, room, tight=False)


def _sentence_atoms(text: str, item: Fragment, start: int, end: int, room: int, *, tight: bool) -> Iterator[Atom]:
    """Yield the sentences between two places; ``tight``: the last one stays with what follows it."""
    found = list(_split_atoms(text, item.position, sentences(text, start, end), room))
    yield from found[:-1]
    if found:
        yield Atom(found[-1].fragments, tight)


def _line_atoms(text: str, fragment: Fragment, kind: str, room: int) -> Iterator[Atom]:
    """Yield a table's head and its rows with the head that they repeat, the lines of code, or else the sentences."""
    position, start, end = fragment.position, fragment.start, fragment.end
    if kind == "table":
        lines = list(line_spans(text, start, end))
        written = text[lines[0][0] : lines[min(1, len(lines) - 1)][1]]
        head = written if len(written) < room * LONGEST_HEAD else ""
        for atom in _split_atoms(text, position, [(lines[0][0], lines[0][0] + len(written))], room):
            yield Atom(atom.fragments, True)
        yield from _split_atoms(text, position, lines[2:], room - len(head) - 1 if head else room, head)
    elif kind == "code":
        for n, atom in enumerate(_split_atoms(text, position, line_spans(text, start, end), room)):
            yield Atom(atom.fragments, n == 0)  # the mark that opens code says in which language it is
    else:
        yield from _split_atoms(text, position, sentences(text, start, end), room)


def _split_atoms(text: str, position: int, spans: Iterable[Span], room: int, head: str = "") -> Iterator[Atom]:
    for span in spans:
        for start, end in split_span(text, *span, max(1, room)):
            yield Atom((_fragment(text, position, start, end, head),))
