"""From a seed and what was reported around it to issues."""

from __future__ import annotations

from autokb.core.attributes import ANY, from_lists
from autokb.core.domain import read_domain
from autokb.core.nouns import RawIssue
from autokb.issues.seeds import seed_id
from autokb.issues.trees import Reported, ThemeReports, issue_id, issues, raw_issue_title, seed_reports
from autokb.tasks.issues.grow_tree.node_checks import Node
from autokb.tasks.issues.grow_tree.task import TASK, GrownTree

SPEC = read_domain(
    {"name": "mail", "attributes": {"os": {"values": ["Windows", "Linux"]}, "kind": {"values": ["A", "B"]}}}
)


def reported(raw: str, title: str, vector: list[float], **attributes: list[str]) -> tuple[str, Reported]:
    return raw, Reported(RawIssue(raw, f"{title}, please look.", title), from_lists(attributes), vector)


ALL = dict(
    [
        reported("s", "Folders vanish on Windows", [1.0, 0.0], os=["Windows"]),
        reported("m", "Folders vanish after a restart", [0.9, 0.436]),
        reported("k", "All folders vanish on Linux", [0.99, 0.141], os=["Linux"]),
        reported("t", "Folders are empty", [0.6, 0.8]),
        reported("u", "Cannot print", [0.0, 1.0]),
    ]
)


def around(theme: list[str]) -> ThemeReports:
    return ThemeReports.of(theme, ALL)


def test_a_question_holds_the_cluster_from_the_centre_outwards_and_only_the_near_ones_of_the_theme() -> None:
    item = seed_reports("s", ["k", "m", "s", "gone"], around(["k", "m", "s", "t", "u"]), ALL, 0.6).question(SPEC)
    assert [report.raw_issue for report in item.cluster] == ["s", "k", "m"]
    assert [report.raw_issue for report in item.theme] == ["t"]
    assert item.issue == "Folders vanish on Windows"


def test_a_theme_whose_reports_are_all_left_out_has_nothing_around_a_seed() -> None:
    item = seed_reports("s", ["s"], around(["gone"]), ALL, 0.6).question(SPEC)
    assert [report.raw_issue for report in item.cluster] == ["s"] and not item.theme


def test_the_fingerprint_follows_what_the_question_follows_from() -> None:
    members, theme = ["k", "m", "s"], ["k", "m", "s", "t"]
    before = seed_reports("s", members, around(theme), ALL, 0.6).fingerprint
    assert before == seed_reports("s", members, around([*theme, "u"]), ALL, 0.6).fingerprint
    others = [
        seed_reports("s", members, around(members), ALL, 0.6),
        seed_reports("s", ["m", "s"], around(theme), ALL, 0.6),
        seed_reports("k", members, around(theme), ALL, 0.6),
        seed_reports("s", members, around(theme), ALL | dict([reported("t", "Folders are blank", [0.6, 0.8])]), 0.6),
        seed_reports("s", members, around(theme), ALL | dict([reported("m", "x", [0.9, 0.436], kind=["A"])]), 0.6),
    ]
    assert len({before, *(other.fingerprint for other in others)}) == 6


def test_a_far_issue_of_the_theme_changes_no_key() -> None:
    members, theme = ["k", "m", "s"], ["k", "m", "s", "t"]
    before = TASK.key(seed_reports("s", members, around(theme), ALL, 0.6).question(SPEC))
    assert before == TASK.key(seed_reports("s", members, around([*theme, "u"]), ALL, 0.6).question(SPEC))
    assert before != TASK.key(seed_reports("s", members, around(["k", "m", "s"]), ALL, 0.6).question(SPEC))


def test_a_tree_becomes_issues_that_name_every_attribute_and_hang_on_their_parent() -> None:
    item = seed_reports("s", ["k", "m", "s"], around(["k", "m", "s"]), ALL, 0.6).question(SPEC)
    parent, *children = issues("s", TASK.answer_offline(item), "s")
    assert (parent.text, parent.parent_id, parent.attributes) == ("Folders vanish", None, {"os": ANY, "kind": ANY})
    assert parent.raw_issues == ("s", "k", "m")
    assert {(c.text, c.parent_id, *c.raw_issues) for c in children} == {
        ("Folders vanish on Windows", parent.id, "s"),
        ("All folders vanish on Linux", parent.id, "k"),
    }
    assert {issue.seed for issue in (parent, *children)} == {seed_id("s")}
    assert children[0].id == issue_id("s", children[0].attributes)


def test_two_children_with_the_same_attributes_are_one() -> None:
    node = Node(text="Parent", attributes={"os": ["Any"]})
    child = Node(text="On Linux", attributes={"os": ["Linux"]})
    again = Node(text="With Linux", attributes={"os": ["Linux"]})
    assert [i.text for i in issues("s", GrownTree(parent=node, children=[child, again]), "s")] == ["Parent", "On Linux"]


def test_ids_hang_on_seed_and_attributes_not_on_words() -> None:
    one = GrownTree(parent=Node(text="One", attributes={"os": ["Any"]}), children=[])
    other = GrownTree(parent=Node(text="Two", attributes={"os": ["Any"]}), children=[])
    assert issues("s", one, "s")[0].id == issues("s", other, "s")[0].id != issues("t", one, "s")[0].id


def test_an_issue_without_words_still_has_a_line() -> None:
    assert raw_issue_title(RawIssue("r9", "")) == "r9"
    assert raw_issue_title(RawIssue("r9", "?!")) == "?!"
    assert len(raw_issue_title(RawIssue("r9", "?" * 9999))) <= 141
