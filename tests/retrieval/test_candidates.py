"""What can be shown: rows by document, the passage a solution stands in, and passages that people took out of sight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autokb.core.nouns import Passage, Solution
from autokb.retrieval.solution_index import SolutionIndex, without_rejected
from small_index import chooser, node, passage, solution

SECTIONS = (
    passage("first", "Guide", "Pair", "On Android", at=0),
    passage("second", "Guide", "Pair", "On iOS", at=20),
    passage("other", "Guide", "Charge", at=40),
    passage("of-faq", "Guide", "Pair", "On Android", document="faq.md", at=0),
)


def index(*solutions: Solution, passages: tuple[Passage, ...] = SECTIONS) -> SolutionIndex:
    return chooser([node("p")], solutions, passages).shown


def names(passages: list[Passage]) -> list[str]:
    return [p.solution.id for p in passages]


def test_rows_are_those_of_the_document_that_is_cited_first() -> None:
    by_hand = solution("by-hand", "p", document="", rank=0)
    shown = index(solution("built", "p"), by_hand)
    rows = {d: {shown.solutions[r].id for r in rows} for d, rows in shown.rows_of.items()}
    assert rows == {"guide.md": {"built", "first", "second", "other"}, "faq.md": {"of-faq"}, "by-hand": {"by-hand"}}
    assert [shown.solutions[r].id for r in shown.by_hand] == ["by-hand"]
    assert all(shown.solutions[row].id == name for name, row in shown.row_of.items())


def test_a_passage_has_no_node_and_the_rank_of_the_best() -> None:
    shown = index(solution("third", "p", rank=3))
    nodes = {s.id: (shown.nodes[n], shown.ranks[n]) for n, s in enumerate(shown.solutions)}
    assert nodes["third"] == (0, 3.0)
    assert nodes["first"] == (-1, 1.0)


def test_a_withheld_passage_is_in_no_row() -> None:
    withheld = replace(SECTIONS[0], solution=replace(SECTIONS[0].solution, status="withheld"))
    shown = index(passages=(withheld, SECTIONS[1]))
    assert [s.id for s in shown.solutions] == ["second"]


def test_the_best_passage_of_a_document_counts_and_solutions_do_not() -> None:
    shown = index(solution("built", "p", "tips.md"))
    cosines = {"first": 0.2, "second": 0.6, "other": 0.4, "of-faq": 0.3, "built": 0.9}
    best = shown.best_passages(np.array([cosines[s.id] for s in shown.solutions]))
    assert best.tolist() == [0.3, 0.6, 0.0]  # faq.md, guide.md, tips.md


def test_a_passage_of_a_document_that_is_gone_counts_nowhere() -> None:
    shown = index(passages=(passage("lost", "Guide", document="gone.md"),))
    assert shown.best_passages(np.array([0.9])).tolist() == [0.0, 0.0, 0.0]


def test_a_solution_is_in_the_section_that_its_first_step_touches() -> None:
    inside, outside = solution("inside", "p", at=25), solution("outside", "p", at=500)
    shown = index(inside, outside)
    assert shown.section_of(inside) == SECTIONS[1]
    assert shown.section_of(outside) is None
    assert shown.section_of(SECTIONS[2].solution) == SECTIONS[2]
    assert shown.section_of(solution("by-hand", "p", document="")) is None


def test_a_section_that_brings_another_s_steps_is_not_taken_for_it() -> None:
    codes = passage("codes", "Guide", "Codes", at=0)
    brought = replace(codes.solution, evidence=(*codes.solution.evidence, *solution("x", "", at=40).evidence))
    codes, flow = replace(codes, solution=brought), passage("flow", "Guide", "No flow", at=40)
    shown = index(inside := solution("inside", "p", at=42), passages=(codes, flow))
    assert shown.section_of(inside) == flow
    later = replace(
        codes, solution=replace(brought, evidence=(brought.evidence[1], *solution("z", "", at=44).evidence))
    )
    assert index(inside, passages=(codes, later)).section_of(inside) == later
    assert index(solution("y", "p", at=42), passages=(codes,)).section_of(inside) == codes


def test_words_are_looked_for_in_the_whole_section_and_the_headings_above_it() -> None:
    explained = replace(SECTIONS[2], section="Charge\nThe lamp pulses while it charges.")
    shown = index(solution("built", "p", at=42), passages=(*SECTIONS[:2], explained))
    for asked in ("the lamp pulses", "my guide"):
        shares = dict(zip((s.id for s in shown.solutions), shown.words.shares(asked), strict=True))
        assert shares["other"] == shares["built"] > 0


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
