"""What can be shown: a row a section with the views that nodes have of it, and what people took out of sight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autokb.core.attributes import Match
from autokb.core.domain import Urgent
from autokb.core.nouns import Passage, Solution
from autokb.retrieval.candidates import (
    Candidate,
    Candidates,
    candidates_of,
    cited_first,
    searched_texts,
    without_rejected,
)
from autokb.retrieval.knowledge_index import KnowledgeIndex, QuestionMatch
from autokb.retrieval.search import build_index
from small_index import candidates, node, passage, solution

SECTIONS = (
    passage("first", "Guide", "Pair", "On Android", at=0),
    passage("second", "Guide", "Pair", "On iOS", at=20),
    passage("other", "Guide", "Charge", at=40),
    passage("of-faq", "Guide", "Pair", "On Android", document="faq.md", at=0),
)


def index(*solutions: Solution, passages: tuple[Passage, ...] = SECTIONS) -> Candidates:
    return candidates([node("p")], solutions, passages)[0]


def names(passages: list[Passage]) -> list[str]:
    return [p.solution.id for p in passages]


def shown(found: Candidates) -> list[str]:
    return [one.solution.id for one in found.rows]


def views(found: Candidates) -> dict[str, list[str]]:
    return {one.solution.id: [view.id for view in one.views] for one in found.rows if one.views}


# -- rows and views ---------------------------------------------------------------------------------------------------


def test_sections_are_the_first_rows_and_solutions_without_one_follow() -> None:
    found = index(solution("inside", "p", at=25), solution("outside", "p", at=500), solution("by-hand", "p", ""))
    assert shown(found) == ["first", "second", "other", "of-faq", "by-hand", "outside"]
    assert [one.passage for one in found.rows] == [*SECTIONS, None, None]
    assert views(found) == {"second": ["inside"], "by-hand": ["by-hand"], "outside": ["outside"]}


def test_the_views_of_a_section_come_in_the_order_of_the_build() -> None:
    third, one, also = (solution(name, "p", rank=n, at=25) for name, n in (("third", 3), ("one", 1), ("also", 1)))
    assert views(index(third, one, also)) == {"second": ["also", "one", "third"]}


def test_a_section_or_view_is_found_by_its_solution_and_by_its_document() -> None:
    found = index(solution("inside", "p", at=25), solution("by-hand", "p", ""))
    assert {name: shown(found)[row] for name, row in found.row_of.items()} == {
        **{name: name for name in ("first", "second", "other", "of-faq", "by-hand")},
        "inside": "second",
    }
    by_document = {document: [shown(found)[row] for row in rows] for document, rows in found.rows_of.items()}
    assert by_document == {"guide.md": ["first", "second", "other"], "faq.md": ["of-faq"], "by-hand": ["by-hand"]}
    # faq.md, guide.md, tips.md; a solution by hand is of no document
    assert (found.documents, found.columns.tolist()) == (3, [1, 1, 1, 0, -1])


def test_a_withheld_passage_or_solution_is_in_no_row() -> None:
    withheld = replace(SECTIONS[0], solution=replace(SECTIONS[0].solution, status="withheld"))
    hidden = replace(solution("hidden", "p", at=25), status="hidden")
    found = index(hidden, solution("cited-first", "p", at=0), passages=(withheld, SECTIONS[1]))
    assert shown(found) == ["second", "cited-first"]
    assert views(found) == {"cited-first": ["cited-first"]}


def test_what_is_embedded_is_the_whole_section_under_its_headings_and_its_heading_with_the_one_above() -> None:
    explained = replace(SECTIONS[0], section="On Android\nThe lamp pulses meanwhile.")
    alone = solution("alone", "p", at=500)
    rows = [Candidate(explained.solution, explained, ()), Candidate(alone, None, (alone,))]
    assert [(one.heading, one.searched_headings, one.searched_text) for one in rows] == [
        ("On Android", "Pair: On Android", "Guide: Pair: On Android. On Android\nThe lamp pulses meanwhile."),
        ("text of alone", "text of alone", "text of alone"),
    ]
    assert searched_texts([*rows, *rows]) == [rows[0].searched_text, "Pair: On Android", "text of alone"]
    twice = Candidate(explained.solution, replace(explained, headings=("Pair", "Pair"), section="Pair"), ())
    assert (twice.searched_headings, twice.searched_text) == ("Pair", "Pair. Pair")


def test_rows_have_the_vectors_of_their_texts_and_nothing_to_show_has_none() -> None:
    section = replace(passage("one", "Guide", "Pair"), section="all of it")
    knowledge = KnowledgeIndex.of([], [], {}, [section.solution])
    chunks = build_index(["guide.md"], [], [], np.zeros((0, 2), dtype=np.float32))
    found = candidates_of(knowledge, [section])
    vectors = {"Guide: Pair. all of it": np.array([1, 0], np.float32), "Guide: Pair": np.array([0, 1], np.float32)}
    made = Candidates.of(found, knowledge, vectors, chunks)
    assert (made.vectors.tolist(), made.headings.tolist()) == ([[1, 0]], [[0, 1]])
    empty = Candidates.of([], knowledge, {}, chunks)
    assert empty.vectors.shape == empty.headings.shape == (0, 2)
    assert empty.best_of_documents(np.zeros(0)).tolist() == [0.0]
    assert empty.audiences == () and len(empty.view_audiences) == 0


# -- whom rows are for ------------------------------------------------------------------------------------------------


def test_views_for_the_same_customers_are_compared_once() -> None:
    issues = [node("p"), node("p-mac", "p", os="Mac"), node("q")]
    solutions = [
        solution("for-all", "p", at=25),
        solution("for-mac", "p-mac", at=25, os="Mac"),
        solution("alone", "q", "tips.md", at=500, os="Windows"),
    ]
    sections = (passage("linux", "Guide", "Linux", os="Linux"), passage("all", "Guide", "All", at=20))
    found, knowledge = candidates(issues, solutions, sections)
    assert len(found.audiences) == 3  # everybody, Windows and Mac; no view is for Linux
    asked = QuestionMatch(knowledge, {"os": frozenset({"Mac"})})
    seen = [asked.match(found.audiences[n]) for n in found.view_audiences]
    viewed = [
        (shown(found)[row], knowledge.ids[n], match)
        for row, n, match in zip(found.view_rows, found.view_nodes, seen, strict=True)
    ]
    assert sorted(viewed) == [
        ("all", "p", Match.BROADER),
        ("all", "p-mac", Match.EXACT),
        ("alone", "q", Match.CONFLICT),
    ]


# -- scores of documents, and warnings --------------------------------------------------------------------------------


def test_a_document_has_the_best_score_of_its_rows_and_one_without_rows_the_least() -> None:
    found = index(solution("by-hand", "p", ""))
    scores = np.array([0.2, 0.6, 0.4, -0.3, 0.9])  # first, second, other, of-faq, by-hand
    assert found.best_of_documents(scores, least=-1.0).tolist() == [-0.3, 0.6, -1.0]
    assert found.best_of_documents(scores).tolist() == [0.0, 0.6, 0.0]


def test_a_passage_of_a_document_that_is_gone_counts_nowhere() -> None:
    found = index(passages=(passage("lost", "Guide", document="gone.md"),))
    assert found.best_of_documents(np.array([0.9])).tolist() == [0.0, 0.0, 0.0]


def test_the_rows_that_warnings_name() -> None:
    found = index()
    on_android = Urgent("smoke", ("smoke",), "on android")
    assert found.named_by([on_android]) == {0, 3}
    assert found.named_by([replace(on_android, document="faq.md"), Urgent("hot", ("hot",), "Charge")]) == {2, 3}
    assert found.named_by([Urgent("fire", ("fire",), "Nowhere")]) == found.named_by([]) == frozenset()


SCORES = np.array([0.3, 0.1, 0.2, 0.9, 0.8])


@pytest.mark.parametrize(
    ("warnings", "expected"),
    [
        ([("On Android", "guide.md")], ["first"]),
        ([("on ANDROID", "")], ["of-faq"]),  # of two with the heading the better one
        ([("On iOS", ""), ("On Android", "guide.md")], ["second", "first"]),  # the gravest first
        ([("Charge", ""), ("Charge", "guide.md")], ["other"]),
        ([("Pair", "")], []),  # a heading above others is no section
        ([("Charge", "faq.md")], []),
        ([("text of by-hand", "")], []),  # no section of a document
    ],
)
def test_warnings_are_the_sections_of_that_heading(warnings: list[tuple[str, str]], expected: list[str]) -> None:
    found = index(solution("by-hand", "p", ""))
    urgent = [Urgent("w", ("smoke",), section, document) for section, document in warnings]
    assert [shown(found)[row] for row in found.warnings(urgent, SCORES)] == expected


# -- the section of a solution ----------------------------------------------------------------------------------------


def test_a_solution_is_in_the_section_that_its_first_step_touches() -> None:
    inside, outside, by_hand = solution("inside", "p", at=25), solution("out", "p", at=500), solution("hand", "p", "")
    found = index(inside, outside, by_hand)
    assert found.section_of(inside) == SECTIONS[1]
    assert found.section_of(SECTIONS[2].solution) == SECTIONS[2]
    assert found.section_of(outside) is None and found.section_of(by_hand) is None
    assert found.section_of(solution("unknown", "p")) is None


def test_a_section_that_brings_another_s_steps_is_not_taken_for_it() -> None:
    codes = passage("codes", "Guide", "Codes", at=0)
    brought = replace(codes.solution, evidence=(*codes.solution.evidence, *solution("x", "", at=40).evidence))
    codes, flow = replace(codes, solution=brought), passage("flow", "Guide", "No flow", at=40)
    inside = solution("inside", "p", at=42)
    assert index(inside, passages=(codes, flow)).section_of(inside) == flow
    later = replace(
        codes, solution=replace(brought, id="later", evidence=(brought.evidence[1], *solution("z", "", at=44).evidence))
    )
    assert index(inside, passages=(codes, later)).section_of(inside) == later
    assert index(inside, passages=(codes,)).section_of(inside) == codes


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Frothing with the wand", "Frothing with the carafe", True),
        ("On the wand", "On the carafe", True),
        ("The wand drips", "The carafe stays cold and leaks", False),
    ],
)
def test_sections_about_the_same_matter_differ_by_values_alone(one: str, other: str, same: bool) -> None:
    first = passage("first", "Milk", one, at=0, device="wand")
    second = passage("second", "Milk", other, at=20, device="carafe")
    elsewhere = passage("elsewhere", "Milk", one, document="faq.md", at=0, device="wand")
    found = names(index(passages=(first, second, elsewhere)).about_the_same(first))
    assert found == (["first", "second"] if same else ["first"])


def test_steps_under_one_heading_for_different_readers_are_about_the_same() -> None:
    windows, mac = (passage(os, "Remove it", at=n, os=os) for n, os in enumerate(("Windows", "Mac")))
    assert names(index(passages=(windows, mac)).about_the_same(windows)) == ["Windows", "Mac"]


# -- out of sight -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["rejected", "hidden"])
def test_what_people_took_out_of_sight_takes_its_passage_along(status: str) -> None:
    gone = replace(solution("gone", "p", at=20), status=status)
    assert names(without_rejected(SECTIONS, [gone])) == ["first", "other", "of-faq"]


def test_a_place_that_another_node_still_shows_stays() -> None:
    gone = replace(solution("gone", "p", at=20), status="rejected")
    assert without_rejected(SECTIONS, [gone, solution("shown", "q", at=20)]) == list(SECTIONS)


def test_a_solution_that_a_rule_withheld_takes_no_passage_along() -> None:
    withheld = replace(solution("withheld", "p", at=20), status="withheld")
    by_hand = replace(solution("by-hand", "p", document=""), status="rejected")
    assert without_rejected(SECTIONS, [withheld, by_hand]) == list(SECTIONS)


def test_a_solution_is_shown_for_the_document_that_it_cites_first() -> None:
    both = (*solution("a", "p", "tips.md").evidence, *solution("b", "p").evidence)
    assert cited_first(replace(solution("x", "p"), evidence=both)) == "tips.md"
    assert cited_first(solution("by-hand", "p", "")) == "by-hand"
