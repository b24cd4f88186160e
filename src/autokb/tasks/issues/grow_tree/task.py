"""The task that grows a tree from a seed issue: a parent that holds widely, children of one value each (G.8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from autokb.core.attributes import Attributes, as_lists, from_lists
from autokb.core.domain import ENGLISH, Attribute, read_domain
from autokb.core.ids import only_if_other_than
from autokb.heuristics.trees.grow import Report, TreeNode, grow_tree
from autokb.tasks.issues.attribute_fields import (
    attributes_tokens,
    attributes_type,
    describe_attributes,
    field_names,
    read_values,
)
from autokb.tasks.issues.grow_tree.node_checks import Node, check_child, check_node, hidden_value
from autokb.tasks.prompts import unescaped
from autokb.tasks.task import LeftOut, Read, Reply, ReplyError, Task
from autokb.tasks.wire import wire


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
    language: str = only_if_other_than(ENGLISH)

    @property
    def raw_issues(self) -> set[str]:
        """The raw issues that reported something."""
        return {report.raw_issue for report in (*self.cluster, *self.theme)}


class GrownTree(Reply):
    """The parent issue and its children; ``left_out`` are children that a model wrote and a check refused."""

    parent: Node
    children: list[Node]
    left_out: tuple[LeftOut, ...] = ()


class GrowTreeTask(Task[GrowTree, GrownTree]):
    """Which parent and which attribute-specific children grow from this seed issue?"""

    version = 7
    offline_revision = 7
    input = GrowTree
    output = GrownTree
    most_children = 24  # more are combinations that nobody asks about
    usual_children = 10  # 482 of 49 parents in appendix C of the AutoKB paper
    text_characters = 160  # of a node: one line
    most_reports = 30  # of the cluster, and of the theme: from the centre outwards further ones repeat what was said
    line_characters = 200  # of a report

    def offline(self, item: GrowTree) -> GrownTree:
        """Grow the tree from the reports."""
        seed = Report("", item.issue, item.attributes)
        return grown_offline(seed, item.domain, item.configuration, item.cluster, item.language)

    def check(self, item: GrowTree, reply: GrownTree) -> None:
        """Refuse impossible values, texts or attributes that repeat, and children wider than their parent."""
        check_tree(reply, item.configuration, item.raw_issues)

    def values(self, items: Sequence[GrowTree]) -> Mapping[str, Any]:
        """Return domain and configuration first, then the seed and what was reported near it."""
        (item,) = items
        return {
            "domain": item.domain,
            "attributes": describe_attributes(item.configuration),
            "most": self.most_children,
            "longest": self.text_characters,
            "issue": item.issue,
            "text": "" if one_line(item.text) == one_line(item.issue) else item.text,
            "said": _by_field(item.attributes, item),
            "cluster": [self._shown(report, item) for report in item.cluster[: self.most_reports]],
            "theme": [self._shown(report, item) for report in item.theme[: self.most_reports]],
        }

    def _shown(self, report: Report, item: GrowTree) -> Mapping[str, Any]:
        lines = [line[: self.line_characters] for line in report.lines]
        return {"lines": lines, "said": _by_field(report.attributes, item)}

    def examples(self, items: Sequence[GrowTree]) -> Sequence[Mapping[str, Any]]:
        """Return the examples with their own configurations."""
        shown = []
        for example in super().examples(items):
            given = example["input"]
            spec = read_domain({"attributes": given["configuration"]}).attributes
            cluster = [{"lines": [r["headline"]], "said": r["attributes"]} for r in given["cluster"]]
            seed = {"attributes": describe_attributes(spec), "issue": given["issue"], "said": given["attributes"]}
            shown.append({**example, **seed, "cluster": cluster})
        return shown

    def entry(self, items: Sequence[GrowTree]) -> Mapping[str, Any]:
        """Return the fields of the one entry: the parent, and children with the numbers of reports that tell of them.

        Of children only the JSON schema enumerates values and numbers: a wrong one costs the child, not the tree.
        """
        (item,) = items
        spec = item.configuration
        text: Any = Annotated[str, Field(min_length=1, max_length=self.text_characters)]
        parent: Any = wire("Parent", text=text, attributes=attributes_type(spec, 1, name="ParentAttributes"))
        many = len((*item.cluster[: self.most_reports], *item.theme[: self.most_reports]))
        number: Any = Annotated[int, WithJsonSchema({"type": "integer", "minimum": 1, "maximum": max(1, many)})]
        child: Any = wire(
            "Child",
            text=text,
            attributes=attributes_type(spec, 1, lenient=True, name="ChildAttributes"),
            reports=Annotated[list[number], Field(json_schema_extra={"maxItems": many})],
        )
        return {"parent": parent, "children": Annotated[list[child], Field(max_length=self.most_children)]}

    def read(self, item: GrowTree, entry: Any) -> Read[GrownTree]:
        """Read the tree; only a wrong parent is an error, a wrong child is left out with its reason."""
        spec = item.configuration
        parent = _read_node(entry.parent, item, tuple(dict.fromkeys(report.raw_issue for report in item.cluster)))
        check_node(parent, spec, item.raw_issues)
        hidden = hidden_value(parent, {}, spec, item.language)
        complaints = [f"The parent's text does not show {hidden!r}; give Any, or say it in the text."] if hidden else []
        children: list[Node] = []
        left_out: list[LeftOut] = []
        for written in entry.children:
            child = _read_node(written, item, self._reported(written.reports, item))
            try:
                check_child(child, parent, children, spec, item.raw_issues)
                if value := hidden_value(child, from_lists(parent.attributes), spec, item.language):
                    raise ReplyError(f"The text of the child {child.text!r} does not show its value {value!r}.")
                children.append(child)
            except ReplyError as error:
                left_out.append(LeftOut(part=child.text, reason=str(error)))
        tree = GrownTree(parent=parent, children=children, left_out=tuple(left_out))
        return Read(tree, complaints=(*complaints, *(part.reason for part in left_out)))

    def _reported(self, numbers: Sequence[int], item: GrowTree) -> tuple[str, ...]:
        """Return the raw issues of the seed's own cluster among these reports; the theme's have their own trees."""
        shown = item.cluster[: self.most_reports]
        return tuple(dict.fromkeys(shown[n - 1].raw_issue for n in numbers if 1 <= n <= len(shown)))

    def tokens(self, item: GrowTree) -> tuple[int, int]:
        """Return the most tokens that a tree can take, and those that it usually takes."""
        most, usual = attributes_tokens(item.configuration, 1)
        most_a_node = most + self.text_characters // 3 + 24
        usual_a_node = usual + len(item.configuration) * 2 + 6
        return (self.most_children + 1) * most_a_node, (self.usual_children + 1) * usual_a_node

    def tokens_written(self, items: Sequence[GrowTree], answers: Sequence[GrownTree | None]) -> float:
        """Return the tokens of trees with as many children as these answers have."""
        usual = 1 + self.usual_children
        sizes = (usual if tree is None else 1 + len(tree.children) for tree in answers)
        return sum(self.tokens(item)[1] * size / usual for item, size in zip(items, sizes, strict=True))


def grown_offline(
    seed: Report, domain: str, configuration: Mapping[str, Attribute], cluster: Sequence[Report], language: str
) -> GrownTree:
    """Return the tree of a seed; the product's name, which precedes the colon of the domain, names no problem."""
    product = frozenset(domain.split(":", 1)[0].casefold().split())
    tree = grow_tree(seed, configuration, cluster, product, language)
    return GrownTree(parent=_as_node(tree.parent), children=[_as_node(child) for child in tree.children])


