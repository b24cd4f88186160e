"""The room that grows a tree from a seed issue."""

from __future__ import annotations

import importlib.resources
import time
from typing import Any

import pytest
import yaml

from autokb.knowledge.attributes import ANY, from_lists
from autokb.knowledge.domain import DomainSpec, read_domain
from autokb.tasks.issues.grow_tree.headline import LONGEST, headline
from autokb.tasks.issues.grow_tree.shapes import Report
from autokb.tasks.issues.grow_tree.task import ROOM, GrownTree, GrowTree, Node
from autokb.tasks.issues.grow_tree.wording import shows, without
from autokb.tasks.room import ReplyError

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


def report(raw: str, line: str, **attributes: list[str]) -> Report:
    return Report(raw, line, from_lists(attributes))


def grown(*cluster: Report, theme: tuple[Report, ...] = (), spec: DomainSpec = SPEC) -> GrownTree:
    seed = cluster[0]
    item = GrowTree("d", seed.headline, "", seed.attributes, spec.attributes, cluster, theme)
    return ROOM.answer_offline(item)


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


@pytest.mark.parametrize(
    ("line", "names", "shorter"),
    [
        ("My buds won't connect to my MacBook", {"os"}, "Buds won't connect"),
        ("Folders vanish on Windows 11 after an update", {"os"}, "Folders vanish after an update"),
        ("Folders vanish (win10)", {"os"}, "Folders vanish"),
        ("Windows 10: folders vanish", {"os"}, "Folders vanish"),
        ("Folders vanish - Linux", {"os"}, "Folders vanish"),
        ("Folders vanish on Windows and Linux", {"os"}, "Folders vanish"),
        ("Cannot read my Gmail account", {"provider"}, "Cannot read my account"),
        ("Cannot read gmail.com mail on Windows", {"os", "provider"}, "Cannot read mail"),
        ("Windows update broke printing", {"os"}, None),
        ("Switch to Linux", {"os"}, None),
        ("Printing takes long", {"os"}, "Printing takes long"),
    ],
)
def test_attribute_words_go_where_grammar_allows(line: str, names: set[str], shorter: str | None) -> None:
    assert without(line, SPEC.attributes, names) == shorter


def test_the_parent_keeps_what_its_text_cannot_do_without() -> None:
    tree = grown(report("a", "Windows update broke printing", os=["Windows"]))
    assert (tree.parent.text, fixed(tree.parent)) == ("Windows update broke printing", {"os": ["Windows"]})
    assert tree.children == []


def test_where_reports_disagree_the_parent_takes_a_wording_that_holds_for_all() -> None:
    tree = grown(
        report("a", "Windows update broke printing", os=["Windows"]),
        report("b", "Printing is broken after an update", os=["Mac"]),
    )
    assert (tree.parent.text, fixed(tree.parent)) == ("Printing is broken after an update", {})
    assert tree.parent.raw_issues == ("a", "b")


def test_where_no_wording_holds_for_all_the_parent_keeps_the_set_of_values() -> None:
    tree = grown(
        report("a", "Windows update broke printing", os=["Windows"]),
        report("b", "Mac update broke printing", os=["Mac"]),
    )
    assert fixed(tree.parent) == {"os": ["Mac", "Windows"]}
    assert {tuple(c.attributes["os"]) for c in tree.children} == {("Mac",), ("Windows",)}


def test_what_five_reports_all_say_is_part_of_the_issue() -> None:
    reports = [report(f"r{n}", "Folders vanish on Windows", os=["Windows"]) for n in range(5)]
    assert fixed(grown(*reports).parent) == {"os": ["Windows"]}
    assert fixed(grown(*reports[:4]).parent) == {}


def test_children_are_what_was_reported_most_frequent_first_each_value_visible() -> None:
    tree = grown(
        report("a", "Mail will not open"),
        report("b", "Mail will not open with Gmail", provider=["Gmail"]),
        report("c", "Mail refuses to open", os=["Mac"]),
        report("d", "Mail stays shut", os=["Mac"]),
    )
    assert [(c.text, fixed(c), c.raw_issues) for c in tree.children] == [
        ("Mail refuses to open (Mac)", {"os": ["Mac"]}, ("c", "d")),
        ("Mail will not open with Gmail", {"provider": ["Gmail"]}, ("b",)),
    ]


