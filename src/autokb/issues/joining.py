"""Trees of one problem become one: those that a model says are one, and those that the documents answer alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.attributes import ANY, Match, compare
from autokb.core.nouns import DISPLAYED, Evidence, Issue, Solution
from autokb.heuristics.grouping import grouped
from autokb.heuristics.titles.phrase_editing import with_values
from autokb.issues.placement import PlacedTree, without_repetition
from autokb.issues.same_problem import JOINED, NEAR_PARENTS, Problem, log_odds

CLOSER = 0.05  # that parents of a group must be nearer where it is too large
MOST_COMPARED = 40  # parents of a group
ROWS = 1_000  # parents compared with all others at once
Floats = NDArray[np.float32]
Shown = frozenset[Evidence]


@dataclass(frozen=True, slots=True)
class JoinedTrees:
    """The trees that are left, and for the parents that are none any more the id of the tree that took them in."""

    trees: tuple[PlacedTree, ...]
    joined: Mapping[str, str]


def join_trees(trees: Sequence[PlacedTree], problems: Mapping[str, Problem]) -> JoinedTrees:
    """Join trees that show the same first and are likely the same problem; ``problems`` are by the id of the parent."""

    def are_twins(wide: Issue, other: Issue) -> bool:
        return covers(wide, other) and log_odds(problems[wide.id], problems[other.id]) >= JOINED

    homes: dict[str, str] = {}
    for first, parents in grouped((_shown_first(tree), tree.parent) for tree in trees).items():
        homes |= _homes(parents, are_twins) if first else {}
    return _joined(trees, homes, take_in)


def merge_trees(trees: Sequence[PlacedTree], same: Iterable[Sequence[str]]) -> JoinedTrees:
    """Merge trees without solutions whose parents are the same problem; ``same`` has the ids of each such group."""
    parents = {tree.parent.id: tree.parent for tree in trees}
    homes: dict[str, str] = {}
    for group in same:
        homes |= _homes((parents[root] for root in group), covers)
    return _joined(trees, {root: homes[root] for root in parents if root in homes}, _with_nodes)


def join_as_told(
    trees: Sequence[PlacedTree], groups: Iterable[Sequence[str]], earlier: Mapping[str, str]
) -> JoinedTrees:
    """Join the trees that people said are one problem, of each group those that are still there.

    The widest takes the others in, whoever they are for. ``earlier`` says which tree has already taken another in.
    """
    by_root = {tree.parent.id: tree for tree in trees}
    joined: dict[str, str] = {}
    for group in groups:
        known = {joined.get(root, root) for root in (earlier.get(root, root) for root in group)}
        there = sorted((by_root[root] for root in known & by_root.keys()), key=lambda t: width(t.parent))
        for other in there[1:]:
            taken, home = other.parent.id, there[0].parent.id
            by_root[home] = take_in(by_root[home], [by_root.pop(taken)])
            joined = followed(joined, {taken: home})
    return JoinedTrees(tuple(by_root.values()), joined)


def followed(earlier: Mapping[str, str], later: Mapping[str, str]) -> dict[str, str]:
    """Return which tree has which others in it when trees have been joined one time after the other."""
    return {**{parent: later.get(home, home) for parent, home in earlier.items()}, **later}


def width(parent: Issue) -> tuple[int, str]:
    """Return what orders parents from the widest one on, the smallest id first of equally wide ones."""
    return sum(values != ANY for values in parent.attributes.values()), parent.id


def _homes(parents: Iterable[Issue], takes_in: Callable[[Issue, Issue], bool]) -> dict[str, str]:
    """Return for parents whose trees others take in the id of the widest one that does, the smallest of equal ones."""
    homes: list[Issue] = []
    found: dict[str, str] = {}
    for parent in sorted(parents, key=width):
        home = next((wide for wide in homes if takes_in(wide, parent)), None)
        if home is None:
            homes.append(parent)
        else:
            found[parent.id] = home.id
    return found


def _joined(
    trees: Sequence[PlacedTree],
    homes: Mapping[str, str],
    take: Callable[[PlacedTree, Sequence[PlacedTree]], PlacedTree],
) -> JoinedTrees:
    by_root = {tree.parent.id: tree for tree in trees}
    others = grouped((home, by_root[root]) for root, home in homes.items())
    left = (take(tree, others[root]) if root in others else tree for root, tree in by_root.items() if root not in homes)
    return JoinedTrees(tuple(left), homes)


def _shown_first(tree: PlacedTree) -> Shown:
    """Return what a tree's parent shows first; where it shows nothing, all that its children show."""
    shown = tree.displayed(tree.parent.id)[:1] or [s for s in tree.solutions if s.status in DISPLAYED]
    return frozenset(evidence for solution in shown for evidence in solution.evidence)


def take_in(home: PlacedTree, others: Sequence[PlacedTree]) -> PlacedTree:
    """Return a tree that has taken others in, with their solutions.

    Nodes keep their ids, but for those that it has already: there raw issues and solutions come together. A child that
    then shows nothing that no wider node does is none.
    """
    return without_repetition(_with_nodes(home, others))


def _with_nodes(home: PlacedTree, others: Sequence[PlacedTree]) -> PlacedTree:
    trees = (home, *others)
    issues, moved = join_nodes([tree.issues for tree in trees])
    solutions = (replace(s, issue_id=moved[s.issue_id]) for tree in trees for s in tree.solutions)
    shown: dict[tuple[str, tuple[Evidence, ...]], Solution] = {}
    for solution in solutions:  # what its node shows already is left out
        shown.setdefault((solution.issue_id, solution.evidence), solution)
    return PlacedTree(issues, tuple(shown.values()))


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
