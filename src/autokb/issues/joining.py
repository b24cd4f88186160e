"""Trees of one problem become one: those that a model says are one, and those that the documents answer alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.attributes import ANY, Match, compare
from autokb.core.nouns import DISPLAYED, Evidence, Issue, Solution
from autokb.heuristics.titles.phrase_editing import with_values
from autokb.issues.placement import PlacedTree, without_repetition
from autokb.issues.same_problem import JOINED, NEAR_PARENTS, Problem, log_odds

CLOSER = 0.05  # that parents of a group must be nearer where it is too large
MOST_COMPARED = 40  # parents of a group
ROWS = 1_000  # parents compared with all others at once
Tree = tuple[Issue, ...]  # the parent first
Floats = NDArray[np.float32]
Shown = frozenset[Evidence]


@dataclass(frozen=True, slots=True)
class JoinedTrees:
    """The trees that are left, and for the parents that are none any more the id of the tree that took them in."""

    trees: tuple[PlacedTree, ...]
    joined: Mapping[str, str]


# Complex: trees that show the same are gathered and taken in in the order of their width, in one pass.
def join_trees(trees: Sequence[PlacedTree], problems: Mapping[str, Problem]) -> JoinedTrees:
    """Join trees that show the same first and are likely the same problem; ``problems`` are by the id of the parent.

    The widest of them takes the others in and keeps its id, the smallest of equally wide ones; a tree for customers
    that it does not cover stays. Nodes keep their ids, but for those that it has already: there raw issues and
    solutions come together. A child that then shows nothing that no wider node does is none.
    """
    alike: dict[Shown, list[PlacedTree]] = {}
    for tree in sorted(trees, key=lambda t: width(t.issues[0])):
        alike.setdefault(_shown_first(tree), []).append(tree)
    kept: list[_Joining] = []
    for first, group in alike.items():
        joinings: list[_Joining] = []
        for tree in group:
            home = next((j for j in joinings if first and j.covers(tree.issues[0], problems)), None)
            if home is None:
                joinings.append(_Joining(tree))
            else:
                home.others.append(tree)
        kept += joinings
    by_root = {joining.parent.id: joining for joining in kept}
    return JoinedTrees(
        tuple(by_root[t.issues[0].id].joined() for t in trees if t.issues[0].id in by_root),
        {other.issues[0].id: joining.parent.id for joining in kept for other in joining.others},
    )


def width(parent: Issue) -> tuple[int, str]:
    """Return what orders parents from the widest one on, the smallest id first of equally wide ones."""
    return sum(values != ANY for values in parent.attributes.values()), parent.id


def _shown_first(tree: PlacedTree) -> Shown:
    """Return what a tree's parent shows first; where it shows nothing, all that its children show."""
    parent = tree.issues[0].id
    shown = [s for s in tree.solutions if s.status in DISPLAYED]
    own = sorted((s for s in shown if s.issue_id == parent), key=lambda s: s.rank)
    return frozenset(evidence for solution in (own[:1] or shown) for evidence in solution.evidence)


@dataclass
class _Joining:
    tree: PlacedTree
    others: list[PlacedTree] = field(default_factory=list)

    @property
    def parent(self) -> Issue:
        return self.tree.issues[0]

    def covers(self, other: Issue, problems: Mapping[str, Problem]) -> bool:
        return covers(self.parent, other) and log_odds(problems[self.parent.id], problems[other.id]) >= JOINED

    def joined(self) -> PlacedTree:
        return take_in(self.tree, self.others) if self.others else self.tree


def take_in(home: PlacedTree, others: Sequence[PlacedTree]) -> PlacedTree:
    """Return a tree that has taken others in, with their solutions."""
    trees = (home, *others)
    issues, moved = join_nodes([tree.issues for tree in trees])
    solutions = (replace(s, issue_id=moved[s.issue_id]) for tree in trees for s in tree.solutions)
    return without_repetition(PlacedTree(issues, tuple(_without_doubles(solutions))))


