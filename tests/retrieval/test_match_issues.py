"""Matching: the published algorithm to the letter, and ours that looks through whole trees."""

from __future__ import annotations

import numpy as np
import pytest

from autokb.core.attributes import Attributes, Match
from autokb.core.domain import Attribute
from autokb.core.nouns import Evidence, Hit, Issue, Solution, Status
from autokb.core.ranking import Ranking
from autokb.retrieval.knowledge_index import KnowledgeIndex, QuestionMatch
from autokb.retrieval.match_issues import TreeMatch, match_as_published, match_tree

NAMES = ("device", "os")
ATTRIBUTES = {name: Attribute(name, "open") for name in NAMES}


def attributes(**values: str) -> Attributes:
    return {name: frozenset(value.split("+")) for name, value in {"device": "Any", "os": "Any", **values}.items()}


def node(issue_id: str, parent: str | None = None, **values: str) -> Issue:
    return Issue(issue_id, f"text of {issue_id}", parent, attributes(**values))


def solution(issue: Issue, status: Status = "displayed", **values: str) -> Solution:
    fixed = attributes(**values) if values else issue.attributes
    evidence = (Evidence(f"doc-{issue.id}", 0, 4, "step"),)
    return Solution(f"s-{issue.id}", issue.id, "step", (f"step of {issue.id}",), fixed, evidence, status)


def index_of(*issues: Issue, without: str = "") -> KnowledgeIndex:
    return KnowledgeIndex.of(issues, [solution(i) for i in issues if i.id not in without.split()], ATTRIBUTES)


def asked(index: KnowledgeIndex, **values: str) -> QuestionMatch:
    return QuestionMatch(index, {name: frozenset(value.split("+")) for name, value in values.items()})


def nearest(index: KnowledgeIndex, similarities: dict[str, float], depth: int) -> tuple[Hit, ...]:
    return Ranking(index.ids, np.array([similarities.get(i, 0.1) for i in index.ids])).best(depth)


def found(question: QuestionMatch, similarities: dict[str, float], depth: int = 10) -> list[TreeMatch]:
    index, row = question.index, np.array([similarities.get(i, 0.1) for i in question.index.ids])
    roots = dict.fromkeys(index.root_of[hit.id] for hit in nearest(index, similarities, depth))
    return [tree for root in roots if (tree := match_tree(root, question, row)) is not None]


def published(question: QuestionMatch, similarities: dict[str, float], depth: int = 10) -> list[str]:
    return match_as_published(nearest(question.index, similarities, depth), question)


def accepted(*args: object, **more: object) -> list[tuple[str | None, str]]:
    return [(tree.issue, str(tree.match)) for tree in found(*args, **more)]  # type: ignore[arg-type]


TREE = (
    node("p"),
    node("p1", "p", os="Windows"),
    node("p2", "p", os="Mac"),
    node("p3", "p", os="Windows", device="Laptop"),
    node("p4", "p", os="Windows+Mac"),
)

DECISION_2 = [
    # what the question says, the accepted node of the tree, its match
    ({}, "p", "exact"),
    ({"os": "Windows"}, "p1", "exact"),
    ({"os": "Mac"}, "p2", "exact"),
    ({"os": "Windows", "device": "Laptop"}, "p3", "exact"),
    ({"os": "Windows", "device": "Phone"}, "p1", "broader"),
    ({"os": "Mac+Windows"}, "p4", "exact"),
    ({"os": "Linux"}, "p", "broader"),
    ({"device": "Laptop"}, "p", "broader"),
    ({"os": "Any"}, "p", "exact"),
    ({"os": "NONE"}, "p", "broader"),
    ({"os": "Mac+Linux"}, "p", "broader"),
    ({"device": "Phone", "os": "Mac"}, "p2", "broader"),
]


@pytest.mark.parametrize("hit", ["p", "p1", "p2", "p3", "p4"])
@pytest.mark.parametrize(("said", "issue", "match"), DECISION_2)
def test_whichever_node_is_hit_the_tree_gives_the_same(said: dict[str, str], issue: str, match: str, hit: str) -> None:
    assert accepted(asked(index_of(*TREE), **said), {hit: 0.9}, depth=1) == [(issue, match)]


