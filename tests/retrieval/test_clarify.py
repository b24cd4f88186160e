"""The clarifying question: asked only where the best tree is open and the answer changes what is shown."""

from __future__ import annotations

import numpy as np
import pytest

from autokb.core.attributes import Attributes
from autokb.core.domain import Attribute
from autokb.core.nouns import Issue, Solution
from autokb.core.ranking import Ranking
from autokb.retrieval.clarify import Clarification, clarify, information_gain, wording
from autokb.retrieval.knowledge_index import Asked, KnowledgeIndex
from autokb.retrieval.match_issues import match_issues

NAMES = ("device", "os", "provider")
ATTRIBUTES = {name: Attribute(name, "open") for name in NAMES}


def node(issue_id: str, parent: str | None = None, **values: str) -> Issue:
    fixed = {name: frozenset(values.get(name, "Any").split("+")) for name in NAMES}
    return Issue(issue_id, f"text of {issue_id}", parent, fixed)


def index_of(*issues: Issue, without: str = "", same: str = "") -> KnowledgeIndex:
    solutions = [
        Solution(f"s-{i.id}", i.id, "t", ("same",), {}, ())
        if i.id in same.split()
        else Solution(f"s-{i.id}", i.id, "t", (f"do {i.id}",), i.attributes, ())
        for i in issues
        if i.id not in without.split()
    ]
    return KnowledgeIndex.of(issues, solutions, ATTRIBUTES)


def asks(
    index: KnowledgeIndex, similarities: dict[str, float] | None = None, within: str = "", **said: str
) -> Clarification | None:
    attributes: Attributes = {name: frozenset(value.split("+")) for name, value in said.items()}
    question = Asked(index, attributes, {"device": frozenset(within.split("+"))} if within else {})
    row = np.array([(similarities or {}).get(i, 0.5) for i in index.ids])
    return clarify(match_issues(Ranking(index.ids, row).best(10), question, row), question, row)


SYSTEMS = (node("p"), node("a", "p", os="Windows"), node("b", "p", os="Mac"))


def test_a_node_that_is_exact_only_by_silence_asks_what_its_children_differ_in() -> None:
    assert asks(index_of(*SYSTEMS)) == Clarification(
        "os", ("Mac", "Windows"), "Which operating system is it: Mac or Windows?"
    )


def test_what_the_question_says_is_not_asked() -> None:
    assert asks(index_of(*SYSTEMS), os="Mac") is None
    assert asks(index_of(*SYSTEMS), os="Linux") is None


def test_only_children_with_displayed_solutions_count() -> None:
    assert asks(index_of(*SYSTEMS, without="b")) is None


def test_one_child_alone_differs_in_nothing() -> None:
    assert asks(index_of(*SYSTEMS[:2])) is None


def test_children_that_fix_different_attributes_leave_no_choice_in_any_of_them() -> None:
    assert asks(index_of(node("p"), node("a", "p", os="Windows"), node("b", "p", device="Phone"))) is None


def test_an_answer_just_behind_is_better_than_a_question_about_a_tree_that_could_be_opened() -> None:
    open_tree = (node("q", os="Mac"), node("r", "q", os="Mac", device="Phone"))
    answered = node("z")
    assert asks(index_of(*open_tree, answered), {"q": 0.6, "r": 0.6, "z": 0.55}) is None
    far = asks(index_of(*open_tree, answered), {"q": 0.9, "r": 0.9, "z": 0.55})
    assert far is not None and far.attribute == "os"


def test_an_accepted_child_settles_the_question_whatever_its_siblings_fix() -> None:
    tree = (node("p"), node("a", "p", os="Mac"), node("b", "p", provider="X"), node("c", "p", provider="Y"))
    assert asks(index_of(*tree), os="Mac") is None


def test_children_in_conflict_are_no_choice() -> None:
    tree = (*SYSTEMS, node("c", "p", os="Linux", device="Phone"))
    question = asks(index_of(*tree), device="Laptop")
    assert question is not None and question.values == ("Mac", "Windows")


def test_children_that_show_the_same_solutions_need_no_question() -> None:
    assert asks(index_of(*SYSTEMS, same="p a b")) is None
    assert asks(index_of(*SYSTEMS, same="a b")) is not None


