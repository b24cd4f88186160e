"""The ranges of paragraphs that a model gives: mended, joined over windows, and made whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from autokb.chunking.blocks import NumberedBlock
from autokb.chunking.units import Unit

Range = tuple[int, int]  # first and last number, both in it


@dataclass(frozen=True, slots=True)
class Window:
    """The ranges that were given for the paragraphs ``first`` to ``last``, mended."""

    first: int
    last: int
    ranges: tuple[Range, ...]


def mended(ranges: Sequence[Range], first: int, last: int) -> tuple[tuple[Range, ...], Mapping[str, int]]:
    """Return the ranges in order and without faults, and how many had which fault.

    ``reversed``: the numbers are swapped. ``out_of_range``: what is outside the window is cut off; nothing may remain.
    ``overlapping``: a paragraph that two ranges claim belongs to the one that begins first (of two that begin
    together, to the shorter one); nothing of the other may remain.
    """
    counts: Counter[str] = Counter()
    found: list[Range] = []
    inside = [r for r in (_inside(given, first, last, counts) for given in ranges) if r]
    for start, end in sorted(inside):
        free = found[-1][1] + 1 if found else start
        counts["overlapping"] += start < free
        if max(start, free) <= end:
            found.append((max(start, free), end))
    return tuple(found), +counts


def _inside(given: Range, first: int, last: int, counts: Counter[str]) -> Range | None:
    start, end = sorted(given)
    counts["reversed"] += given[0] > given[1]
    counts["out_of_range"] += start < first or end > last
    return (max(start, first), min(end, last)) if start <= last and end >= first else None


def joined(windows: Sequence[Window]) -> tuple[Range, ...]:
    """Join windows that overlap into one list of ranges without doubling or tearing a unit.

    Where two windows overlap, they are joined at a number in front of which neither has a unit that goes on, the one
    nearest the middle of the overlap: what lies before it is the first window's, the rest the second's. Where there
    is none, no window has seen those units whole: those that touch become one.
    """
    found: list[Range] = []
    end = 0
    for window in windows:
        seam = _seam(found, window, end) if end >= window.first else window.first
        if seam is None:
            found = _united(found, window)
        else:
            found = [r for r in found if r[1] < seam] + [r for r in window.ranges if r[0] >= seam]
        end = max(end, window.last)
    return tuple(found)


def _seam(found: Sequence[Range], window: Window, end: int) -> int | None:
    ranges = [r for r in (*found, *window.ranges) if r[1] >= window.first and r[0] <= end + 1]
    middle = (window.first + end + 1) / 2
    places = sorted(range(window.first, end + 2), key=lambda place: (abs(place - middle), place))
    return next((p for p in places if not any(start < p <= stop for start, stop in ranges)), None)


def _united(found: Sequence[Range], window: Window) -> list[Range]:
    """Return the ranges of both; those that share a paragraph become one."""
    united: list[Range] = []
    for start, end in sorted([*found, *window.ranges]):
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], end))
        else:
            united.append((start, end))
    return united


def whole_lists(blocks: Sequence[NumberedBlock], kept: Sequence[bool]) -> tuple[list[bool], int]:
    """Keep or drop each ordered list as a whole, as the greater part of its items is, and count those that were torn.

    Steps without one of them would mislead.
    """
    lists: dict[int, list[int]] = {}
    for position, block in enumerate(blocks):
        if block.ordered:
            lists.setdefault(block.list_id, []).append(position)
    now = list(kept)
    torn = 0
    for items in lists.values():
        wanted = sum(kept[p] for p in items)
        torn += 0 < wanted < len(items)
        for position in items:
            now[position] = 2 * wanted >= len(items)
    return now, torn


def whole_units(
    blocks: Sequence[NumberedBlock], kept: Sequence[bool], ranges: Sequence[Range]
) -> tuple[tuple[Unit, ...], int]:
    """Return the units of ranges of numbers, and how many had to be mended.

    Units that hold items of one ordered list become one, with what stands between; a heading at the end of a unit
    goes to the unit that follows it.
    """
    owners = _owners(blocks, kept, ranges)
    counted = _unite_lists(blocks, owners)
    units: dict[int, list[int]] = {}
    for position, owner in enumerate(owners):
        if owner >= 0:
            units.setdefault(owner, []).append(position)
    ordered = sorted(units.values())
    counted += _headings_forward(blocks, ordered)
    return tuple(tuple(sorted(unit)) for unit in ordered if unit), counted


def _owners(blocks: Sequence[NumberedBlock], kept: Sequence[bool], ranges: Sequence[Range]) -> list[int]:
    """Return for each block which range holds it, -1 for none; a kept item that none holds is its list's."""
    owners = [-1] * len(blocks)
    of_list: dict[int, int] = {}
    for n, (first, last) in enumerate(ranges):
        for position in range(first - 1, last):
            if kept[position]:
                owners[position] = n
                if blocks[position].ordered:
                    of_list.setdefault(blocks[position].list_id, n)
    for position, block in enumerate(blocks):
        if kept[position] and owners[position] < 0:
            owners[position] = of_list.get(block.list_id, -1) if block.ordered else -1
    return owners


def _unite_lists(blocks: Sequence[NumberedBlock], owners: list[int]) -> int:
    """Give everything from the first to the last item of a list to one range."""
    last = {b.list_id: n for n, b in enumerate(blocks) if b.ordered and owners[n] >= 0}
    united: dict[int, int] = {}
    until, owner = -1, -1
    for position, block in enumerate(blocks):
        if owners[position] < 0:
            continue
        own = united.get(owners[position], owners[position])
        if position <= until and own != owner:
            united[owners[position]] = owner
            own = owner
        owners[position] = own
        if block.ordered and last[block.list_id] > until:
            until, owner = last[block.list_id], own
    return len(united)


def _headings_forward(blocks: Sequence[NumberedBlock], units: list[list[int]]) -> int:
    moved = 0
    for unit, following in pairwise(units):
        while len(unit) > 1 and blocks[unit[-1]].kind == "heading" and unit[-1] < following[0]:
            following.insert(0, unit.pop())
            moved += 1
    return moved
