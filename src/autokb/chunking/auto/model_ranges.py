"""The ranges of paragraphs that a model gives: repaired, joined over windows, and made into units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from autokb.chunking.structure.outline import Unit
from autokb.text.markdown import Block

Range = tuple[int, int]  # first and last number of a block, both in it


@dataclass(frozen=True, slots=True)
class AnsweredWindow:
    """The repaired ranges that were given for the blocks ``first`` to ``last``."""

    first: int
    last: int
    ranges: tuple[Range, ...]


def repair_ranges(ranges: Sequence[Range], first: int, last: int) -> tuple[tuple[Range, ...], Mapping[str, int]]:
    """Return the ranges in order and without faults, and how many had which fault.

    ``reversed``: the numbers are swapped. ``out_of_range``: what is outside the window is cut off; nothing may remain.
    ``overlapping``: a block that two ranges claim belongs to the one that begins first (of two that begin together, to
    the shorter one); nothing of the other may remain.
    """
    counts: Counter[str] = Counter()
    inside: list[Range] = []
    for given in ranges:
        start, end = sorted(given)
        counts["reversed"] += given[0] > given[1]
        counts["out_of_range"] += start < first or end > last
        if start <= last and end >= first:
            inside.append((max(start, first), min(end, last)))
    found: list[Range] = []
    for start, end in sorted(inside):
        free = found[-1][1] + 1 if found else start
        counts["overlapping"] += start < free
        if max(start, free) <= end:
            found.append((max(start, free), end))
    return tuple(found), +counts


def join_windows(windows: Sequence[AnsweredWindow]) -> tuple[Range, ...]:
    """Join windows that overlap into one list of ranges without doubling or tearing a unit.

    Where two windows overlap, they are joined at a number in front of which neither has a unit that goes on, the one
    nearest the middle of the overlap: what lies before it is the first window's, the rest the second's. Where there
    is none, no window has seen those units whole: those that touch become one.
    """
    found: list[Range] = []
    end = 0
    for window in windows:
        seam = _find_seam(found, window, end) if end >= window.first else window.first
        if seam is None:
            found = _unite(found, window)
        else:
            found = [r for r in found if r[1] < seam] + [r for r in window.ranges if r[0] >= seam]
        end = max(end, window.last)
    return tuple(found)


def _find_seam(found: Sequence[Range], window: AnsweredWindow, end: int) -> int | None:
    ranges = [r for r in (*found, *window.ranges) if r[1] >= window.first and r[0] <= end + 1]
    middle = (window.first + end + 1) / 2
    places = sorted(range(window.first, end + 2), key=lambda place: (abs(place - middle), place))
    return next((p for p in places if not any(start < p <= stop for start, stop in ranges)), None)


def _unite(found: Sequence[Range], window: AnsweredWindow) -> list[Range]:
    """Return the ranges of both; those that share a block become one."""
    united: list[Range] = []
    for start, end in sorted([*found, *window.ranges]):
        if united and start <= united[-1][1]:
            united[-1] = (united[-1][0], max(united[-1][1], end))
        else:
            united.append((start, end))
    return united


def units_of_ranges(
    blocks: Sequence[Block], kept: Sequence[bool], ranges: Sequence[Range]
) -> tuple[tuple[Unit, ...], int]:
    """Return the units of ranges of numbers, and how many had to be repaired.

    Units that hold items of one ordered list become one, with what is between; a heading at the end of a unit goes to
    the unit that follows it.
    """
    owners = _owning_ranges(blocks, kept, ranges)
    repaired = _unite_lists(blocks, owners)
    units: dict[int, list[int]] = {}
    for position, owner in enumerate(owners):
        if owner >= 0:
            units.setdefault(owner, []).append(position)
    ordered = sorted(units.values())
    for unit, following in pairwise(ordered):
        while len(unit) > 1 and blocks[unit[-1]].kind == "heading" and unit[-1] < following[0]:
            following.insert(0, unit.pop())
            repaired += 1
    return tuple(tuple(sorted(unit)) for unit in ordered if unit), repaired


def _owning_ranges(blocks: Sequence[Block], kept: Sequence[bool], ranges: Sequence[Range]) -> list[int]:
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
        if kept[position] and owners[position] < 0 and block.ordered:
            owners[position] = of_list.get(block.list_id, -1)
    return owners


def _unite_lists(blocks: Sequence[Block], owners: list[int]) -> int:
    """Give everything from the first to the last item of a list to one range; returns how many ranges were merged."""
    last = {b.list_id: n for n, b in enumerate(blocks) if b.ordered and owners[n] >= 0}
    united: dict[int, int] = {}
    until, owner = -1, -1
    for position, block in enumerate(blocks):
        if owners[position] < 0:
            continue
        here = united.get(owners[position], owners[position])
        if position <= until and here != owner:
            united[owners[position]] = owner
            here = owner
        owners[position] = here
        if block.ordered and last[block.list_id] > until:
            until, owner = last[block.list_id], here
    return len(united)
