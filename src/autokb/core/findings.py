"""Findings: content of a knowledge base that needs attention, and what people decided about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

FindingKind = Literal["source_changed", "outdated", "contradiction"]
FINDING_KINDS: tuple[FindingKind, ...] = get_args(FindingKind)
JOIN = "duplicate"  # the kind under which the decision that two trees are one is kept
# What people say of one: ``settled`` is mended or fine, ``dismissed`` is none, ``joined`` makes two trees one.
FindingStatus = Literal["open", "settled", "dismissed", "joined"]


@dataclass(frozen=True, slots=True)
class SettledFinding:
    """What a person said of one finding; ``trees`` are the roots of two that are to be one, by their ``names`` then.

    ``kind`` may also be ``JOIN``, or one that is no longer looked for.
    """

    id: str
    kind: str
    status: FindingStatus
    author: str
    date: str
    trees: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def joined_trees(settled: Iterable[SettledFinding]) -> list[tuple[str, ...]]:
    """Return the trees that people said are one problem, each group once, in the order of their ids."""
    home: dict[str, set[str]] = {}
    for one in sorted(settled, key=lambda one: one.id):
        if one.status == "joined":
            group = set[str]().union(one.trees, *(home.get(tree, ()) for tree in one.trees))
            home.update(dict.fromkeys(group, group))
    return sorted({tuple(sorted(group)) for group in home.values()})