def test_an_exact_match_wins_over_a_more_similar_broader_one() -> None:
    assert accepted(asked(index_of(*TREE), os="Mac"), {"p": 0.9, "p2": 0.2}) == [("p2", "exact")]


def test_the_most_specific_broader_node_has_fewest_any_then_fewest_values() -> None:
    tree = (node("p"), node("wide", "p", os="Windows+Mac"), node("narrow", "p", os="Windows"))
    question = asked(index_of(*tree), os="Windows", device="Phone")
    assert accepted(question, {"p": 0.9, "wide": 0.8}) == [("narrow", "broader")]
    question = asked(index_of(*tree, without="narrow"), os="Windows", device="Phone")
    assert accepted(question, {"p": 0.9}) == [("wide", "broader")]


def test_equally_specific_nodes_are_chosen_by_similarity_then_id() -> None:
    tree = (node("p"), node("a", "p", os="Windows"), node("b", "p", device="Phone"))
    question = asked(index_of(*tree), os="Windows", device="Phone")
    assert accepted(question, {"b": 0.5}) == [("b", "broader")]
    assert accepted(question, {}) == [("a", "broader")]


def test_conflict_and_overlap_are_never_returned() -> None:
    index = index_of(node("c", os="Mac"), node("o", os="Windows+Linux"))
    assert accepted(asked(index, os="Windows+Phone"), {"c": 0.9, "o": 0.9}) == []


def test_broader_beside_narrower_is_overlap_and_only_a_candidate() -> None:
    tree = found(asked(index_of(node("p", os="Windows+Mac", device="Phone")), os="Mac"), {"p": 0.9})
    assert [(t.issue, t.narrower) for t in tree] == [(None, ("p",))]


def test_narrower_nodes_are_reported_not_returned() -> None:
    tree = found(asked(index_of(*TREE)), {"p3": 0.9})[0]
    assert (tree.issue, tree.narrower) == ("p", ("p1", "p2", "p3", "p4"))


def test_nodes_inside_a_said_set_are_not_candidates_because_nothing_is_left_to_ask() -> None:
    tree = found(asked(index_of(*TREE), os="Windows+Mac", device="Laptop"), {"p": 0.9})[0]
    assert (tree.issue, tree.match, tree.narrower) == ("p4", "broader", ())


def test_what_an_unknown_attribute_cannot_be_is_a_conflict_and_what_it_can_be_stays_open() -> None:
    index = index_of(node("p"), node("a", "p", device="Phone"), node("b", "p", device="Laptop"))
    implied = QuestionMatch(index, {"os": frozenset({"iOS"})}, within={"device": frozenset({"Phone", "Tablet"})})
    assert [(t.issue, t.match, t.narrower) for t in found(implied, {"p": 0.9})] == [("p", "broader", ("a",))]
    assert (implied.match("b"), implied.match("p")) == ("conflict", "broader")
    silent = QuestionMatch(index, {}, within={"device": frozenset({"Phone", "Tablet"})})
    assert silent.match("p") == "exact"


def test_nodes_without_displayed_solutions_are_not_returned() -> None:
    assert accepted(asked(index_of(*TREE, without="p2"), os="Mac"), {"p2": 0.9}) == [("p4", "broader")]
    assert accepted(asked(index_of(*TREE, without="p p1 p2 p3 p4")), {"p": 0.9}) == []


@pytest.mark.parametrize("status", ["withheld", "rejected"])
def test_solutions_that_are_not_displayed_do_not_count(status: Status) -> None:
    issue = node("p")
    index = KnowledgeIndex.of([issue], [solution(issue, status)], ATTRIBUTES)
    assert accepted(asked(index), {"p": 0.9}) == []


@pytest.mark.parametrize("status", ["displayed", "repaired", "approved"])
def test_solutions_that_are_displayed_count(status: Status) -> None:
    issue = node("p")
    index = KnowledgeIndex.of([issue], [solution(issue, status)], ATTRIBUTES)
    assert accepted(asked(index), {"p": 0.9}) == [("p", "exact")]


