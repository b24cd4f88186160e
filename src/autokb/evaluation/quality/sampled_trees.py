"""Solutions of one tree are alike, so trees are what intervals draw and what a sample of solutions is spread over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from autokb.core.forest import Forest
from autokb.core.ids import digest
from autokb.core.nouns import Issue, Solution
from autokb.evaluation.statistics.bootstrap import Interval
from autokb.evaluation.statistics.cluster_bootstrap import ratio_interval

TreeOf = Callable[[str], str]  # id of a solution -> id of its tree
SEED = "annotated twice"


def solution_trees(solutions: Iterable[Solution], issues: Mapping[str, Issue]) -> TreeOf:
    """Return what gives the root above a solution; one that the knowledge base no longer has is a tree of its own."""
    forest = Forest(issues.values())
    trees = {s.id: forest.root(s.issue_id).id if s.issue_id in issues else s.issue_id for s in solutions}
    return lambda solution_id: trees.get(solution_id, solution_id)


def tree_interval(values: Mapping[str, float], tree_of: TreeOf) -> Interval:
    """Return the mean of the values by solution with its 95 % interval: trees are drawn first, then their solutions."""
    trees: dict[str, list[tuple[float, float]]] = {}
    for solution_id in sorted(values):
        trees.setdefault(tree_of(solution_id), []).append((values[solution_id], 1.0))
    return ratio_interval([trees[tree] for tree in sorted(trees)])


def spread_over_trees(solution_ids: Iterable[str], tree_of: TreeOf, wanted: int) -> set[str]:
    """Return so many of the solutions, each tree in proportion, the same ones each time.

    A systematic sample: trees and the solutions in them in the order of their hashes, at even steps through all.
    """
    ordered = sorted(solution_ids, key=lambda s: (digest(SEED, tree_of(s)), digest(SEED, s)))
    return {ordered[int((n + 0.5) * len(ordered) / wanted)] for n in range(wanted)}
