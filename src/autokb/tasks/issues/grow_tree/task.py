"""The task that grows a tree from a seed issue: a parent that holds widely, children of one value each (G.8)."""

from __future__ import annotations

from autokb.tasks.issues.grow_tree import model, offline
from autokb.tasks.issues.grow_tree.checks import check
from autokb.tasks.issues.grow_tree.shapes import Child, GrownTree, GrowTree, Node, Report
from autokb.tasks.task import Task

__all__ = ["TASK", "GrowTree", "GrownTree", "Node"]


def answer(item: GrowTree) -> GrownTree:
    """Grow the tree without a model."""
    seed = Report("", item.issue, item.attributes)
    product = frozenset(item.domain.split(":", 1)[0].casefold().split())
    tree = offline.grow(seed, item.configuration, item.cluster, item.theme, product)
    return GrownTree(parent=_node(tree.parent), children=[_node(child) for child in tree.children])


def _node(child: Child) -> Node:
    values = {name: sorted(values) for name, values in sorted(child.attributes.items())}
    return Node(text=child.text, attributes=values, raw_issues=child.raw_issues)


TASK: Task[GrowTree, GrownTree] = Task(
    name="issues/grow_tree",
    version=7,
    input=GrowTree,
    output=GrownTree,
    offline=answer,
    check=check,
    asking=model.ASKING,
)
