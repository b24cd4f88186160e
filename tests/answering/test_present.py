"""What is shown: the best candidates that fit, each as the nearest accepted node sees it."""

from __future__ import annotations

from dataclasses import replace

from autokb.answering.present import Choice
from small_index import node, passage, presentation, solution

PARENT, WINDOWS, MAC = node("p"), node("w", "p", os="Windows"), node("m", "p", os="Mac")
TREE = (PARENT, WINDOWS, MAC)


def ids(choices: list[Choice]) -> list[str]:
    return [choice.solution.id for choice in choices]


def test_the_best_come_first_whatever_they_are() -> None:
    section = passage("section", "Guide", "Pair", at=40)
    some = [solution("of-guide", "p", "guide.md"), solution("of-faq", "p", "faq.md")]
    shown = presentation(TREE, some, (section,), scores={"of-guide": 0.2, "of-faq": 0.9, "section": 0.6})
    assert ids(shown.choose(5)) == ["of-faq", "section", "of-guide"]
    assert ids(shown.choose(2)) == ["of-faq", "section"]


def test_two_of_the_first_three_are_from_one_document_and_the_third_waits() -> None:
    some = [solution(f"g{n}", "p", at=20 * n) for n in range(3)] + [solution("faq", "p", "faq.md")]
    shown = presentation(TREE, some, scores={"g0": 0.9, "g1": 0.8, "g2": 0.7, "faq": 0.1})
    assert ids(shown.choose(5)) == ["g0", "g1", "faq", "g2"]
    assert ids(shown.choose(3)) == ["g0", "g1", "faq"]


def test_a_document_alone_fills_every_place() -> None:
    some = [solution(f"g{n}", "p", at=20 * n) for n in range(4)]
    shown = presentation(TREE, some, scores={"g0": 0.9, "g1": 0.8, "g2": 0.7, "g3": 0.6})
    assert ids(shown.choose(5)) == ["g0", "g1", "g2", "g3"]


def test_the_same_steps_are_shown_once() -> None:
    first = solution("a", "p")
    again = replace(solution("b", "p", "faq.md"), steps=first.steps)
    assert ids(presentation(TREE, [first, again], scores={"a": 0.9}).choose(5)) == ["a"]


def test_a_section_is_shown_as_the_nearest_tree_sees_it() -> None:
    section = passage("section", "Guide", "Pair")
    some = [solution("far", "p"), solution("near", "q")]
    shown = presentation((*TREE, node("q")), some, (section,), nodes={"p": 0.3, "q": 0.8})
    assert ids(shown.choose(5)) == ["near"]
    assert ids(presentation(TREE, [], (section,)).choose(5)) == ["section"]


def test_a_view_that_holds_for_everybody_comes_before_one_that_is_open() -> None:
    some = [solution("for-all", "p"), solution("for-mac", "m", os="Mac")]
    section = passage("section", "Guide", "Pair")
    assert ids(presentation(TREE, some, (section,), nodes={"m": 0.9}).choose(1)) == ["for-all"]
    assert ids(presentation(TREE, some, (section,), nodes={"m": 0.9}, os="Mac").choose(1)) == ["for-mac"]


def test_in_one_tree_the_view_of_the_node_that_fits_exactly_comes_first() -> None:
    some = [solution("for-all", "p"), solution("for-mac", "m", os="Mac")]
    section = passage("section", "Guide", "Pair")
    nodes = {"p": 0.9, "m": 0.5}
    assert ids(presentation(TREE, some, (section,), nodes=nodes, os="Mac").choose(1)) == ["for-mac"]
    assert ids(presentation(TREE, some, (section,), nodes=nodes, os="Windows").choose(1)) == ["for-all"]


def test_what_is_for_others_is_not_shown_however_good() -> None:
    mac = passage("mac", "Guide", "On a Mac", at=40, os="Mac")
    some = [solution("on-windows", "w", os="Windows"), solution("on-mac", "m", at=20, os="Mac")]
    shown = presentation(TREE, some, (mac,), scores={"mac": 0.9, "on-mac": 0.8}, os="Windows")
    assert ids(shown.choose(5)) == ["on-windows"]


def test_a_node_shows_its_ancestors_solutions_and_its_open_children_s() -> None:
    some = [
        solution("on-parent", "p"),
        solution("on-windows", "w", at=20, os="Windows"),
        solution("on-mac", "m", at=40, os="Mac"),
    ]
    assert set(ids(presentation(TREE, some, os="Windows").choose(5))) == {"on-parent", "on-windows"}
    assert set(ids(presentation(TREE, some).choose(5))) == {"on-parent", "on-windows", "on-mac"}
    assert set(ids(presentation(TREE, some, os="Linux").choose(5))) == {"on-parent"}


def test_a_tree_whose_root_fixes_what_is_open_shows_nothing() -> None:
    assert presentation([node("r", os="Mac")], [solution("a", "r", os="Mac")]).choose(5) == []


def test_a_solution_by_hand_competes_by_its_own_score() -> None:
    some = [solution("by-hand", "q", document=""), solution("built", "p")]
    for score, first in ((0.9, "by-hand"), (0.1, "built")):
        shown = presentation((*TREE, node("q")), some, scores={"by-hand": score})
        assert ids(shown.choose(5))[0] == first


def test_urgent_warnings_come_before_all_else_also_those_for_others() -> None:
    warning = passage("warning", "Guide", "Call for help", at=60, os="Mac")
    some = [solution("best", "p")]
    shown = presentation(TREE, some, (warning,), scores={"best": 0.9, "warning": 0.1}, urgent=["warning"], os="Windows")
    assert ids(shown.choose(5)) == ["warning", "best"]


def test_of_two_that_are_level_the_first_of_the_knowledge_base_comes_first() -> None:
    some = [solution("b", "p", at=20), solution("a", "p", at=40)]
    assert ids(presentation(TREE, some).choose(5)) == ["a", "b"]
