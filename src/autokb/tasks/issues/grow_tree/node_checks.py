"""Nodes of a grown tree, and what makes one of them wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from autokb.core.attributes import ANY, NONE, Values, fixed_values, from_lists
from autokb.core.domain import ENGLISH, Attribute, DomainSpec
from autokb.core.implications import with_implied_values
from autokb.core.reply import Reply, ReplyError
from autokb.heuristics.attributes.extract import states_value


class Node(Reply):
    """An issue's text and its values for every attribute of the configuration."""

    text: str
    attributes: dict[str, list[str]]
    raw_issues: tuple[str, ...] = ()


def _check_values(node: Node, attribute: Attribute, given: Values) -> None:
    if not given or (len(given) > 1 and given & (ANY | NONE)):
        raise ReplyError(f"{node.text!r}: {attribute.name} needs values, or Any or NONE alone.")
    if attribute.kind == "closed" and (stray := given - frozenset(attribute.values) - ANY - NONE):
        raise ReplyError(f"{node.text!r}: {sorted(stray)[0]!r} is not a value of {attribute.name}.")


def check_node(node: Node, configuration: Mapping[str, Attribute], known: Collection[str]) -> None:
    """Refuse a node without a text, with values it cannot have, or with raw issues that are not ``known``."""
    if not node.text.strip():
        raise ReplyError("Every issue needs a text.")
    if set(node.attributes) != set(configuration):
        raise ReplyError(f"{node.text!r} must name every attribute: {sorted(configuration)}.")
    for name, values in node.attributes.items():
        _check_values(node, configuration[name], frozenset(values))
    if not DomainSpec("", attributes=configuration).allows(from_lists(node.attributes)):
        raise ReplyError(f"{node.text!r}: the configuration rules this combination out.")
    if stray_ids := set(node.raw_issues) - set(known):
        raise ReplyError(f"{node.text!r} names the raw issue {sorted(stray_ids)[0]!r}, which was not reported here.")


def check_child(
    child: Node,
    parent: Node,
    others: Sequence[Node],
    configuration: Mapping[str, Attribute],
    known: Collection[str],
) -> None:
    """Refuse a child that is wrong itself, outside its parent, or a double of its parent or another child."""
    check_node(child, configuration, known)
    if _folded_text(child) in {_folded_text(node) for node in (parent, *others)}:
        raise ReplyError(f"Parent and children need texts that differ from each other; {child.text!r} does not.")
    values, wide = from_lists(child.attributes), from_lists(parent.attributes)
    if any(values == from_lists(other.attributes) for other in others):
        raise ReplyError(f"Two children have the same attributes; make them one: {child.text!r} is the second.")
    if values == wide:
        raise ReplyError(f"The child {child.text!r} fixes nothing that the parent leaves open.")
    if any(wide[name] != ANY and not values[name] <= wide[name] for name in wide):
        raise ReplyError(f"The child {child.text!r} is not inside its parent's attributes.")


def _folded_text(node: Node) -> str:
    return node.text.casefold().strip()


def hidden_value(
    node: Node, wide: Mapping[str, Values], configuration: Mapping[str, Attribute], language: str = ENGLISH
) -> str:
    """Return a value that a node fixes beyond ``wide`` and its text does not state, or nothing.

    What the node's other values settle need not be said: a Mac is a laptop.
    """
    fixed = fixed_values(from_lists(node.attributes))
    for name in sorted(fixed):
        others = {n: v for n, v in fixed.items() if n != name}
        if fixed[name] == wide.get(name) or with_implied_values(others, configuration).get(name) == fixed[name]:
            continue
        for value in sorted(fixed[name]):
            if not states_value(node.text, configuration[name], value, configuration, language):
                return value
    return ""