def join_as_told(
    trees: Sequence[PlacedTree], groups: Iterable[Sequence[str]], earlier: Mapping[str, str]
) -> JoinedTrees:
    """Join the trees that people said are one problem, of each group those that are still there.

    The widest takes the others in and keeps its id, the smallest of equally wide ones. ``earlier`` says which tree has
    already taken another in.
    """
    by_root = {tree.issues[0].id: tree for tree in trees}
    joined: dict[str, str] = {}
    for group in groups:
        known = {joined.get(root, root) for root in (earlier.get(root, root) for root in group)}
        there = sorted((by_root[root] for root in known & by_root.keys()), key=lambda t: width(t.issues[0]))
        for other in there[1:]:
            taken, home = other.issues[0].id, there[0].issues[0].id
            by_root[home] = take_in(by_root[home], [by_root.pop(taken)])
            joined = {**{root: home if at == taken else at for root, at in joined.items()}, taken: home}
    return JoinedTrees(tuple(by_root.values()), joined)


def covers(wide: Issue, other: Issue) -> bool:
    """Return whether an issue holds for all customers of another one."""
    return compare(wide.attributes, other.attributes, wide.attributes) in (Match.EXACT, Match.BROADER)


def join_nodes(trees: Sequence[Sequence[Issue]]) -> tuple[tuple[Issue, ...], dict[str, str]]:
    """Return the nodes of several trees as one, and the id that each node then has.

    The first tree takes the others in. Its parent gets the text that most customers reported of those as wide as it,
    and the seed, thus the theme, that most of all reported.
    """
    home = trees[0][0]
    parents = [tree[0] for tree in trees]
    seed = max(parents, key=lambda p: len(p.raw_issues)).seed
    parent = replace(home, text=_usual_text(home, parents), seed=seed)
    nodes: dict[tuple[object, ...], Issue] = {}
    moved: dict[str, str] = {}
    for tree in trees:
        for issue in tree:
            key = tuple(sorted(issue.attributes.items()))
            if key not in nodes:
                here = replace(issue, text=_renamed(issue, tree[0], parent), seed=parent.seed)
                nodes[key] = parent if issue is home else replace(here, parent_id=parent.id)
            else:
                raw = dict.fromkeys((*nodes[key].raw_issues, *issue.raw_issues))
                nodes[key] = replace(nodes[key], raw_issues=tuple(raw))
            moved[issue.id] = nodes[key].id
    first, *rest = nodes.values()
    raw = dict.fromkeys(r for tree in trees for r in tree[0].raw_issues)
    return (replace(first, raw_issues=tuple(raw)), *rest), moved


def _usual_text(home: Issue, parents: Sequence[Issue]) -> str:
    """Return the text of the equally wide parent that most customers reported."""
    return max((p for p in parents if p.attributes == home.attributes), key=lambda p: len(p.raw_issues)).text


def _renamed(issue: Issue, old: Issue, new: Issue) -> str:
    """Return the text of a node; one that is its parent's text with values in brackets follows its new parent.

    What the old parent fixed and the new one leaves open is then said too.
    """
    is_derived = issue.id != old.id and not issue.raw_issues and issue.text.startswith(f"{old.text} (")
    if not is_derived:
        return issue.text
    named = issue.text.removeprefix(f"{old.text} (").removesuffix(")")
    lost = [" / ".join(sorted(v)) for n, v in old.attributes.items() if v != ANY and new.attributes[n] == ANY]
    return with_values(new.text, [named, *lost])


def _without_doubles(solutions: Iterable[Solution]) -> list[Solution]:
    """Leave out what its node shows already."""
    found: list[Solution] = []
    known: set[tuple[str, tuple[Evidence, ...]]] = set()
    for solution in solutions:
        key = (solution.issue_id, solution.evidence)
        if key not in known:
            known.add(key)
            found.append(solution)
    return found


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
        for one, other, cosine in near_pairs(rows, NEAR_PARENTS)
        if covers(parents[one], parents[other]) or covers(parents[other], parents[one])
    ]
    groups = sorted(_groups(pairs, NEAR_PARENTS))
    return [tuple(parents[n] for n in group) for group in groups]


def near_pairs(rows: Floats, floor: float) -> Iterator[tuple[int, int, float]]:
    """Give each two rows whose cosine is not below the floor, the earlier first, with it."""
    for start in range(0, len(rows), ROWS):
        cosines = rows[start : start + ROWS] @ rows.T
        for one, other in np.argwhere(cosines >= floor).tolist():
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


# Complex: which trees are taken in is decided for the parents of a group before any tree is joined.
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
