"""The task that grows a tree from a seed issue."""

from __future__ import annotations

import importlib.resources
from typing import Any

import pytest
import yaml

from autokb.core.attributes import from_lists
from autokb.core.domain import DomainSpec, read_domain
from autokb.heuristics.trees.grow import Report
from autokb.tasks.issues.grow_tree.node_checks import Node
from autokb.tasks.issues.grow_tree.task import TASK, GrownTree, GrowTree
from autokb.tasks.task import ReplyError

FILE = importlib.resources.files("autokb.tasks.issues.grow_tree").joinpath("examples.yaml")
SPEC = read_domain(
    {
        "attributes": {
            "os": {
                "values": ["Windows", "Mac", "Linux"],
                "synonyms": {"Mac": ["macbook"], "Windows": ["win10"]},
                "implies": {"Linux": {"shop": ["Direct"]}},
            },
            "provider": {"kind": "open", "examples": ["Gmail", "Yahoo"], "synonyms": {"Gmail": ["gmail.com"]}},
            "shop": {"values": ["Direct", "Retail"]},
        }
    }
)


def report(raw: str, line: str, sentence: str = "", **attributes: list[str]) -> Report:
    return Report(raw, line, from_lists(attributes), sentence)


def grown(*cluster: Report, theme: tuple[Report, ...] = (), spec: DomainSpec = SPEC) -> GrownTree:
    seed = cluster[0]
    item = GrowTree("d", seed.headline, "", seed.attributes, spec.attributes, cluster, theme)
    return TASK.answer_offline(item)


def fixed(node: Node) -> dict[str, list[str]]:
    return {name: values for name, values in node.attributes.items() if values != ["Any"]}


@pytest.mark.parametrize("example", yaml.safe_load(FILE.read_text("utf-8")), ids=lambda e: e["parent"]["text"])
def test_the_examples_grow_as_written(example: dict[str, Any]) -> None:
    given = example["input"]
    spec = read_domain({"attributes": given["configuration"]})
    reports = [report(r["raw_issue"], r["headline"], **r["attributes"]) for r in given["cluster"]]
    tree = grown(*reports, spec=spec)
    assert (tree.parent.text, tree.parent.attributes) == (example["parent"]["text"], example["parent"]["attributes"])
    assert [{**c.model_dump(), "raw_issues": list(c.raw_issues)} for c in tree.children] == example["children"]


def node(text: str, os: str = "Any", **more: Any) -> Node:
    return Node(text=text, attributes={"os": [os], "provider": ["Any"], "shop": ["Any"]}, **more)


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (GrownTree(parent=node(" "), children=[]), "needs a text"),
        (GrownTree(parent=Node(text="P", attributes={"os": ["Any"]}), children=[]), "every attribute"),
        (GrownTree(parent=node("P", os="Amiga"), children=[]), "not a value"),
        (GrownTree(parent=node("P"), children=[node("p", os="Mac")]), "differ"),
        (GrownTree(parent=node("P"), children=[node("C", os="Mac"), node("D", os="Mac")]), "same attributes"),
        (GrownTree(parent=node("P"), children=[node("C")]), "fixes nothing"),
        (GrownTree(parent=node("P", os="Mac"), children=[node("C", os="Windows")]), "inside its parent"),
        (GrownTree(parent=node("P", raw_issues=("zz",)), children=[]), "not reported here"),
    ],
)
def test_wrong_trees_are_refused(tree: GrownTree, reason: str) -> None:
    item = GrowTree("", "P", "", {}, SPEC.attributes, (report("a", "P"),))
    with pytest.raises(ReplyError, match=reason):
        TASK.check(item, tree)
