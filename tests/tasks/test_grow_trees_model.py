"""How a model's reply about several clusters becomes trees; what is wrong with one costs the others nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autokb.core.attributes import from_lists
from autokb.core.domain import read_domain
from autokb.core.model_requests import ModelReply
from autokb.heuristics.trees.grow import Report
from autokb.tasks.asking import read_reply, request_for, wrong
from autokb.tasks.issues.grow_trees.task import TASK, GrowTrees
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
REPORTS = (
    Report("a", "Folders vanish on Windows", from_lists({"os": ["Windows"]})),
    Report("b", "Folders vanish on my Mac", from_lists({"os": ["Mac"]})),
    Report("c", "The calendar is empty", {}),
    Report("d", "No entries in the calendar", {}),
)
MIXED = GrowTrees("mail: a mail program", SPEC, REPORTS)
ALONE = GrowTrees(
    "mail: a mail program", SPEC, (Report("e", "Cannot print", {}),), (), ("Printing > On Linux [os: Linux]",)
)


def node(text: str, *reports: Any, **values: str | list[str]) -> dict[str, Any]:
    fixed = [{"name": n, "values": v if isinstance(v, list) else [v]} for n, v in values.items()]
    return {"text": text, "attributes": fixed, "reports": list(reports)}


def tree(parent: dict[str, Any], *children: dict[str, Any]) -> dict[str, Any]:
    return {"parent": parent, "children": list(children)}


FOLDERS = tree(node("Folders vanish"), node("Folders vanish on Mac", 2, os="Mac"))
PRINT = tree(node("Printing does nothing"))


def read(*trees: Any, item: GrowTrees = MIXED) -> Read[Any]:
    (found,) = read_reply(TASK, [item], ModelReply(json.dumps({"answers": [{"number": 1, "trees": trees}]}), 1, 1))
    return found


def test_eight_clusters_share_a_request_and_the_domain_stands_in_it_once() -> None:
    request = request_for(TASK, [ALONE] * TASK.most, "openai:any")
    assert TASK.most == 8
    assert request.messages[0].text.count("a mail program") == 1
    assert [request.messages[1].text.count(f'<cluster number="{n}">') for n in range(1, 10)] == [1] * 8 + [0]


def test_a_reply_that_spoils_one_cluster_does_not_cost_the_others() -> None:
    answers = [{"number": 1, "trees": [tree(node(" "))]}, {"number": 2, "trees": [PRINT]}]
    spoilt, good = read_reply(TASK, [MIXED, ALONE], ModelReply(json.dumps({"answers": answers}), 1, 1))
    assert spoilt.answer is None and "needs a text" in spoilt.error
    assert good.answer is not None and good.answer.trees[0].parent.text == "Printing does nothing"
    without, there = read_reply(TASK, [MIXED, ALONE], ModelReply(json.dumps({"answers": answers[1:]}), 1, 1))
    assert (without.answer, there.answer) == (None, good.answer)


def test_children_state_only_what_they_fix_and_the_rest_is_filled_in() -> None:
    (grown,) = read(
        tree(
            node("Windows update broke folders", os="Windows"),
            node("Windows update broke folders of Gmail", provider="Gmail"),
            node("Windows update broke folders on a tablet", kit="Tablet"),
        )
    ).answer.trees
    assert grown.parent.attributes == {"os": ["Windows"], "kit": ["Any"], "provider": ["Any"]}
    assert [child.attributes for child in grown.children] == [
        {"os": ["Windows"], "kit": ["Any"], "provider": ["Gmail"]},
        {"os": ["Windows"], "kit": ["Tablet"], "provider": ["Any"]},
    ]


def test_what_a_fixed_value_settles_need_not_be_stated() -> None:
    (grown,) = read(FOLDERS).answer.trees
    assert grown.children[0].attributes == {"os": ["Mac"], "kit": ["Laptop"], "provider": ["Any"]}


def test_a_value_that_the_text_does_not_say_is_added_to_it() -> None:
    found = read(tree(node("Folders vanish", os="Linux"), node("Folders vanish", 1, provider="Yahoo")))
    (grown,) = found.answer.trees
    assert grown.parent.text == "Folders vanish (Linux)"
    assert [child.text for child in grown.children] == ["Folders vanish (Yahoo)"]
    assert (found.complaints, found.answer.left_out) == ((), ())


def test_a_mixed_cluster_grows_a_tree_for_each_problem_and_each_report_is_of_one() -> None:
    found = read(
        FOLDERS, tree(node("Calendar is empty", 3, 4), node("Calendar is empty on Windows", 4, 1, os="Windows"))
    )
    folders, calendar = found.answer.trees
    assert (folders.parent.raw_issues, calendar.parent.raw_issues) == (("a", "b"), ("c", "d"))
    assert folders.children[0].raw_issues == ("b",)
    assert calendar.children[0].raw_issues == ("d",), "report 1 is of the first tree"


def test_the_tree_that_names_report_1_is_the_first() -> None:
    found = read(tree(node("Calendar is empty", 3, 4)), tree(node("Folders vanish", 1)))
    assert [t.parent.text for t in found.answer.trees] == ["Folders vanish", "Calendar is empty"]
    assert [t.parent.raw_issues for t in found.answer.trees] == [("a", "b"), ("c", "d")]


def test_a_report_that_two_trees_name_is_of_the_first_of_them() -> None:
    found = read(FOLDERS, tree(node("Calendar is empty", 3, 4)), tree(node("Calendar has no entries", 4)))
    assert [t.parent.raw_issues for t in found.answer.trees] == [("a", "b"), ("c", "d")]
    assert [part.part for part in found.answer.left_out] == ["Calendar has no entries"]


@pytest.mark.parametrize("numbers", [(), (0,), (5, 99), (-1,)])
def test_a_further_tree_without_a_report_of_its_own_is_left_out_and_no_repair_is_asked_for(numbers: Any) -> None:
    found = read(FOLDERS, tree(node("Calendar is empty", *numbers)))
    assert [t.parent.raw_issues for t in found.answer.trees] == [("a", "b", "c", "d")]
    assert "needs a report of its own" in found.answer.left_out[0].reason
    assert wrong([found]) == ""


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (node("Folders vanish on an Amiga", os="Amiga"), "'Amiga' is not a value of os"),
        (node("Folders vanish on Mac tablets", os="Mac", kit="Tablet"), "rules this combination out"),
        (node("Folders vanish in Spain", country="Spain"), "'country' is no attribute"),
        (node("Folders vanish everywhere"), "fixes nothing"),
        (node("Folders vanish everywhere", os="Any"), "fixes nothing"),
        (node("Folders vanish on the Mac", os="Mac"), "same attributes"),
        (node("FOLDERS VANISH ON MAC", 1, provider="Mac"), "texts that differ"),
        (node("   ", os="Linux"), "needs a text"),
        (node("x" * 999, os="Linux"), "160 characters at most"),
        (node("Folders vanish", provider="y" * 999), "a name, no sentence"),
    ],
)
def test_a_child_that_breaks_a_check_is_left_out_alone(odd: Any, reason: str) -> None:
    found = read({**FOLDERS, "children": [*FOLDERS["children"], odd]})
    assert [child.text for child in found.answer.trees[0].children] == ["Folders vanish on Mac"]
    (left,) = found.answer.left_out
    assert reason in left.reason
    assert wrong([found]) == "", "a repair would write the trees of all clusters again"


@pytest.mark.parametrize(
    ("parent", "reason"),
    [
        (node("Folders vanish", os="Amiga"), "not a value of os"),
        (node("Folders vanish", country="Spain"), "no attribute"),
        (node("x" * 999), "at most"),
    ],
)
def test_a_wrong_parent_is_an_error_of_its_cluster(parent: Any, reason: str) -> None:
    found = read(tree(parent))
    assert found.answer is None and reason in found.error


def test_more_children_than_anybody_asks_about_are_left_out() -> None:
    many = [node(f"Folders vanish with P{n}", provider=f"P{n}") for n in range(TASK.most_children + 2)]
    found = read(tree(node("Folders vanish"), *many))
    assert len(found.answer.trees[0].children) == TASK.most_children
    assert len(found.answer.left_out) == 2


def test_what_the_manuals_distinguish_is_part_of_the_question_and_of_its_size() -> None:
    bare = GrowTrees(ALONE.domain, SPEC, ALONE.cluster)
    assert "- Printing > On Linux [os: Linux]" in TASK.turns([ALONE])[1]
    assert "<manuals>" not in TASK.turns([bare])[1]
    assert TASK.tokens(ALONE)[1] > TASK.tokens(bare)[1]


def test_offline_one_tree_holds_all_reports() -> None:
    (grown,) = TASK.answer_offline(MIXED).trees
    assert grown.parent.raw_issues == ("a", "b", "c", "d")
