"""Which parents are compared, and what becomes of trees that are the same problem."""

from __future__ import annotations

import numpy as np

from autokb.core.attributes import ANY
from autokb.core.nouns import Issue
from autokb.issues import joining
from autokb.issues.joining import MOST_COMPARED, merge_trees, near_parents
from autokb.issues.placement import PlacedTree
from autokb.issues.same_problem import NEAR_PARENTS

WINDOWS, MAC = frozenset({"Windows"}), frozenset({"Mac"})


def parent(name: str, os: frozenset[str] = ANY, *raw: str) -> Issue:
    return Issue(name, f"Text of {name}", None, {"os": os}, f"seed {name}", raw or (f"raw {name}",))


def child(of: Issue, os: frozenset[str], *raw: str) -> Issue:
    return Issue(f"{of.id} {min(os)}", f"{of.text} on {min(os)}", of.id, {"os": os}, of.seed, raw)


def tree(*nodes: Issue) -> PlacedTree:
    return PlacedTree(nodes, ())


def at(*cosines: float) -> np.ndarray:
    """Return unit vectors with these cosines to the first axis."""
    return np.array([[c, np.sqrt(1 - c * c)] for c in cosines])


def test_only_parents_near_another_one_are_compared() -> None:
    parents = [parent(name) for name in "abcd"]
    found = near_parents(parents, at(1.0, NEAR_PARENTS + 0.2, -0.9, 0.1))
    assert [[p.id for p in group] for group in found] == [["a", "b", "d"]]
    assert near_parents(parents[:2], at(1.0, NEAR_PARENTS - 0.01)) == []
    assert near_parents(parents[:1], at(1.0)) == []


def test_parents_for_different_customers_are_not_compared() -> None:
    assert near_parents([parent("a", WINDOWS), parent("b", MAC)], at(1.0, 1.0)) == []
    assert len(near_parents([parent("a", WINDOWS), parent("b")], at(1.0, 1.0))) == 1


def test_too_large_a_group_falls_into_those_that_are_nearer() -> None:
    many = MOST_COMPARED
    angles = np.concatenate([np.linspace(0, 0.1, many), np.linspace(1.0, 1.1, many)])  # cosine of 1.0 is .54
    vectors = np.column_stack([np.cos(angles), np.sin(angles)])
    found = near_parents([parent(f"{n:03d}") for n in range(2 * many)], vectors)
    assert [len(group) for group in found] == [many, many]


def test_rows_are_compared_in_blocks_without_losing_a_pair() -> None:
    parents, vectors = [parent(name) for name in "abcde"], at(1.0, 0.0, 0.95, 0.05, 0.9)
    whole = near_parents(parents, vectors)
    before, joining.ROWS = joining.ROWS, 2
    try:
        assert near_parents(parents, vectors) == whole
    finally:
        joining.ROWS = before
    assert [[p.id for p in group] for group in whole] == [["a", "c", "e"], ["b", "d"]]


def test_the_widest_takes_the_others_in_and_nodes_for_the_same_customers_come_together() -> None:
    wide, narrow, other = parent("b", ANY, "1", "2"), parent("a", WINDOWS, "3"), parent("c", ANY, "4", "5", "6")
    trees = [
        tree(narrow, child(narrow, WINDOWS | {"Vista"}, "3")),
        tree(wide, child(wide, WINDOWS, "1"), child(wide, MAC)),
        tree(other, child(other, MAC, "4")),
        tree(parent("z")),
    ]
    found = merge_trees(trees, [["a", "b", "c"]])
    assert found.joined == {"a": "b", "c": "b"}
    merged, left = found.trees
    assert left.issues[0].id == "z"
    root, *children = merged.issues
    assert (root.id, root.text, root.attributes) == ("b", "Text of c", {"os": ANY}), "most customers say it so"
    assert set(root.raw_issues) == {"1", "2", "3", "4", "5", "6"}
    by_os = {c.attributes["os"]: c for c in children}
    assert set(by_os[WINDOWS].raw_issues) == {"1", "3"}
    assert by_os[MAC].raw_issues == ("4",)
    assert {c.parent_id for c in children} == {"b"} and {c.seed for c in merged.issues} == {"seed c"}


def test_trees_that_the_widest_does_not_hold_for_stay() -> None:
    trees = [tree(parent("a", WINDOWS)), tree(parent("b", MAC)), tree(parent("c", MAC))]
    found = merge_trees(trees, [["a", "b", "c"]])
    assert found.joined == {"c": "b"}
    assert [left.issues[0].id for left in found.trees] == ["a", "b"]


def test_where_nothing_is_the_same_the_trees_are_as_before() -> None:
    trees = [tree(parent("a")), tree(parent("b"))]
    assert merge_trees(trees, []).trees == tuple(trees)