def test_a_child_settles_what_its_values_imply_and_an_impossible_one_does_not_grow() -> None:
    tree = grown(
        report("a", "Mail will not open", os=["Linux"]), report("b", "Mail stays shut", os=["Linux"], shop=["Retail"])
    )
    found = [fixed(child) for child in tree.children]
    assert {"os": ["Linux"], "shop": ["Direct"]} in found
    assert {"shop": ["Retail"]} in found
    assert all(SPEC.allows(from_lists(child.attributes)) for child in tree.children)
    assert {"os": ["Linux"], "shop": ["Retail"]} not in found


def test_the_theme_adds_single_values_that_many_say_worded_from_the_parent() -> None:
    around = tuple(report(f"t{n}", "Other words about mail", os=["Mac"]) for n in range(3))
    tree = grown(report("a", "Mail will not open"), theme=around)
    assert [(c.text, fixed(c), c.raw_issues) for c in tree.children] == [
        ("Mail will not open (Mac)", {"os": ["Mac"]}, ())
    ]
    assert grown(report("a", "Mail will not open"), theme=around[:2]).children == []


def test_children_are_capped_and_their_texts_differ() -> None:
    providers = [f"Provider{n:02d}" for n in range(20)]
    reports = [report(f"r{n:02d}", "Mail will not open", provider=[p]) for n, p in enumerate(providers)]
    tree = grown(*reports)
    texts = [tree.parent.text, *(child.text for child in tree.children)]
    assert len(tree.children) == 8
    assert len({text.casefold() for text in texts}) == 9
    assert all(shows(c.text, SPEC.attributes["provider"], c.attributes["provider"][0]) for c in tree.children)


def test_a_report_of_two_values_is_a_child_for_each() -> None:
    tree = grown(report("a", "Mail will not open", os=["Mac", "Windows"]))
    assert [fixed(child) for child in tree.children] == [{"os": ["Mac"]}, {"os": ["Windows"]}]


def test_none_stays_only_where_every_report_says_it_does_not_apply() -> None:
    alone = grown(report("a", "Mail will not open", provider=["NONE"]))
    assert alone.parent.attributes["provider"] == ["NONE"]
    mixed = grown(
        report("a", "Mail will not open", provider=["NONE"]), report("b", "Mail stays shut", provider=["Yahoo"])
    )
    assert from_lists(mixed.parent.attributes)["provider"] == ANY


def test_an_issue_without_configuration_grows_a_bare_parent() -> None:
    tree = grown(report("a", "Mail will not open"), spec=DomainSpec("plain"))
    assert (tree.parent.text, tree.parent.attributes, tree.children) == ("Mail will not open", {}, [])


@pytest.mark.parametrize(
    ("title", "text", "line"),
    [
        ("Folders vanish daily", "Hello, ...", "Folders vanish daily"),
        ("Help", "Hi all, my folders vanish every day. Thanks, Jo", "My folders vanish every day."),
        (
            "",
            "Good morning! The lid is open. It does not close any more. Regards",
            "The lid is open. It does not close any more.",
        ),
        ("Mailbird", "Hello! Installed it today. Cannot read old folders.", "Cannot read old folders."),
        ("[SOLVED] Folders vanish daily", "x", "Folders vanish daily"),
        ("Hi", "hello", "Hi"),
        ("", "", ""),
    ],
)
def test_a_headline_is_the_title_or_the_first_sentences_that_say_something(title: str, text: str, line: str) -> None:
    assert headline(title, text) == line


def test_the_product_alone_is_no_headline() -> None:
    assert (
        headline("Mailbird trouble importing", "Import stops half way through.", "mailbird")
        == "Import stops half way through."
    )


def test_a_long_headline_is_cut_between_words() -> None:
    line = headline("", "word " * 400)
    assert len(line) <= LONGEST + 1
    assert line.endswith("word…")


def test_hostile_texts_take_no_time() -> None:
    start = time.process_time()
    for text in ("-" * 50_000, "on " * 20_000, "Windows " * 10_000, "(" * 50_000, "a.b" * 20_000):
        without(headline("", text) or "x", SPEC.attributes, {"os"})
    assert time.process_time() - start < 5


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
        ROOM.check(item, tree)
