"""How a model's reply becomes a tree; what is wrong with one child costs that child alone."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from autokb.core.attributes import from_lists
from autokb.core.domain import read_domain
from autokb.core.model_requests import ModelReply
from autokb.heuristics.trees.grow import Report
from autokb.tasks.asking import read_reply, reply_schema, request_for, wrong
from autokb.tasks.issues.grow_tree.task import TASK, GrownTree, GrowTree
from autokb.tasks.task import Read

SPEC = read_domain(
    {
        "attributes": {
            "os": {
                "values": ["Windows", "Mac", "Linux"],
                "synonyms": {"Mac": ["macbook"]},
                "implies": {"Mac": {"kit": ["Laptop"]}, "Linux": {"kit": ["Laptop", "Phone"]}},
            },
            "kit": {"values": ["Laptop", "Phone", "Tablet"]},
            "provider": {"kind": "open", "examples": ["Gmail"]},
        }
    }
).attributes
ITEM = GrowTree(
    "mail: a mail program",
    "Folders vanish on Windows",
    "They are gone.",
    from_lists({"os": ["Windows"]}),
    SPEC,
    (Report("a", "Folders vanish on Windows", {}), Report("b", "Folders vanish on my Mac", {})),
    (Report("c", "Folders vanish with Gmail", {}),),
)


def node(text: str, **values: list[str]) -> dict[str, Any]:
    return {"text": text, "attributes": {"os": ["Any"], "kit": ["Any"], "provider": ["Any"], **values}}


def child(text: str, *reports: Any, **values: list[str]) -> dict[str, Any]:
    return {**node(text, **values), "reports": list(reports)}


def read(parent: Any, *children: Any, item: GrowTree = ITEM) -> Read[Any]:
    reply = json.dumps({"answers": [{"number": 1, "parent": parent, "children": list(children)}]})
    (found,) = read_reply(TASK, [item], ModelReply(reply, 1, 1))
    return found


PARENT = node("Folders vanish")


def test_a_good_tree() -> None:
    found = read(
        PARENT,
        child("Folders vanish on  Windows", 1, os=["Windows"]),
        child("Folders vanish on a MacBook", 2, 2, os=["Mac"], kit=["Laptop"]),
        child("Folders vanish with Yahoo", provider=["Yahoo"]),
        child("Folders vanish on a Linux phone", os=["Linux"], kit=["Phone"]),
    )
    assert (found.error, found.complaints) == ("", ())
    tree = found.answer
    assert (tree.parent.text, tree.parent.raw_issues) == ("Folders vanish", ("a", "b"))
    assert [(c.text, c.raw_issues) for c in tree.children] == [
        ("Folders vanish on Windows", ("a",)),
        ("Folders vanish on a MacBook", ("b",)),
        ("Folders vanish with Yahoo", ()),
        ("Folders vanish on a Linux phone", ()),
    ]
    assert tree.children[1].attributes == {"kit": ["Laptop"], "os": ["Mac"], "provider": ["Any"]}
    assert tree.left_out == ()


def test_a_tree_may_have_no_children_and_a_parent_may_keep_what_its_text_says() -> None:
    found = read(node("Windows update broke folders", os=["Windows"], provider=["NONE"]))
    assert (found.error, found.complaints, found.answer.children) == ("", (), [])
    assert found.answer.parent.attributes == {"kit": ["Any"], "os": ["Windows"], "provider": ["NONE"]}


def test_all_values_of_a_closed_attribute_are_any() -> None:
    found = read(node("Folders vanish", os=["Windows", "Mac", "Linux"]))
    assert found.answer.parent.attributes["os"] == ["Any"]


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (child("Folders vanish on an Amiga", os=["Amiga"]), "'Amiga' is not a value of os"),
        (child("Folders vanish on Mac tablets", os=["Mac"], kit=["Tablet"]), "rules this combination out"),
        (child("Folders vanish for some", os=["Linux"]), "does not show its value 'Linux'"),
        (child("Folders vanish on Linux", os=["Linux"], kit=["Phone"]), "does not show its value 'Phone'"),
        (child("Folders vanish with mail", provider=["Yahoo"]), "does not show its value 'Yahoo'"),
        (child("Folders vanish everywhere"), "fixes nothing"),
        (child("Folders vanish on the Mac", os=["Mac"]), "same attributes"),
        (child("folders vanish", os=["Linux"]), "texts that differ"),
        (child("FOLDERS VANISH ON MAC", os=["Linux"]), "texts that differ"),
        (child("Folders vanish on Linux, any", os=["Linux", "Any"]), "Any or NONE alone"),
        (child("   ", os=["Linux"]), "needs a text"),
    ],
)
def test_a_child_that_breaks_a_check_is_left_out_with_its_reason(odd: Any, reason: str) -> None:
    good = child("Folders vanish on Mac", 2, os=["Mac"])
    last = child("Folders vanish on Windows", os=["Windows"])
    found = read(PARENT, good, odd, last)
    assert found.error == ""
    assert [c.text for c in found.answer.children] == ["Folders vanish on Mac", "Folders vanish on Windows"]
    (left,) = found.answer.left_out
    assert left.part == odd["text"].strip()
    assert reason in left.reason
    assert found.complaints == (left.reason,)


def test_a_child_outside_its_parent_is_left_out() -> None:
    found = read(node("Windows folders vanish", os=["Windows"]), child("Folders vanish on Mac", os=["Mac"]))
    assert found.answer.children == []
    assert "not inside its parent" in found.answer.left_out[0].reason


def test_reports_that_are_not_there_or_of_the_theme_give_no_raw_issue() -> None:
    found = read(PARENT, child("Folders vanish with Gmail", 3, 9, 1, provider=["Gmail"]))
    assert found.complaints == ()
    assert found.answer.children[0].raw_issues == ("a",)


def test_a_parent_whose_text_hides_its_value_is_worth_a_repair() -> None:
    found = read(node("Folders vanish", os=["Windows"]))
    assert found.error == ""
    assert found.complaints == ("The parent's text does not show 'Windows'; give Any, or say it in the text.",)


@pytest.mark.parametrize(
    ("parent", "reason"),
    [
        (node("", os=["Mac"]), "at least 1 character"),
        (node("  "), "needs a text"),
        (node("x" * (TASK.text_characters + 1)), f"at most {TASK.text_characters} characters"),
        (node("Folders vanish", os=["Amiga"]), "Input should be 'Windows'"),
        (node("Folders vanish", os=[]), "at least 1 item"),
        (node("Folders vanish", os=["Any", "Mac"]), "Any or NONE alone"),
        (node("Folders vanish on a Mac tablet", os=["Mac"], kit=["Tablet"]), "rules this combination out"),
        ({"text": "Folders vanish", "attributes": {"os": ["Any"]}}, "Field required"),
        ({"title": PARENT["text"], "attributes": PARENT["attributes"]}, "Field required"),
        (None, "parent"),
    ],
)
def test_a_wrong_parent_is_an_error(parent: Any, reason: str) -> None:
    found = read(parent, child("Folders vanish on Mac", os=["Mac"]))
    assert found.answer is None
    assert reason in found.error


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        ({"text": "Folders vanish on Mac"}, "Field required"),
        (child("Folders vanish on Mac", "one", os=["Mac"]), "valid integer"),
        (child("x" * (TASK.text_characters + 1), os=["Mac"]), f"at most {TASK.text_characters} characters"),
        (child("Folders vanish", os=["x" * 100]), "at most 60 characters"),
        (child("Folders vanish", os=[]), "at least 1 item"),
        (child("Folders vanish", os=[None]), "valid string"),  # type: ignore[list-item]
        ("Folders vanish on Mac", "object"),
    ],
)
def test_a_child_of_another_shape_is_an_error(odd: Any, reason: str) -> None:
    found = read(PARENT, odd)
    assert found.answer is None
    assert reason in found.error


def test_too_many_children_are_an_error() -> None:
    found = read(
        PARENT, *(child(f"Folders vanish with P{n}", provider=[f"P{n}"]) for n in range(TASK.most_children + 1))
    )
    assert f"at most {TASK.most_children}" in found.error
    fits = read(PARENT, *(child(f"Folders vanish with P{n}", provider=[f"P{n}"]) for n in range(TASK.most_children)))
    assert len(fits.answer.children) == TASK.most_children


def test_the_schema_enumerates_values_and_numbers_of_children_too() -> None:
    kinds = reply_schema(TASK, [ITEM])["$defs"]
    names = ["Windows", "Mac", "Linux", "Any", "NONE"]
    assert kinds["ParentAttributes"]["properties"]["os"]["items"]["enum"] == names
    assert kinds["ChildAttributes"]["properties"]["os"]["items"]["enum"] == names
    assert kinds["Child"]["properties"]["reports"]["items"] == {"type": "integer", "minimum": 1, "maximum": 3}


def test_a_seed_without_reports_has_none_to_name() -> None:
    alone = replace(ITEM, cluster=(), theme=())
    assert read(PARENT, child("Folders vanish on Mac", os=["Mac"]), item=alone).answer.children[0].raw_issues == ()
    found = read(PARENT, child("Folders vanish on Mac", 1, os=["Mac"]), item=alone)
    assert (found.error, found.answer.children[0].raw_issues) == ("", ())


def test_more_numbers_than_there_are_reports_cost_nothing() -> None:
    found = read(PARENT, child("Folders vanish on Mac", 1, 1, 33, 2, 3, os=["Mac"]))
    assert found.answer.children[0].raw_issues == ("a", "b")
    assert wrong([found]) == ""


def test_of_a_large_cluster_the_centre_is_shown_and_all_belong_to_the_parent() -> None:
    cluster = tuple(Report(f"r{n}", f"Folders vanish, case {n}.", {}) for n in range(TASK.most_reports + 5))
    item = replace(ITEM, cluster=cluster)
    text = request_for(TASK, [item], "openai:any").messages[1].text
    assert f"case {TASK.most_reports - 1}." in text
    assert f"case {TASK.most_reports}." not in text
    assert f'<report number="{TASK.most_reports + 1}">\nFolders vanish with Gmail' in text
    assert len(read(PARENT, item=item).answer.parent.raw_issues) == TASK.most_reports + 5


def test_a_stored_tree_without_the_field_still_reads() -> None:
    stored = '{"parent": {"text": "P", "attributes": {}, "raw_issues": []}, "children": []}'
    assert GrownTree.model_validate_json(stored).left_out == ()
