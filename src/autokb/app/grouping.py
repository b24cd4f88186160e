"""Which items share a request: those that may, as many as the room allows, no more than the model can read or write."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autokb.tasks.asking import Asking
from autokb.tasks.prompts import render

if TYPE_CHECKING:
    from autokb.llm.limits import Limits

CHARACTERS = 3.0  # a token has at least so many in ordinary text; a group must fit also where it has fewer than usual
READ_AT_ONCE = 24_000  # tokens of one request: beyond it models overlook entries, whatever their window holds
AROUND = 64  # tokens of a reply beside its entries
SPARE = 2  # a group's reply may be so many times as long as usual; entries at their longest are not all in one reply


@dataclass(frozen=True, slots=True)
class Sized:
    """Characters of the turns that ask about one item alone."""

    system: int
    user: int


def grouped(
    asking: Asking[Any, Any],
    items: Sequence[Any],
    positions: Sequence[int],
    sizes: Sequence[Sized],
    one_each: bool,
    limits: Limits,
) -> list[tuple[int, ...]]:
    """Return groups of positions; an item too large for the model stands alone: the model's own error says so."""
    groups: list[tuple[int, ...]] = []
    room = min(limits.window, READ_AT_ONCE + limits.output)
    open_: dict[Hashable, list[int]] = {}
    for position in positions:
        place = position if one_each else asking.together(items[position])
        own = open_.setdefault(place, [])
        if own and not _fits(asking, items, [*own, position], sizes, limits.output, room, one_each):
            groups.append(tuple(own))
            own.clear()
        own.append(position)
    groups += [tuple(own) for own in open_.values() if own]
    return groups


def _fits(
    asking: Asking[Any, Any],
    items: Sequence[Any],
    group: Sequence[int],
    sizes: Sequence[Sized],
    output: int,
    room: int,
    one_each: bool,
) -> bool:
    if one_each or len(group) > asking.most:
        return False
    written = AROUND + _written(asking, [items[n] for n in group])
    if written > output:
        return False
    read = (sizes[group[0]].system + sum(sizes[n].user for n in group)) / CHARACTERS
    return read + written <= room or _read(asking, [items[n] for n in group]) + written <= room


def _written(asking: Asking[Any, Any], items: Sequence[Any]) -> int:
    """Return how many tokens the entries of a group need room for; a reply that is cut all the same is asked in parts.

    One entry has room for its longest, many for twice the usual: if each had its longest, replies of 4,096 tokens
    would hold one tree's node at a time.
    """
    tokens: list[tuple[int, int]] = [asking.tokens(item) for item in items]
    longest = [most for most, _ in tokens]
    return min(sum(longest), max(*longest, SPARE * sum(usual for _, usual in tokens)))


def _read(asking: Asking[Any, Any], items: Sequence[Any]) -> float:
    """Return how many tokens a request for these items has; what they share (a tree's passages) stands in it once."""
    return sum(map(len, render(asking.package, asking.values(items)))) / CHARACTERS