def test_a_node_whose_solutions_all_conflict_with_the_question_is_not_returned() -> None:
    issue = node("p")
    index = KnowledgeIndex.of([issue], [solution(issue, os="Mac")], ATTRIBUTES)
    assert accepted(asked(index, os="Windows"), {"p": 0.9}) == []
    assert accepted(asked(index, os="Mac"), {"p": 0.9}) == [("p", "broader")]


def test_a_tree_has_the_similarity_of_its_accepted_node() -> None:
    index = index_of(node("p"), node("p1", "p", os="Mac"), node("q"))
    trees = found(asked(index), {"p": 0.5, "p1": 0.9, "q": 0.7})
    assert [(t.tree, t.issue, t.similarity) for t in trees] == [("p", "p", 0.5), ("q", "q", 0.7)]


def test_deeper_trees_are_looked_through_to_the_bottom() -> None:
    index = index_of(node("p"), node("p1", "p", os="Mac"), node("p2", "p1", os="Mac", device="Phone"))
    assert accepted(asked(index, os="Mac", device="Phone"), {"p": 0.9}, depth=1) == [("p2", "exact")]


def test_a_child_whose_parent_is_gone_is_a_tree_of_its_own() -> None:
    assert accepted(asked(index_of(node("x", "gone"))), {"x": 0.9}) == [("x", "exact")]


def test_nearest_breaks_ties_by_id_also_at_the_cut() -> None:
    index = index_of(*(node(name) for name in "dbca"))
    assert Ranking(index.ids, np.array([0.5, 0.9, 0.5, 0.5])).best(3) == (Hit("b", 0.9), Hit("a", 0.5), Hit("c", 0.5))
    assert Ranking(index.ids, np.zeros(4)).best(0) == ()


# Algorithm 2 as printed; in this tree the exact node for Mac is p2.
LITERAL = [
    # the hit, what is said, accepted
    ("p2", {"os": "Mac"}, ["p2"]),  # lines 7-8: the hit is exact
    ("p", {"os": "Mac"}, ["p2"]),  # lines 9-18: a broader parent, an exact child
    ("p", {"os": "Linux"}, ["p"]),  # lines 19-21: a broader parent, no exact child
    ("p1", {"os": "Mac"}, ["p2"]),  # lines 24-34: a child that does not match, an exact sibling
    ("p1", {"os": "Linux"}, ["p"]),  # lines 35-37: a child that does not match, no exact sibling
    ("p4", {"os": "Mac"}, []),  # the dropped case: a child that is broader than the question enters no branch
    ("p4", {"os": "Windows", "device": "Laptop"}, []),  # the same, although an exact sibling stands beside it
]


@pytest.mark.parametrize(("hit", "said", "expected"), LITERAL)
def test_the_published_algorithm(hit: str, said: dict[str, str], expected: list[str]) -> None:
    assert published(asked(index_of(*TREE), **said), {hit: 0.9}, depth=1) == expected


def test_the_dropped_case_is_found_by_looking_through_the_tree() -> None:
    assert accepted(asked(index_of(*TREE), os="Mac"), {"p4": 0.9}, depth=1) == [("p2", "exact")]


def test_the_published_algorithm_accepts_a_set_that_may_hold_several_nodes_of_a_tree() -> None:
    index = index_of(node("p"), node("a", "p", os="Mac"), node("b", "p", os="Mac"))
    assert published(asked(index, os="Mac"), {"a": 0.9, "b": 0.8, "p": 0.7}) == ["a", "b"]


def test_a_parent_in_conflict_takes_its_children_with_it_in_the_published_algorithm_only() -> None:
    index = index_of(node("p", os="Windows"), node("c", "p", os="Mac"), node("d", "p", os="Linux"))
    question = asked(index, os="Mac")
    assert published(question, {"d": 0.9}, depth=1) == []
    assert accepted(question, {"d": 0.9}, depth=1) == [("c", "exact")]


def test_match_names_are_those_of_the_interface() -> None:
    assert {str(Match.EXACT), str(Match.BROADER)} == {"exact", "broader"}
