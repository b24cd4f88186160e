"""Trees that show the same and are one problem become one."""

from __future__ import annotations

import numpy as np

from autokb.core.attributes import ANY, Attributes
from autokb.core.nouns import Evidence, Issue, Solution
from autokb.issues.joining import JoinedTrees, join_trees
from autokb.issues.placement import PlacedTree
from autokb.issues.same_problem import Problem

ONE, OTHER = np.array([1.0, 0.0]), np.array([0.0, 1.0])
RESET, APP, PLUG = "reset", "app", "plug"


def of(**values: str) -> Attributes:
    return {"os": ANY, "kind": ANY} | {name: frozenset({value}) for name, value in values.items()}


def solved(issue: Issue, *headings: str) -> tuple[Solution, ...]:
    return tuple(
        Solution(
            f"{issue.id}-{heading}", issue.id, heading, ("Do it",), issue.attributes,
            (Evidence(f"{heading}.md", 0, 5, "Do it"),), rank=rank,
        )
        for rank, heading in enumerate(headings, 1)
    )  # fmt: skip


def tree(name: str, *headings: str, raw: int = 1, children: dict[str, tuple[str, ...]] | None = None, **values: str):
    """Return a tree whose parent and whose children by operating system show these headings."""
    parent = Issue(name, f"Text of {name}", None, of(**values), f"seed-{name}", tuple(f"{name}{n}" for n in range(raw)))
    nodes, solutions = [parent], [*solved(parent, *headings)]
    for os, shown in (children or {}).items():
        child = Issue(f"{name}-{os}", f"Text of {name} ({os})", name, of(**values, os=os), f"seed-{name}")
        nodes.append(child)
        solutions += solved(child, *shown)
    return PlacedTree(tuple(nodes), tuple(solutions))


def join(*trees: PlacedTree, others: tuple[str, ...] = ()) -> JoinedTrees:
    """Join trees that are all one problem, but for those named ``others``."""
    names = [t.issues[0].id for t in trees]
    return join_trees(trees, {n: Problem(OTHER if n in others else ONE, OTHER if n in others else ONE) for n in names})


def shown(placed: PlacedTree) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {issue.id: [] for issue in placed.issues}
    for solution in placed.solutions:
        found[solution.issue_id].append(solution.text)
    return found


def test_twins_become_one_tree_under_the_smallest_id() -> None:
    joined = join(tree("b", RESET, raw=2), tree("a", RESET, APP))
    (left,) = joined.trees
    assert joined.joined == {"b": "a"}
    assert left.issues[0].id == "a" and left.issues[0].text == "Text of b"  # which most customers reported
    assert left.issues[0].raw_issues == ("a0", "b0", "b1")
    assert shown(left) == {"a": [RESET, APP]}
    assert [s.rank for s in left.solutions] == [1, 2]


def test_all_nodes_of_a_joined_tree_have_the_seed_that_most_customers_reported() -> None:
    """The theme that a tree is shown under is that of its seed."""
    (left,) = join(tree("a", RESET, children={"iOS": (APP,)}), tree("b", RESET, raw=2)).trees
    assert {issue.seed for issue in left.issues} == {"seed-b"}
    (left,) = join(tree("a", RESET), tree("b", RESET)).trees
    assert left.issues[0].seed == "seed-a"


def test_children_move_with_their_ids_and_those_for_the_same_customers_come_together() -> None:
    one = tree("a", RESET, children={"iOS": (APP,)})
    other = tree("b", RESET, children={"iOS": (APP, PLUG), "Android": (PLUG,)})
    (left,) = join(one, other).trees
    assert shown(left) == {"a": [RESET], "a-iOS": [APP, PLUG], "b-Android": [PLUG]}
    assert {issue.parent_id for issue in left.issues[1:]} == {"a"}
    assert {issue.text for issue in left.issues} == {"Text of a", "Text of a (iOS)", "Text of a (Android)"}
    assert "b-iOS-plug" in {s.id for s in left.solutions}, "the solution keeps its id"


def test_another_problem_with_the_same_first_solution_stays() -> None:
    assert len(join(tree("a", RESET), tree("b", RESET), others=("b",)).trees) == 2


def test_what_shows_something_else_first_stays() -> None:
    assert len(join(tree("a", RESET, APP), tree("b", APP, RESET)).trees) == 2


def test_what_shows_nothing_stays() -> None:
    assert len(join(tree("a"), tree("b")).trees) == 2


def test_a_tree_for_some_customers_goes_into_the_one_for_all() -> None:
    joined = join(tree("a", RESET, kind="Buds"), tree("b", RESET))
    assert joined.joined == {"a": "b"}
    (left,) = joined.trees
    assert shown(left) == {"b": [RESET]}  # as a child it would show what its parent does


def test_a_child_of_a_joined_tree_says_what_its_old_parent_fixed() -> None:
    (left,) = join(tree("a", RESET, kind="Buds", children={"Mac": (PLUG,)}), tree("b", RESET)).trees
    assert [(i.text, i.attributes) for i in left.issues[1:]] == [("Text of b (Mac, Buds)", of(os="Mac", kind="Buds"))]


def test_trees_for_different_customers_stay() -> None:
    assert len(join(tree("a", RESET, kind="Buds"), tree("b", RESET, kind="Headphones")).trees) == 2


def test_a_withheld_solution_is_nothing_shown() -> None:
    withheld = tree("a", RESET)
    withheld = PlacedTree(
        withheld.issues,
        tuple(
            Solution(s.id, s.issue_id, s.text, s.steps, s.attributes, s.evidence, "withheld")
            for s in withheld.solutions
        ),
    )
    assert len(join(withheld, tree("b", RESET)).trees) == 2
