"""What is shown: each likely document gives the best of its solutions that the accepted nodes of their trees show."""

from __future__ import annotations

import pytest

from autokb.retrieval.weights import Weights
from small_index import chooser, node, passage, ranking, solution

PARENT, WINDOWS, MAC = node("p"), node("w", "p", os="Windows"), node("m", "p", os="Mac")
TREE = (PARENT, WINDOWS, MAC)


def ids(choices: object) -> list[str]:
    return [c.solution.id for c in choices]  # type: ignore[attr-defined]


def test_documents_come_in_their_order_whoever_cites_them_first() -> None:
    some = [solution("of-guide", "p", "guide.md", rank=2), solution("of-faq", "p", "faq.md", rank=1)]
    question = chooser(TREE, some, nodes={"p": 0.9})
    assert ids(question.choose(["guide.md", "faq.md"], 5)) == ["of-guide", "of-faq"]
    assert ids(question.choose(["faq.md", "guide.md"], 5)) == ["of-faq", "of-guide"]


def test_the_first_document_gives_a_second_solution_that_says_something_else() -> None:
    first, other = solution("a", "p"), solution("b", "p")
    again = solution("c", "p")
    again = type(again)(**{**{n: getattr(again, n) for n in again.__slots__}, "steps": first.steps})
    question = chooser(TREE, [first, other, again, solution("d", "p", "faq.md"), solution("e", "p", "faq.md")])
    assert ids(question.choose(["guide.md", "faq.md"], 5)) == ["a", "b", "d"]
    assert ids(question.choose(["guide.md", "faq.md"], 1)) == ["a"]


def test_a_document_without_a_fitting_solution_gives_way_to_the_next() -> None:
    some = [solution("mac-only", "p", "guide.md", os="Mac"), solution("for-all", "p", "faq.md")]
    question = chooser(TREE, some, os="Windows")
    assert ids(question.choose(["tips.md", "guide.md", "faq.md"], 5)) == ["for-all"]


def test_inside_a_document_the_question_orders() -> None:
    some = [solution("a", "p", rank=1), solution("b", "p", rank=2)]
    assert ids(chooser(TREE, some, cosines={"b": 0.9}).fitting("guide.md")) == ["b", "a"]
    assert ids(chooser(TREE, some).fitting("guide.md")) == ["a", "b"]  # the build's order, where nothing else tells


def test_the_nearer_node_of_two_that_show_the_same_speaks() -> None:
    other = node("q")
    some = [solution("a", "p"), solution("z", "q")]
    question = chooser((*TREE, other), some, nodes={"p": 0.4, "q": 0.8})
    assert ids(question.fitting("guide.md")) == ["z", "a"]


def test_what_is_stated_speaks_for_a_solution_and_what_is_open_against_it() -> None:
    general, windows = solution("general", "p"), solution("windows", "p", os="Windows")
    assert ids(chooser(TREE, [general, windows], os="Windows").fitting("guide.md")) == ["windows", "general"]
    assert ids(chooser(TREE, [general, windows]).fitting("guide.md")) == ["general", "windows"]


def test_a_node_shows_its_ancestors_solutions_and_its_open_children_s() -> None:
    some = [solution("on-parent", "p"), solution("on-windows", "w", os="Windows"), solution("on-mac", "m", os="Mac")]
    assert set(ids(chooser(TREE, some, os="Windows").fitting("guide.md"))) == {"on-parent", "on-windows"}
    assert set(ids(chooser(TREE, some).fitting("guide.md"))) == {"on-parent", "on-windows", "on-mac"}
    assert set(ids(chooser(TREE, some, os="Linux").fitting("guide.md"))) == {"on-parent"}


def test_a_solution_is_for_whom_its_manual_says_not_for_whom_its_node_is() -> None:
    question = chooser(TREE, [solution("on-windows", "w"), solution("on-parent", "p", rank=2)])
    (first, second) = [choice.solution for choice in question.fitting("guide.md")]
    assert (first.id, first.attributes["os"]) == ("on-windows", frozenset({"Any"}))
    assert question.settles(first) and question.settles(second)


def test_a_tree_whose_root_fixes_what_is_open_shows_nothing() -> None:
    question = chooser([node("r", os="Mac")], [solution("a", "r", os="Mac")])
    assert ids(question.fitting("guide.md")) == []


@pytest.mark.parametrize(("cosine", "first"), [(0.9, "by-hand"), (0.1, "built")])
def test_a_solution_by_hand_is_a_document_of_its_own(cosine: float, first: str) -> None:
    some = [solution("by-hand", "q", document="", rank=0), solution("built", "p")]
    question = chooser(
        (*TREE, node("q")), some, cosines={"by-hand": cosine}, nodes={"q": 0.0}, weights=Weights(nodes=0)
    )
    likely = question.rank(ranking("guide.md"), ranking("guide.md"), 3)
    assert ids(question.choose(likely, 5))[0] == first


def test_passages_are_chosen_like_solutions_and_stay_apart_from_them() -> None:
    sections = [
        passage("first", "Guide", "Reset", at=0),
        passage("second", "Guide", "Pair", at=20),
        passage("mac", "Guide", "On a Mac", at=40, os="Mac"),
    ]
    question = chooser(TREE, [solution("a", "p")], sections, cosines={"second": 0.8, "mac": 0.9}, os="Windows")
    assert ids(question.choose_passages(["guide.md"], 5)) == ["second", "first"]
    assert ids(question.choose(["guide.md"], 5)) == ["a"]
