"""The room that grows a tree from a seed issue: a parent that holds widely, children of one value each (G.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autokb.knowledge.attributes import ANY, NONE, Attributes, from_lists
from autokb.knowledge.domain import Attribute, DomainSpec
from autokb.tasks.issues.grow_tree import offline
from autokb.tasks.issues.grow_tree.shapes import Child, Report
from autokb.tasks.room import Reply, ReplyError, Room


@dataclass(frozen=True, slots=True)
class GrowTree:
    """A seed issue, what it says, and what was reported beside it: by its cluster, and near it in its theme."""

    domain: str
    issue: str
    text: str
    attributes: Attributes
    configuration: Mapping[str, Attribute]
    cluster: tuple[Report, ...] = ()
    theme: tuple[Report, ...] = ()


class Node(Reply):
    """An issue's text and its values for every attribute of the configuration."""

    text: str
    attributes: dict[str, list[str]]
    raw_issues: tuple[str, ...] = ()


class GrownTree(Reply):
    """The parent issue and its children."""

    parent: Node
    children: list[Node]


def answer(item: GrowTree) -> GrownTree:
    """Grow the tree without a model."""
    seed = Report("", item.issue, item.attributes)
    product = frozenset(item.domain.split(":", 1)[0].casefold().split())
    tree = offline.grow(seed, item.configuration, item.cluster, item.theme, product)
    return GrownTree(parent=_node(tree.parent), children=[_node(child) for child in tree.children])


def _node(child: Child) -> Node:
    values = {name: sorted(values) for name, values in sorted(child.attributes.items())}
    return Node(text=child.text, attributes=values, raw_issues=child.raw_issues)


def check(item: GrowTree, reply: GrownTree) -> None:
    """Refuse a tree with impossible values, texts or attributes that repeat, or children wider than their parent."""
    known = {report.raw_issue for report in (*item.cluster, *item.theme)}
    parent = from_lists(reply.parent.attributes)
    for node in (reply.parent, *reply.children):
        _check_node(node, item.configuration, known)
    texts = [node.text.casefold().strip() for node in (reply.parent, *reply.children)]
    if len(set(texts)) < len(texts):
        raise ReplyError("Parent and children need texts that differ from each other.")
    combinations = [tuple(sorted((n, *v) for n, v in from_lists(c.attributes).items())) for c in reply.children]
    if len({str(c) for c in combinations}) < len(combinations):
        raise ReplyError("Two children have the same attributes; make them one.")
    for child in reply.children:
        values = from_lists(child.attributes)
        if values == parent:
            raise ReplyError(f"The child {child.text!r} fixes nothing that the parent leaves open.")
        if any(wide not in (ANY, values[name]) and not values[name] <= wide for name, wide in parent.items()):
            raise ReplyError(f"The child {child.text!r} is not inside its parent's attributes.")


def _check_node(node: Node, configuration: Mapping[str, Attribute], known: set[str]) -> None:
    if not node.text.strip():
        raise ReplyError("Every issue needs a text.")
    if set(node.attributes) != set(configuration):
        raise ReplyError(f"{node.text!r} must name every attribute: {sorted(configuration)}.")
    for name, values in node.attributes.items():
        attribute, given = configuration[name], frozenset(values)
        if not given or (len(given) > 1 and given & (ANY | NONE)):
            raise ReplyError(f"{node.text!r}: {name} needs values, or Any or NONE alone.")
        if attribute.kind == "closed" and (stray := given - frozenset(attribute.values) - ANY - NONE):
            raise ReplyError(f"{node.text!r}: {sorted(stray)[0]!r} is not a value of {name}.")
    if not DomainSpec("", attributes=configuration).allows(from_lists(node.attributes)):
        raise ReplyError(f"{node.text!r}: the configuration rules this combination out.")
    if stray_ids := set(node.raw_issues) - known:
        raise ReplyError(f"{node.text!r} names the raw issue {sorted(stray_ids)[0]!r}, which was not reported here.")


ROOM: Room[GrowTree, GrownTree] = Room(
    name="issues/grow_tree", version=7, input=GrowTree, output=GrownTree, offline=answer, check=check
)
