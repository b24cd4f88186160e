"""What makes a tree, or one child of it, wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from autokb.core.attributes import ANY, NONE, Values, from_lists
from autokb.core.domain import Attribute, DomainSpec
from autokb.tasks.issues.extract_attributes.attribute_fields import is_said
from autokb.tasks.issues.grow_tree.shapes import GrownTree, GrowTree, Node
from autokb.tasks.reply import ReplyError
from autokb.text.lexicon import settled


def check(item: GrowTree, reply: GrownTree) -> None:
    """Refuse a tree with impossible values, texts or attributes that repeat, or children wider than their parent."""
    known = {report.raw_issue for report in (*item.cluster, *item.theme)}
    check_node(reply.parent, item.configuration, known)
    for position, child in enumerate(reply.children):
        check_child(child, reply.parent, reply.children[:position], item.configuration, known)


def check_child(
    child: Node,
    parent: Node,
    others: Sequence[Node],
    configuration: Mapping[str, Attribute],
    known: Collection[str],
) -> None:
    """Refuse a child that is wrong itself, outside its parent, or a double of its parent or another child."""
    check_node(child, configuration, known)
    if _same_text(child, parent) or any(_same_text(child, other) for other in others):
        raise ReplyError(f"Parent and children need texts that differ from each other; {child.text!r} does not.")
    values, wide = from_lists(child.attributes), from_lists(parent.attributes)
    if any(values == from_lists(other.attributes) for other in others):
        raise ReplyError(f"Two children have the same attributes; make them one: {child.text!r} is the second.")
    if values == wide:
        raise ReplyError(f"The child {child.text!r} fixes nothing that the parent leaves open.")
    if any(wide[name] != ANY and not values[name] <= wide[name] for name in wide):
        raise ReplyError(f"The child {child.text!r} is not inside its parent's attributes.")


def _same_text(one: Node, other: Node) -> bool:
    return one.text.casefold().strip() == other.text.casefold().strip()


def check_node(node: Node, configuration: Mapping[str, Attribute], known: Collection[str]) -> None:
    """Refuse a node without a text, with values it cannot have, or with raw issues that are not ``known``."""
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
    if stray_ids := set(node.raw_issues) - set(known):
        raise ReplyError(f"{node.text!r} names the raw issue {sorted(stray_ids)[0]!r}, which was not reported here.")


def unseen_value(node: Node, wide: Mapping[str, Values], configuration: Mapping[str, Attribute]) -> str:
    """Return a value that a node fixes beyond ``wide`` and its text does not show, or nothing.

    What the node's other values settle need not be said: a Mac is a laptop.
    """
    fixed = {n: v for n, v in from_lists(node.attributes).items() if v not in (ANY, NONE)}
    for name in sorted(fixed):
        others = {n: v for n, v in fixed.items() if n != name}
        if fixed[name] == wide.get(name) or settled(others, configuration).get(name) == fixed[name]:
            continue
        for value in sorted(fixed[name]):
            if not is_said(node.text, configuration[name], value, configuration):
                return value
    return ""
