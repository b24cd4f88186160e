"""The task that grows trees from clusters of reports, several clusters in one request; a mixed one grows several."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from autokb.core.attributes import ANY, Attributes, Values, as_lists, from_lists
from autokb.core.domain import ENGLISH, Attribute, read_domain
from autokb.core.ids import only_if_other_than
from autokb.core.implications import with_implied_values
from autokb.heuristics.titles.phrase_editing import with_values
from autokb.heuristics.trees.grow import Report
from autokb.tasks.issues.attribute_fields import (
    BYTES_A_TOKEN,
    LONGEST_OPEN_VALUE,
    MOST_OPEN_VALUES,
    describe_attributes,
    describe_values,
    field_names,
)
from autokb.tasks.issues.grow_tree.node_checks import Node, check_child, check_node, hidden_value
from autokb.tasks.issues.grow_tree.task import GrownTree, check_tree, grown_offline, one_line
from autokb.tasks.prompts import examples, spelled_reply, unescaped
from autokb.tasks.task import LeftOut, Read, Reply, ReplyError, Task
from autokb.tasks.wire import wire

PART_CHARACTERS = 60  # of a part that is left out, as a report names it
NO_REPORTS = "A further tree needs a report of its own among those of its cluster."
TOO_MANY = "There are more than {most} {parts}."


@dataclass(frozen=True, slots=True)
class GrowTrees:
    """A cluster of reports, its seed first, what was reported near it in its theme, and what the manuals distinguish.

    ``manuals`` are the headings of sections near its problem, with the values that they are for.
    """

    domain: str
    configuration: Mapping[str, Attribute]
    cluster: tuple[Report, ...]
    theme: tuple[Report, ...] = ()
    manuals: tuple[str, ...] = ()
    language: str = only_if_other_than(ENGLISH)

    @property
    def issue(self) -> str:
        """The excerpt of the seed."""
        return self.cluster[0].headline

    @property
    def raw_issues(self) -> set[str]:
        """The raw issues of the cluster."""
        return {report.raw_issue for report in self.cluster}


class GrownTrees(Reply):
    """The trees of a cluster, that of its seed first; each report is of one tree, whose parent names its raw issue.

    ``left_out`` are parts that a model wrote and a check refused.
    """

    trees: list[GrownTree]
    left_out: tuple[LeftOut, ...] = ()


class GrowTreesTask(Task[GrowTrees, GrownTrees]):
    """Which parent issues and which attribute-specific children grow from these clusters of reports?"""

    version = 1
    input = GrowTrees
    output = GrownTrees
    most = 8  # clusters
    evenly = True
    most_children = 24  # of a parent; more are combinations that nobody asks about
    most_trees = 6  # of a cluster; a mixed one has two or three problems
    most_reports = 30  # of a cluster: from the centre outwards further ones repeat what was said
    text_characters = 160  # of a node: one line
    # Measured on 23 real clusters that were answered by the prompt alone (decision 26).
    usual_children = 0.6  # for each combination of values that a report or a section has
    usual_node = 36  # tokens

    def offline(self, item: GrowTrees) -> GrownTrees:
        """Grow one tree from the reports."""
        return GrownTrees(
            trees=[grown_offline(item.cluster[0], item.domain, item.configuration, item.cluster, item.language)]
        )

    def check(self, item: GrowTrees, reply: GrownTrees) -> None:
        """Refuse wrong nodes, and a report that is of two trees or of none."""
        for tree in reply.trees:
            check_tree(tree, item.configuration, item.raw_issues)
        named = [raw for tree in reply.trees for raw in tree.parent.raw_issues]
        if sorted(named) != sorted(item.raw_issues):
            raise ReplyError("Every report must be of one tree.")

    def together(self, item: GrowTrees) -> Hashable:
        """Clusters of one domain can share a request."""
        return item.domain, tuple(item.configuration)

    def values(self, items: Sequence[GrowTrees]) -> Mapping[str, Any]:
        """Return domain and configuration first, then the clusters."""
        return {
            "domain": items[0].domain,
            "attributes": describe_attributes(items[0].configuration),
            "most": self.most_children,
            "longest": self.text_characters,
            "clusters": [_shown(item) for item in items],
        }

    def examples(self, items: Sequence[GrowTrees]) -> Sequence[Mapping[str, Any]]:
        """Return the examples with their own configurations."""
        shown = []
        for example in examples(self.package):
            clusters = example_clusters(example)
            attributes = describe_attributes(clusters[0].configuration)
            reply = spelled_reply(example["reply"])
            shown.append({**example, "attributes": attributes, "clusters": list(map(_shown, clusters)), "reply": reply})
        return shown

    def entry(self, items: Sequence[GrowTrees]) -> Mapping[str, Any]:
        """Return the field of an entry: trees of a parent and its children, each with what it fixes and its reports.

        Only the JSON schema bounds and enumerates: what is wrong with one child then costs that child alone.
        """
        spec = items[0].configuration
        value: Any = Annotated[str, Field(json_schema_extra=_value_bound(spec))]
        name: Any = Annotated[str, Field(json_schema_extra={"enum": list(field_names(spec).values()) or [""]})]
        most_values = max([MOST_OPEN_VALUES, *(len(a.values) for a in spec.values())])
        fixed: Any = wire("Fixed", name=name, values=_list_of(value, most_values))
        many = max(len(item.cluster) for item in items)
        number: Any = Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": many})]
        text: Any = Annotated[str, Field(json_schema_extra={"minLength": 1, "maxLength": self.text_characters})]
        node: Any = wire(
            "Node", text=text, attributes=_list_of(fixed, max(1, len(spec))), reports=_list_of(number, many)
        )
        tree: Any = wire("Tree", parent=node, children=_list_of(node, self.most_children))
        return {"trees": Annotated[list[tree], Field(min_length=1, json_schema_extra={"maxItems": self.most_trees})]}

    def read(self, item: GrowTrees, entry: Any) -> Read[GrownTrees]:
        """Read the trees; only a wrong parent is an error, another part that is wrong is left out with its reason."""
        return Read(_TreeReader(item, self).read(entry.trees))

    def tokens(self, item: GrowTrees) -> tuple[int, int]:
        """Return the most tokens that a cluster's trees can take, and those that they usually take.

        The usual number of children follows from how many attribute values reports and sections name.
        """
        fields = field_names(item.configuration).values()
        one_fixed = 12 + max((len(field) for field in fields), default=0) // BYTES_A_TOKEN
        most_a_node = self.text_characters // 3 + 24 + one_fixed * 2 + LONGEST_OPEN_VALUE // BYTES_A_TOKEN
        values = {describe_values(report.attributes) for report in item.cluster} - {""}
        values |= {headings.rpartition(" [")[2] for headings in item.manuals if headings.endswith("]")}
        children = min(self.most_children, self.usual_children * len(values))
        return (
            (self.most_children + 1) * most_a_node + 2 * len(item.cluster),
            round(14 + (1 + children) * self.usual_node),
        )


@dataclass(frozen=True)
class _TreeReader:
    """Turns the trees that a model wrote about a cluster into grown ones."""

    item: GrowTrees
    task: GrowTreesTask

    def read(self, written: Sequence[Any]) -> GrownTrees:
        left_out = list(
            _refused(written[self.task.most_trees :], TOO_MANY.format(most=self.task.most_trees, parts="trees"))
        )
        # The tree with report 1, the seed, comes first.
        written = sorted(written[: self.task.most_trees], key=lambda tree: 1 not in tree.parent.reports)
        tree_of = self._trees_of_reports(written)
        trees = []
        for number, tree in enumerate(written):
            own = {n for n, of in tree_of.items() if of == number}
            if not own:
                left_out += _refused([tree], NO_REPORTS)
            else:
                trees.append(self._tree(tree, own, left_out))
        return GrownTrees(trees=trees, left_out=tuple(left_out))

    def _trees_of_reports(self, written: Sequence[Any]) -> dict[int, int]:
        """Return for the number of each report the tree that it is of: the first that names it, else the first tree."""
        found: dict[int, int] = {}
        known = range(1, len(self.item.cluster) + 1)
        parents = ((number, tree.parent) for number, tree in enumerate(written))
        children = ((number, child) for number, tree in enumerate(written) for child in tree.children)
        for number, node in (*parents, *children):
            for report in node.reports:
                if report in known:
                    found.setdefault(report, number)
        return {1: 0} | {report: found.get(report, 0) for report in known if report != 1}

    def _tree(self, written: Any, own: set[int], left_out: list[LeftOut]) -> GrownTree:
        """Read one tree of these reports; raises ReplyError where its parent is wrong."""
        parent = self._node(written.parent, {}, own)
        check_node(parent, self.item.configuration, self.item.raw_issues)
        wide = from_lists(parent.attributes)
        children: list[Node] = []
        for child in written.children[: self.task.most_children]:
            try:
                node = self._node(child, wide, own & set(child.reports))
                check_child(node, parent, children, self.item.configuration, self.item.raw_issues)
                children.append(node)
            except ReplyError as error:
                left_out.append(LeftOut(part=_named(child), reason=str(error)))
        for child in written.children[self.task.most_children :]:
            reason = TOO_MANY.format(most=self.task.most_children, parts="children")
            left_out.append(LeftOut(part=_named(child), reason=reason))
        return GrownTree(parent=parent, children=children)

    def _node(self, written: Any, wide: Attributes, reports: set[int]) -> Node:
        """Return a node with every attribute: what it states, what that settles, and the rest as ``wide`` has it.

        A value that its text does not say is added in brackets.
        """
        spec = self.item.configuration
        text = one_line(unescaped(written.text))
        if len(text) > self.task.text_characters:
            raise ReplyError(f"A text has {self.task.text_characters} characters at most.")
        fixed = {**{n: v for n, v in wide.items() if v != ANY}, **self._stated(written.attributes)}
        settled = with_implied_values(fixed, spec)
        attributes = {name: settled.get(name, ANY) for name in spec}
        raw = tuple(self.item.cluster[n - 1].raw_issue for n in sorted(reports))
        node = Node(text=text, attributes=as_lists(attributes), raw_issues=raw)
        return node.model_copy(update={"text": self._with_hidden_values(node, wide)}) if text else node

    def _stated(self, written: Sequence[Any]) -> dict[str, Values]:
        """Return the values that a node states, in their one spelling; Any says nothing."""
        names = {field: name for name, field in field_names(self.item.configuration).items()}
        found: dict[str, Values] = {}
        for one in written:
            name = names.get(one.name, one.name)
            if name not in self.item.configuration:
                raise ReplyError(f"{name[:PART_CHARACTERS]!r} is no attribute; they are {list(names)}.")
            attribute = self.item.configuration[name]
            values = frozenset(one_line(unescaped(value)) for value in one.values) - {""}
            if any(len(value) > _longest_value(self.item.configuration) for value in values):
                raise ReplyError(f"A value of {name} is a name, no sentence.")
            if values - ANY:
                found[name] = attribute.normal(found.get(name, frozenset()) | values - ANY)
        return {name: values for name, values in found.items() if values != ANY}

    def _with_hidden_values(self, node: Node, wide: Attributes) -> str:
        missing: list[str] = []
        text = node.text
        while value := hidden_value(
            node.model_copy(update={"text": text}), wide, self.item.configuration, self.item.language
        ):
            if value in missing:
                return text
            missing.append(value)
            text = with_values(node.text, missing)
        return text


def example_clusters(example: Mapping[str, Any]) -> list[GrowTrees]:
    """Return the clusters of an entry of ``examples.yaml``."""
    spec = read_domain({"attributes": example["configuration"]}).attributes

    def reports(given: Mapping[str, Any], name: str) -> Iterator[Report]:
        for number, report in enumerate(given.get(name, ())):
            yield Report(f"{name} {number}", report["headline"], from_lists(report["attributes"]))

    return [
        GrowTrees(
            example["domain"],
            spec,
            tuple(reports(c, "cluster")),
            tuple(reports(c, "theme")),
            tuple(c.get("manuals", ())),
        )
        for c in example["clusters"]
    ]


def _shown(item: GrowTrees) -> Mapping[str, Any]:
    fields = field_names(item.configuration)

    def line(report: Report) -> str:
        said = describe_values(report.attributes, fields)
        return f"{one_line(report.headline)} [{said}]" if said else one_line(report.headline)

    return {
        "reports": [f"{number}. {line(report)}" for number, report in enumerate(item.cluster, 1)],
        "near": [f"- {line(report)}" for report in item.theme],
        "manuals": [f"- {one_line(headings)}" for headings in item.manuals],
    }


def _value_bound(spec: Mapping[str, Attribute]) -> dict[str, Any]:
    """Return the schema of a value: one of all where every attribute is closed, else a short name."""
    if any(attribute.kind == "open" for attribute in spec.values()):
        return {"maxLength": _longest_value(spec)}
    return {"enum": [*dict.fromkeys(v for attribute in spec.values() for v in attribute.values), "NONE"]}


def _longest_value(spec: Mapping[str, Attribute]) -> int:
    return max([LONGEST_OPEN_VALUE, *(len(value) for attribute in spec.values() for value in attribute.values)])


def _list_of(kind: Any, most: int) -> Any:
    return Annotated[list[kind], Field(json_schema_extra={"maxItems": most})]


def _refused(trees: Sequence[Any], reason: str) -> Iterator[LeftOut]:
    for tree in trees:
        yield LeftOut(part=_named(tree.parent), reason=reason)


def _named(node: Any) -> str:
    return one_line(node.text)[:PART_CHARACTERS]


TASK = GrowTreesTask()
