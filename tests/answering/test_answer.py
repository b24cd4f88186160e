"""The answer: its three outcomes, its order and its shape."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from autokb.answering.answer import FAR_BEHIND, Answer, answer
from autokb.core.nouns import Evidence, Hit, Passage, Solution
from small_index import node, passage, presentation, solution
from work_count import python_lines

PARENT, WINDOWS, MAC = node("p"), node("w", "p", os="Windows"), node("m", "p", os="Mac")
TREE = (PARENT, WINDOWS, MAC)
GENERAL, ON_WINDOWS, ON_MAC = (
    solution("general", "p"),
    solution("on-windows", "w", at=20, os="Windows"),
    solution("on-mac", "m", at=40, os="Mac"),
)
SECTIONS = (
    passage("for-windows", "Pair", "On Windows", at=20, os="Windows"),
    passage("for-mac", "Pair", "On a Mac", at=40, os="Mac"),
)


def given(
    solutions: list[Solution],
    passages: tuple[Passage, ...] = (),
    refused: str | None = None,
    k: int = 5,
    scores: dict[str, float] | None = None,
    **said: str,
) -> Answer:
    question = presentation(TREE, solutions, passages, scores=scores, nodes={"p": 0.5, "w": 0.9, "m": 0.2}, **said)
    return answer("It won't pair", question, refused=refused, k=k)


def test_answered_with_the_node_of_the_right_granularity() -> None:
    scores = {"on-windows": 0.9}
    one = given([GENERAL, ON_WINDOWS, ON_MAC], scores=scores, os="Windows", device="Any")
    assert (one.outcome, one.question, one.reason, one.passages) == ("answered", None, None, ())
    assert [(m.issue.id, str(m.match), m.similarity) for m in one.matches] == [("w", "exact", 0.9)]
    assert one.matches[0].solutions == (ON_WINDOWS, GENERAL)


def test_asks_and_keeps_the_best_so_far() -> None:
    one = given([ON_WINDOWS, ON_MAC], SECTIONS)
    assert one.outcome == "asks"
    assert one.question is not None and one.question.attribute == "os"
    assert [m.issue.id for m in one.matches] == ["p"]
    assert one.matches[0].solutions == (ON_WINDOWS, ON_MAC)


def test_abstains_for_the_reason_that_it_was_refused_but_names_documents() -> None:
    one = given([GENERAL], SECTIONS, refused="off topic")
    assert (one.outcome, one.question, one.matches, one.passages) == ("abstains", None, (), ())
    assert one.reason == "off topic"
    assert one.documents[0] == Hit("guide.md", 0.5)


def test_passages_answer_where_no_node_fits() -> None:
    one = given([ON_MAC], SECTIONS, os="Windows")
    assert (one.outcome, one.matches) == ("answered", ())
    assert [(p.document, p.heading, p.solution.id) for p in one.passages] == [("guide.md", "On Windows", "for-windows")]


def test_abstains_where_neither_node_nor_passage_fits() -> None:
    one = given([ON_MAC], (SECTIONS[1],), os="Windows")
    assert (one.outcome, one.matches, one.passages) == ("abstains", (), ())
    assert one.reason == "What is known near the question is not for what it says: operating system Windows."


def test_abstains_where_the_documents_have_nothing_to_show() -> None:
    one = given([], os="Windows")
    assert (one.outcome, one.matches, one.passages) == ("abstains", (), ())
    assert one.reason == "The documents near the question hold nothing that could be shown as an answer."


def test_sections_that_no_node_shows_follow_the_matches_before_them() -> None:
    faq = passage("of-faq", "Other", document="faq.md")
    behind = given([GENERAL], (faq,), scores={"general": 0.9, "of-faq": 0.4})
    assert [m.issue.id for m in behind.matches] == ["p"]
    assert [p.solution.id for p in behind.passages] == ["of-faq"]
    before = given([GENERAL], (faq,), scores={"general": 0.4, "of-faq": 0.9})
    assert before.matches == ()
    assert [p.solution.id for p in before.passages] == ["of-faq", "general"]
    assert [s.id for s in before.shown] == ["of-faq", "general"]


def test_an_urgent_warning_is_answered_and_nothing_is_asked_back() -> None:
    warning = passage("warning", "Call for help", document="faq.md")
    question = presentation(
        TREE, [ON_WINDOWS, ON_MAC], (*SECTIONS, warning), scores={"warning": 0.0}, urgent=["warning"]
    )
    one = answer("Smoke comes out of it", question)
    assert (one.outcome, one.question, one.matches) == ("answered", None, ())
    assert one.passages[0].heading == "Call for help" and one.urgent == {one.passages[0].solution.id}


def test_a_warning_for_which_the_words_did_not_call_asks_back_as_any_section() -> None:
    question = presentation(TREE, [ON_WINDOWS, ON_MAC], SECTIONS)
    first = question.choose(1)[0].row
    one = answer("It won't pair", question, warnings={first})
    assert one.outcome == "asks" and one.urgent == {one.shown[0].id}


def test_a_match_a_tree_in_the_order_of_the_first_that_speaks_through_it() -> None:
    issues = (*TREE, node("q"))
    some = [solution("a", "p", "guide.md"), solution("b", "q", "faq.md"), solution("c", "p", "tips.md")]
    one = answer("x", presentation(issues, some, scores={"b": 0.9, "a": 0.8, "c": 0.7}))
    assert [(m.issue.id, [s.id for s in m.solutions]) for m in one.matches] == [("q", ["b"]), ("p", ["a", "c"])]


def test_what_a_person_wrote_comes_first_on_its_node() -> None:
    by_hand = solution("by-hand", "p", document="", rank=0)
    one = given([GENERAL, by_hand])
    assert [s.id for s in one.matches[0].solutions] == ["by-hand", "general"]


def test_what_a_person_wrote_is_as_near_as_what_it_comes_before() -> None:
    """Its own words may say little of the question; what comes first is no help that nobody would send."""
    issues = (*TREE, node("q"))
    own = [solution(name, name[-1], document="", rank=0) for name in ("own-p", "own-q")]
    built = [solution("built-p", "p"), solution("built-q", "q", "faq.md")]
    scores = {"built-p": 0.9 + 2 * FAR_BEHIND, "own-p": 0.1, "built-q": 0.2, "own-q": 0.1}
    one = answer("x", presentation(issues, [*built, *own], scores=scores))
    assert [s.id for s in one.shown] == ["own-p", "built-p", "own-q", "built-q"]
    assert one.far == {"own-q", "built-q"}


def test_k_bounds_every_list() -> None:
    issues = [node(f"q{n}") for n in range(4)]
    documents = ("guide.md", "faq.md", "tips.md")
    some = [solution(f"s{i.id}-{d}", i.id, d) for i in issues for d in documents]
    sections = [passage(f"p-{d}", "H", document=d) for d in documents]
    one = answer("x", presentation(issues, some, sections), k=2)
    assert len(one.matches) <= 2 and len(one.documents) == 2
    assert all(len(m.solutions) <= 2 for m in one.matches)
    none_fit = answer("x", presentation(issues, [], sections), k=2)
    assert len(none_fit.passages) == 2


def test_the_shape_is_the_interface_s() -> None:
    one = replace(given([ON_WINDOWS]), seconds=0.004).as_json()
    body = {
        "id": "on-windows",
        "text": "text of on-windows",
        "steps": ["Do on-windows."],
        "attributes": {"device": ["Any"], "os": ["Windows"]},
        "evidence": [{"document": "guide.md", "start": 20, "end": 30, "quote": "ten letter"}],
    }
    assert json.loads(json.dumps(one)) == {
        "query": "It won't pair",
        "attributes": {},
        "outcome": "answered",
        "question": None,
        "matches": [
            {
                "issue": {
                    "id": "p",
                    "text": "text of p",
                    "parent_id": None,
                    "attributes": {"device": ["Any"], "os": ["Any"]},
                },
                "match": "exact",
                "similarity": 0.5,
                "solutions": [body],
            }
        ],
        "passages": [],
        "documents": [
            {"document": "guide.md", "score": 0.5},
            {"document": "faq.md", "score": 0.0},
            {"document": "tips.md", "score": 0.0},
        ],
        "confidence": 0.0,
        "reason": None,
        "seconds": 0.004,
    }
    asked = given([], SECTIONS).as_json()
    assert asked["question"] == {
        "attribute": "os",
        "values": ["Linux", "Mac", "Windows"],
        "text": "Which operating system is it: Linux, Mac, Windows, or something else?",
    }
    assert asked["passages"][0]["document"] == "guide.md" and asked["passages"][0]["heading"] == "On Windows"
    assert {"text", "steps", "attributes", "evidence"} <= asked["passages"][0].keys()


@pytest.mark.parametrize("said", [{}, {"os": "Windows"}])
def test_many_trees_are_answered_without_a_loop_over_them(said: dict[str, str]) -> None:
    def work(trees: int) -> int:
        parents = [node(f"t{n}") for n in range(trees)]
        issues = [*parents, *(node(f"{i.id}-{os}", i.id, os=os) for i in parents for os in ("Mac", "Windows"))]
        documents = [f"d{n}" for n in range(trees)]
        some = [
            replace(solution(f"s{i.id}", i.id), evidence=(Evidence(documents[n % trees], 0, 10, "x"),))
            for n, i in enumerate(issues)
        ]
        scores = dict(zip((s.id for s in some), np.random.default_rng(0).random(len(some)), strict=True))
        question = presentation(issues, some, scores=scores, documents=documents, **said)

        def ask() -> None:
            assert answer("x", replace(question, _trees={})).matches

        return python_lines(ask)

    assert work(2_000) < 1.5 * work(250)
