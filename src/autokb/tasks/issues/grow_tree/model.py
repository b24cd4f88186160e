"""How a model is asked for a tree: one seed a request; a child that breaks a check is left out with its reason."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from autokb.core.attributes import as_lists, from_lists
from autokb.core.domain import read_domain
from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.issues.extract_attributes.attribute_fields import (
    attributes_type,
    described,
    field_names,
    tokens_of,
    values_read,
)
from autokb.tasks.issues.grow_tree.checks import check_child, check_node, unseen_value
from autokb.tasks.issues.grow_tree.shapes import GrownTree, GrowTree, Node, Report
from autokb.tasks.prompts import Verbatim, examples, unescaped
from autokb.tasks.reply import LeftOut, ReplyError

PACKAGE = "autokb.tasks.issues.grow_tree"
MOST = 24  # children of a parent; more are combinations that nobody asks about
USUAL = 10  # children: 482 of 49 parents in appendix C
TEXT = 160  # characters of a node's text: one line
SHOWN = 30  # reports of the cluster; they come from its centre outwards, and further ones repeat what was said
LINE = 200  # characters of a report's line


def values(items: Sequence[GrowTree]) -> Mapping[str, Any]:
    """Return the template's variables: domain and configuration first, then the seed and what was reported near it."""
    (item,) = items
    return {
        "domain": item.domain,
        "attributes": described(item.configuration),
        "most": MOST,
        "longest": TEXT,
        "issue": item.issue,
        "text": "" if _one_line(item.text) == _one_line(item.issue) else item.text,
        "said": _said(item.attributes, item),
        "cluster": [_report(report, item) for report in item.cluster[:SHOWN]],
        "theme": [_report(report, item) for report in item.theme[:SHOWN]],
        "examples": [_example(entry) for entry in examples(PACKAGE)],
    }


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _report(report: Report, item: GrowTree) -> Mapping[str, Any]:
    return {"lines": [line[:LINE] for line in report.lines], "said": _said(report.attributes, item)}


def _said(attributes: Mapping[str, Any], item: GrowTree) -> dict[str, list[str]]:
    """Return what a text says, by field; other attributes are of an older configuration and help nobody."""
    fields = field_names(item.configuration)
    return {fields[name]: found for name, found in as_lists(attributes).items() if name in fields}


def _example(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    given = entry["input"]
    spec = read_domain({"attributes": given["configuration"]}).attributes
    reply = {"answers": [{"number": 1, **entry["reply"]}]}
    return {
        "attributes": described(spec),
        "issue": given["issue"],
        "said": given["attributes"],
        "cluster": [{"lines": [r["headline"]], "said": r["attributes"]} for r in given["cluster"]],
        "reply": Verbatim(json.dumps(reply, ensure_ascii=False)),
        "why": entry["why"],
    }


def entry(items: Sequence[GrowTree]) -> type[Wire]:
    """Return the type of the one entry: the parent, and children with the numbers of the reports that tell of them.

    Of children only the JSON schema enumerates values and numbers: a wrong one costs the child, not the tree.
    """
    spec = items[0].configuration
    text: Any = Annotated[str, Field(min_length=1, max_length=TEXT)]
    parent: Any = wire("Parent", text=text, attributes=attributes_type(spec, 1, name="ParentAttributes"))
    reports = _reports_type(len(_shown(items[0])))
    values = attributes_type(spec, 1, lenient=True, name="ChildAttributes")
    child: Any = wire("Child", text=text, attributes=values, reports=reports)
    return wire("Entry", number=Literal[1], parent=parent, children=Annotated[list[child], Field(max_length=MOST)])


def _reports_type(count: int) -> Any:
    number: Any = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1, "maximum": max(1, count)})]
    return Annotated[list[number], Field(max_length=count)]


def _shown(item: GrowTree) -> tuple[Report, ...]:
    return (*item.cluster[:SHOWN], *item.theme[:SHOWN])


def read(
    items: Sequence[GrowTree], _position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[GrownTree, tuple[str, ...]]:
    """Turn the entry into a tree; only a wrong parent is an error, a wrong child is left out with its reason."""
    (item,) = items
    known = {report.raw_issue for report in (*item.cluster, *item.theme)}
    ids = tuple(dict.fromkeys(report.raw_issue for report in item.cluster))
    parent = _node(entry.parent, item, ids)
    check_node(parent, item.configuration, known)
    unseen = unseen_value(parent, {}, item.configuration)
    doubts = (f"The parent's text does not show {unseen!r}; give Any, or say it in the text.",) if unseen else ()
    children: list[Node] = []
    left_out: list[LeftOut] = []
    for read_child in entry.children:
        child = _node(read_child, item, _raw_issues(read_child.reports, item))
        try:
            check_child(child, parent, children, item.configuration, known)
            _check_text(child, parent, item)
            children.append(child)
        except ReplyError as error:
            left_out.append(LeftOut(part=child.text, reason=str(error)))
    tree = GrownTree(parent=parent, children=children, left_out=tuple(left_out))
    return tree, (*doubts, *(left.reason for left in left_out))


def _node(read_node: Any, item: GrowTree, raw_issues: tuple[str, ...]) -> Node:
    """Return a node with its values in their one spelling."""
    found = from_lists(values_read(read_node.attributes, item.configuration))
    # Any or NONE beside other values stays as it is: a check refuses it.
    normal = {n: v if v & {"Any", "NONE"} else item.configuration[n].normal(v) for n, v in found.items()}
    return Node(text=_one_line(unescaped(read_node.text)), attributes=as_lists(normal), raw_issues=raw_issues)


def _raw_issues(numbers: Sequence[int], item: GrowTree) -> tuple[str, ...]:
    """Return the raw issues of the seed's own cluster among these reports; those of the theme have their own trees."""
    own = item.cluster[:SHOWN]
    return tuple(dict.fromkeys(own[n - 1].raw_issue for n in numbers if 1 <= n <= len(own)))


def _check_text(child: Node, parent: Node, item: GrowTree) -> None:
    if value := unseen_value(child, from_lists(parent.attributes), item.configuration):
        raise ReplyError(f"The text of the child {child.text!r} does not show its value {value!r}.")


def tokens(item: GrowTree) -> tuple[int, int]:
    """Return the most and the usual number of tokens of a tree."""
    most, usual = tokens_of(item.configuration, 1)
    return (MOST + 1) * (most + TEXT // 3 + 24), (USUAL + 1) * (usual + len(item.configuration) * 2 + 6)


ASKING = Asking(PACKAGE, values, entry, read, tokens)
