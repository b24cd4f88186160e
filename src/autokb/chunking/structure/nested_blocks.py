"""Blocks inside an item that should stay whole: tables, code and ordered lists, with what is inside of these."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace

from autokb.text.markdown import Block, Kind, inner_blocks, parse_blocks


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