def test_only_the_best_tree_decides() -> None:
    index = index_of(*SYSTEMS, node("q"))
    assert asks(index, {"q": 0.9}) is None
    assert asks(index, {"p": 0.9}) is not None


def test_a_broader_node_whose_children_differ_in_what_is_unknown_asks_too() -> None:
    tree = (node("p"), node("a", "p", os="Mac", device="Phone"), node("b", "p", os="Mac", device="Laptop"))
    question = asks(index_of(*tree), os="Mac")
    assert question is not None and (question.attribute, question.values) == ("device", ("Laptop", "Phone"))


def test_among_narrower_nodes_of_near_trees_the_question_chooses() -> None:
    index = index_of(node("a", os="Windows"), node("b", os="Mac"), node("far", os="Linux"))
    question = asks(index, {"a": 0.9, "b": 0.88, "far": 0.2})
    assert question is not None and question.values == ("Mac", "Windows")


def test_a_single_narrower_node_asks_whether_it_is_meant() -> None:
    question = asks(index_of(node("a", os="Windows")))
    assert question == Clarification("os", ("Windows",), "Is the operating system Windows?")


def test_the_attribute_that_tells_most_is_asked() -> None:
    tree = (
        node("p"),
        node("a", "p", os="Windows", device="Laptop"),
        node("b", "p", os="Mac", device="Laptop"),
        node("c", "p", os="Linux", device="Laptop"),
        node("d", "p", os="Android", device="Phone"),
    )
    question = asks(index_of(*tree))
    assert question is not None and question.attribute == "os"


def test_candidates_weigh_by_similarity() -> None:
    tree = (
        node("p"),
        node("a", "p", os="Windows", device="Laptop"),
        node("b", "p", os="Windows", device="Phone"),
        node("c", "p", os="Mac", device="Tablet", provider="X"),
        node("d", "p", os="Mac", device="Tablet", provider="Y"),
    )
    near_devices = asks(index_of(*tree), {"a": 0.9, "b": 0.9, "c": 0.5, "d": 0.5})
    near_providers = asks(index_of(*tree), {"a": 0.4, "b": 0.4, "c": 0.9, "d": 0.9})
    assert near_devices is not None and near_devices.attribute == "device"
    assert near_providers is not None and near_providers.attribute == "provider"


def test_information_gain_is_mutual_information() -> None:
    tree = (node("p"), node("a", "p", os="Windows"), node("b", "p", os="Mac"), node("c", "p", os="Windows+Mac"))
    question = Asked(index_of(*tree), {})
    assert information_gain("os", {"a": 1.0, "b": 1.0}, question) == pytest.approx(1.0)
    # H(answer) = 1 bit, of which c leaves its own third open: 1 - 1/3.
    assert information_gain("os", {"a": 1.0, "b": 1.0, "c": 1.0}, question) == pytest.approx(2 / 3)
    assert information_gain("device", {"a": 1.0, "b": 1.0}, question) == 0.0
    # Weights 3 to 1: -(3/4 log2 3/4 + 1/4 log2 1/4).
    assert information_gain("os", {"a": 3.0, "b": 1.0}, question) == pytest.approx(0.8112781)


def test_what_the_attribute_cannot_be_is_not_offered() -> None:
    tree = (node("p"), *(node(d, "p", device=d) for d in ("Laptop", "Phone", "Tablet")))
    question = asks(index_of(*tree), within="Phone+Tablet")
    assert question is not None and question.values == ("Phone", "Tablet")
    assert asks(index_of(*tree), within="Phone") is None


@pytest.mark.parametrize(
    ("attribute", "values", "text"),
    [
        ("secondary_device", ["Laptop", "Phone", "Tablet"], "Which secondary device is it: Laptop, Phone or Tablet?"),
        ("mail-provider", ["Gmail", "Yahoo"], "Which mail provider is it: Gmail or Yahoo?"),
        ("condition", ["Asthma", "NONE"], "Which condition is it: Asthma or none?"),
        ("OS", ["Mac"], "Is the operating system Mac?"),
    ],
)
def test_the_question_in_words(attribute: str, values: list[str], text: str) -> None:
    assert wording(attribute, values) == text


def test_nothing_found_asks_nothing() -> None:
    index = index_of(*SYSTEMS)
    assert clarify((), Asked(index, {}), np.zeros(3)) is None
