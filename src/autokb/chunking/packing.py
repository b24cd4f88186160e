"""Parts as equal as the boundaries between blocks allow, none of them over its size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from autokb.chunking.blocks import NumberedBlock
from autokb.chunking.inside_items import Inside, insides
from autokb.chunking.looks import look
from autokb.chunking.pieces import cut, trimmed
from autokb.chunking.units import Unit, groups
from autokb.chunking.wordless import has_words
from autokb.core.nouns import Span
from autokb.text.markdown import sentences

HEAD = 0.5  # of the room: what a table's head may take to be repeated
_WHOLE = ("table", "code")


@dataclass(frozen=True, slots=True)
class Bit:
    """A span of one block that stays whole; ``gap`` is the white space after it.

    ``head`` is the table's head that stands before it where it begins a part.
    """

    position: int
    start: int
    end: int
    gap: int
    head: str = ""


@dataclass(frozen=True, slots=True)
class Atom:
    """Bits between which no part begins; no part ends after a ``tight`` one while there is room for the next."""

    bits: tuple[Bit, ...]
    tight: bool = False

    @property
    def length(self) -> int:
        """Characters of the bits and the white space between them."""
        return sum(b.end - b.start + b.gap for b in self.bits) - self.bits[-1].gap

    @property
    def gap(self) -> int:
        """White space after it."""
        return self.bits[-1].gap

    @property
    def head(self) -> int:
        """Characters that a repeated head takes where it begins a part."""
        return len(self.bits[0].head) + 1 if self.bits[0].head else 0


def equal_parts(atoms: Sequence[Atom], first: int, others: int) -> list[list[Atom]]:
    """Return the atoms in as few parts as fit, and these as equal as can be: the longest one as short as possible.

    ``first`` and ``others`` are the sizes of the first part and of those that follow; an atom that is longer is a part
    of its own.
    """
    lengths = [(atom.length, atom.gap, atom.head) for atom in atoms]
    starts = _starts(lengths, first, others)
    low, high = 0, max(first, others)
    while low < high:
        less = (low + high + 1) // 2
        tried = _starts(lengths, first - less, others - less)
        if len(tried) == len(starts):
            low, starts = less, tried
        else:
            high = less - 1
    return [list(atoms[a:b]) for a, b in zip(starts, (*starts[1:], len(atoms)), strict=True)]


def _starts(lengths: Sequence[tuple[int, int, int]], first: int, others: int) -> list[int]:
    """Return where parts begin when each takes what fits."""
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


def atoms_of(text: str, blocks: Sequence[NumberedBlock], unit: Unit, room: int, whole: int) -> list[Atom]:
    """Return what of a unit stays together in parts of ``room`` characters.

    What belongs together stays so while it fits; then blocks, then sentences, lines and rows. An ordered list, a table
    and code are whole up to ``whole`` characters, those inside an item too.
    """
    found: list[Atom] = []
    for group in groups(text, blocks, unit):
        together = block_atom(text, blocks, group)
        found += [together] if together.length <= room else _held(_elements(text, blocks, group, room, whole), room)
    return _with_marks(text, _with_marks(text, found, room), whole)


def block_atom(text: str, blocks: Sequence[NumberedBlock], positions: Sequence[int]) -> Atom:
    """Return some blocks as one atom."""
    return Atom(tuple(_bit(text, p, blocks[p].start, blocks[p].end) for p in positions))


def _bit(text: str, position: int, start: int, end: int, head: str = "") -> Bit:
    following = end
    while following < len(text) and text[following].isspace():
        following += 1
    return Bit(position, start, end, following - end, head)


@dataclass(slots=True)
class _Growing:
    """An atom that others join; ``length`` is kept, with the head, so that thousands are counted once each."""

    bits: list[Bit]
    length: int
    tight: bool
    says: bool = True

    def takes(self, atom: Atom, room: int) -> bool:
        """Return whether an atom fits behind it."""
        return self.length + self.bits[-1].gap + atom.length <= room

    def add(self, atom: Atom) -> None:
        """Put an atom behind it."""
        self.length += self.bits[-1].gap + atom.length
        self.bits += atom.bits
        self.tight = atom.tight


def _held(atoms: Iterable[Atom], room: int) -> list[Atom]:
    """Join each tight atom with the one after it where both fit."""
    found: list[_Growing] = []
    for atom in atoms:
        if found and found[-1].tight and found[-1].takes(atom, room):
            found[-1].add(atom)
        else:
            found.append(_Growing(list(atom.bits), atom.head + atom.length, atom.tight))
    return [Atom(tuple(one.bits), one.tight) for one in found]


def _with_marks(text: str, atoms: Iterable[Atom], room: int) -> list[Atom]:
    """Join each atom without words to the one before it, else to the one after it, where both fit."""
    found: list[_Growing] = []
    for atom in atoms:
        says = any(has_words(text, bit.start, bit.end) for bit in atom.bits)
        if found and not (says and found[-1].says) and found[-1].takes(atom, room):
            found[-1].add(atom)
            found[-1].says = found[-1].says or says
        else:
            found.append(_Growing(list(atom.bits), atom.head + atom.length, atom.tight, says))
    return [Atom(tuple(one.bits), one.tight) for one in found]


def _elements(text: str, blocks: Sequence[NumberedBlock], group: Unit, room: int, whole: int) -> Iterator[Atom]:
    """Give what stays whole of a group: of lists that go on after a note, all of them, or else each, while they fit."""
    for run in _runs(blocks, group):
        if (atom := block_atom(text, blocks, run)).length <= (whole if blocks[run[0]].ordered else room):
            yield Atom(atom.bits, look(text, blocks[run[-1]]).introduces)
            continue
        for one in _apart(blocks, run):
            atom = block_atom(text, blocks, one)
            first = blocks[atom.bits[0].position]
            if atom.length <= (whole if first.ordered or first.kind in _WHOLE else room):
                yield Atom(atom.bits, look(text, blocks[atom.bits[-1].position]).introduces)
                continue
            for bit in atom.bits:
                yield from _torn(text, blocks[bit.position], bit, room, whole)


def _runs(blocks: Sequence[NumberedBlock], group: Unit) -> Iterator[list[int]]:
    """Give the blocks of a group one by one, lists whole: an ordered one with the notes between its items."""
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


def _apart(blocks: Sequence[NumberedBlock], run: Sequence[int]) -> Iterator[list[int]]:
    """Give the lists of a run, and the blocks between them one by one; what was left out parts lists, too."""
    one: list[int] = []
    for position in run:
        block = blocks[position]
        if one and (block.kind != "item" or position > one[-1] + 1 or block.list_id != blocks[one[-1]].list_id):
            yield one
            one = []
        one.append(position)
    if one:
        yield one


def _torn(text: str, block: NumberedBlock, bit: Bit, room: int, whole: int) -> Iterator[Atom]:
    """Give what remains whole of a block that does not fit."""
    if bit.end - bit.start <= room:
        yield Atom((bit,), look(text, block).introduces)
    elif block.kind == "item":
        yield from _torn_item(text, bit, insides(text, bit.start, bit.end), room, whole)
    else:
        yield from _pieces(text, bit, block.kind, room)


def _torn_item(text: str, bit: Bit, inner: Sequence[Inside], room: int, whole: int) -> Iterator[Atom]:
    """Give the tables, code and ordered lists inside an item whole where they fit, and the sentences between them."""
    place = bit.start
    for part in inner:
        yield from _sentences(text, bit, place, part.start, room, True)
        place = part.start
        one = _bit(text, bit.position, part.start, part.end)
        if part.end - part.start <= whole:
            yield Atom((one,))
        elif part.kind == "item":
            for item in part.items:
                # From the end of the one before: a mark of a quotation may stand between them.
                step = _bit(text, bit.position, *trimmed(text, place, item.end))
                fits = step.end - step.start <= room
                yield from [Atom((step,))] if fits else _torn_item(text, step, item.inner, room, whole)
                place = item.end
        else:
            yield from _pieces(text, one, part.kind, room)
        place = part.end
    yield from _sentences(text, bit, place, bit.end, room, False)


def _sentences(text: str, bit: Bit, start: int, end: int, room: int, tight: bool) -> Iterator[Atom]:
    """Give the sentences between two places; ``tight``: the last one stays with what follows it."""
    found = list(_spans(text, bit.position, sentences(text, start, end), room))
    yield from found[:-1]
    if found:
        yield Atom(found[-1].bits, tight)


def _pieces(text: str, bit: Bit, kind: str, room: int) -> Iterator[Atom]:
    """Give the rows of a table, the lines of code, the sentences of anything else."""
    if kind == "table":
        yield from _rows(text, bit, room)
    else:
        parts = _lines if kind == "code" else sentences
        for n, atom in enumerate(_spans(text, bit.position, parts(text, bit.start, bit.end), room)):
            yield Atom(atom.bits, n == 0 and kind == "code")  # the mark that opens code says in which language it is


def _rows(text: str, bit: Bit, room: int) -> Iterator[Atom]:
    """Give a table's head, and its rows with the head that they repeat."""
    lines = _lines(text, bit.start, bit.end)
    written = text[lines[0][0] : lines[min(1, len(lines) - 1)][1]]
    head = written if len(written) < room * HEAD else ""
    for atom in _spans(text, bit.position, [(lines[0][0], lines[0][0] + len(written))], room):
        yield Atom(atom.bits, True)
    yield from _spans(text, bit.position, lines[2:], room - len(head) - 1 if head else room, head)


def _spans(text: str, position: int, spans: Iterable[Span], room: int, head: str = "") -> Iterator[Atom]:
    for span in spans:
        for start, end in cut(text, *span, max(1, room)):
            yield Atom((_bit(text, position, start, end, head),))


def _lines(text: str, start: int, end: int) -> list[Span]:
    found: list[Span] = []
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        span = trimmed(text, start, stop)
        if span[0] < span[1]:
            found.append(span)
        start = stop + 1
    return found
