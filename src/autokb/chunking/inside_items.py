"""What stands inside an item and should stay whole: tables, code and ordered lists, with what is inside of these."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from autokb.text.markdown import Block, Kind, inner_blocks, parse_blocks


@dataclass(frozen=True, slots=True)
class Inside:
    """A table, code, an ordered list (kind ``item``) with its ``items``, or an item with what is ``inner`` to it."""

    kind: Kind
    start: int
    end: int
    items: tuple[Inside, ...] = ()
    inner: tuple[Inside, ...] = ()


def insides(text: str, start: int, end: int) -> tuple[Inside, ...]:
    """Return the outermost tables, code and ordered lists inside an item of a list's first level, in order."""
    # Its line is read from the beginning: marks of a quotation stand there, and in the lines below.
    line = start
    while line and text[line - 1] not in "\r\n":
        line -= 1
    written = text[line:end]
    nested = [b for b in parse_blocks(written) if b.ordered and b.level > 1]
    return _Reader([*nested, *inner_blocks(written)], line).inside(start, end, 1)


class _Reader:
    """Finds what stands inside of what among blocks of an item; they are moved by ``offset`` to where they stand."""

    def __init__(self, blocks: Sequence[Block], offset: int) -> None:
        moved = (replace(b, start=b.start + offset, end=b.end + offset) for b in blocks if b.start < b.end)
        self.blocks = sorted(moved, key=lambda b: (b.start, b.level))
        self.starts = [block.start for block in self.blocks]
        self.lists: dict[int, list[Block]] = {}
        for block in self.blocks:
            if block.kind == "item":
                self.lists.setdefault(block.list_id, []).append(block)

    def inside(self, start: int, end: int, level: int) -> tuple[Inside, ...]:
        """Return what is outermost between two places, below the level of the item that stands there."""
        found: list[Inside] = []
        place = start
        for block in self.blocks[bisect_left(self.starts, start) : bisect_left(self.starts, end)]:
            if block.level > level and block.start >= place:
                found.append(self._one(block))
                place = found[-1].end
        return tuple(found)

    def _one(self, block: Block) -> Inside:
        if block.kind != "item":
            return Inside(block.kind, block.start, block.end)
        items = tuple(
            Inside("item", item.start, item.end, (), self.inside(item.start, item.end, item.level))
            for item in self.lists[block.list_id]
        )
        return Inside("item", items[0].start, items[-1].end, items)