def check_tree(tree: GrownTree, configuration: Mapping[str, Attribute], raw_issues: set[str]) -> None:
    """Refuse impossible values, texts or attributes that repeat, and children wider than their parent (ReplyError)."""
    check_node(tree.parent, configuration, raw_issues)
    for position, child in enumerate(tree.children):
        check_child(child, tree.parent, tree.children[:position], configuration, raw_issues)


def _as_node(grown: TreeNode) -> Node:
    return Node(text=grown.text, attributes=as_lists(grown.attributes), raw_issues=grown.raw_issues)


def _read_node(written: Any, item: GrowTree, raw_issues: tuple[str, ...]) -> Node:
    """Return a node that a model wrote, with its values in their one spelling."""
    found = from_lists(read_values(written.attributes, item.configuration))
    # Any or NONE beside other values stays as it is: a check refuses it.
    normal = {n: v if v & {"Any", "NONE"} else item.configuration[n].normal(v) for n, v in found.items()}
    return Node(text=one_line(unescaped(written.text)), attributes=as_lists(normal), raw_issues=raw_issues)


def one_line(text: str) -> str:
    """Return a text without its line breaks."""
    return " ".join(text.split())


def _by_field(attributes: Attributes, item: GrowTree) -> dict[str, list[str]]:
    """Return what a text says, by field; other attributes are of an older configuration and help nobody."""
    fields = field_names(item.configuration)
    return {fields[name]: values for name, values in as_lists(attributes).items() if name in fields}


TASK = GrowTreeTask()
