"""Trees whose parents say the same problem become one before solutions are written: which to compare, and the merge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.nouns import Issue
from autokb.issues.joining import covers, join_nodes, width

NEAR = 0.5  # cosine of two parents' texts without attribute values, below which none was the same problem: decision 26
CLOSER = 0.05  # that parents of a group must be nearer where it is too large
MOST_COMPARED = 40  # parents of a group
ROWS = 1_000  # parents compared with all others at once
Tree = tuple[Issue, ...]  # the parent first
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class MergedTrees:
    """The trees that are left, and for the parents that are none any more the id of the one that took their tree in."""

    trees: tuple[Tree, ...]
    merged: Mapping[str, str]


def near_parents(parents: Sequence[Issue], vectors: Any) -> list[tuple[Issue, ...]]:
    """Return groups of parents that may be the same problem; row n of ``vectors`` is the text of parent n.

    In a group each is near another one of it, of which one holds for all customers of the other. A parent that is near
    none is in no group.
    """
    rows = np.asarray(vectors, dtype=np.float32)
    pairs = [
        (one, other, cosine)
        for one, other, cosine in _near_pairs(rows)
        if covers(parents[one], parents[other]) or covers(parents[other], parents[one])
    ]
    groups = sorted(_groups(pairs, NEAR))
    return [tuple(parents[n] for n in group) for group in groups]


def _near_pairs(rows: Floats) -> Iterator[tuple[int, int, float]]:
    for start in range(0, len(rows), ROWS):
        cosines = rows[start : start + ROWS] @ rows.T
        for one, other in np.argwhere(cosines >= NEAR).tolist():
            if start + one < other:
                yield start + one, other, float(cosines[one, other])


def _groups(pairs: Sequence[tuple[int, int, float]], floor: float) -> Iterator[tuple[int, ...]]:
    """Yield what hangs together by pairs above the floor; where that is too much, by nearer ones."""
    home: dict[int, set[int]] = {}
    for one, other, cosine in pairs:
        if cosine >= floor and home.get(one, {one}) is not home.get(other):
            both = home.get(one, {one}) | home.get(other, {other})
            home.update(dict.fromkeys(both, both))
    for group in {min(group): group for group in home.values()}.values():
        if len(group) <= MOST_COMPARED:
            yield tuple(sorted(group))
        else:
            yield from _groups([pair for pair in pairs if pair[0] in group], floor + CLOSER)


def merge_trees(trees: Sequence[Tree], same: Sequence[Sequence[str]]) -> MergedTrees:
    """Merge the trees whose parents are the same problem; ``same`` has their ids.

    The widest takes in those that it holds for and keeps its id, the smallest of equally wide ones; of the others the
    widest again takes in what is left.
    """
    by_root = {tree[0].id: tree for tree in trees}
    home_of: dict[str, str] = {}
    for group in same:
        left = sorted((by_root[root][0] for root in group), key=width)
        while left:
            home, *rest = left
            left = [parent for parent in rest if not covers(home, parent)]
            home_of.update({parent.id: home.id for parent in rest if parent not in left})
    others: dict[str, list[Tree]] = {}
    for tree in trees:
        if tree[0].id in home_of:
            others.setdefault(home_of[tree[0].id], []).append(tree)
    left_trees = (tree for tree in trees if tree[0].id not in home_of)
    found = (join_nodes([tree, *others[tree[0].id]])[0] if tree[0].id in others else tree for tree in left_trees)
    return MergedTrees(tuple(found), home_of)
