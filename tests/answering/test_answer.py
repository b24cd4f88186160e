"""The answer: its three outcomes, its order and its shape."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from autokb.answering.answer import Answer, answer
from autokb.core.attributes import Attributes
from autokb.core.domain import Attribute
from autokb.core.nouns import Evidence, Hit, Issue, Solution
from autokb.core.ranking import Ranking
from autokb.retrieval.knowledge_index import Asked, KnowledgeIndex
from autokb.retrieval.match_issues import match_issues
from work_count import python_lines

NAMES = ("device", "os")
ATTRIBUTES = {name: Attribute(name, "open") for name in NAMES}
DOCUMENTS = (Hit("guide.md", 0.8), Hit("faq.md", 0.4), Hit("tips.md", 0.1))
RANKING = Ranking(tuple(hit.id for hit in DOCUMENTS), np.array([hit.score for hit in DOCUMENTS]))


def fixed(**values: str) -> Attributes:
    return {name: frozenset(values.get(name, "Any").split("+")) for name in NAMES}


PARENT = Issue("p", "Will not pair", None, fixed())
WINDOWS = Issue("w", "Will not pair with Windows", "p", fixed(os="Windows"))
MAC = Issue("m", "Will not pair with a Mac", "p", fixed(os="Mac"))


def solution(name: str, issue: Issue, document: str = "guide.md", **values: str) -> Solution:
    evidence = (Evidence(document, 3, 10, "Restart"),)
    return Solution(name, issue.id, "Restart it.", (f"Restart {name}",), fixed(**values), evidence)


GENERAL, ON_WINDOWS, ON_MAC = (
    solution("general", PARENT),
    solution("on-windows", WINDOWS, os="Windows"),
    solution("on-mac", MAC, os="Mac"),
)


def ask(solutions: list[Solution], similarities: list[float], passes: bool = True, k: int = 5, **said: str) -> Answer:
    index = KnowledgeIndex.of([PARENT, WINDOWS, MAC], solutions, ATTRIBUTES)
    row = np.array(similarities)  # rows in order of ids: m, p, w
    asked = Asked(index, {name: frozenset(value.split("+")) for name, value in said.items()})
    trees = match_issues(Ranking(index.ids, row).best(10), asked, row)
    return answer("It won't pair", asked, trees, RANKING, row, passes=passes, k=k)


def test_answered_with_the_node_of_the_right_granularity() -> None:
    given = ask([GENERAL, ON_WINDOWS, ON_MAC], [0.2, 0.9, 0.5], os="Windows", device="Any")
    assert (given.outcome, given.question) == ("answered", None)
    assert [(m.issue.id, str(m.match), m.similarity) for m in given.matches] == [("w", "exact", 0.5)]
    assert given.matches[0].solutions == (ON_WINDOWS,)


def test_asks_and_keeps_the_best_so_far() -> None:
    given = ask([GENERAL, ON_WINDOWS, ON_MAC], [0.2, 0.9, 0.5])
    assert given.outcome == "asks"
    assert given.question is not None and given.question.values == ("Mac", "Windows")
    assert [m.issue.id for m in given.matches] == ["p"]


def test_asks_without_any_node_to_return() -> None:
    given = ask([ON_WINDOWS, ON_MAC], [0.2, 0.9, 0.5])
    assert (given.outcome, given.matches) == ("asks", ())


def test_abstains_when_the_gate_does_not_let_it_pass_but_names_documents() -> None:
    given = ask([GENERAL, ON_WINDOWS, ON_MAC], [0.2, 0.9, 0.5], passes=False)
    assert (given.outcome, given.question, given.matches) == ("abstains", None, ())
    assert given.documents == DOCUMENTS


def test_abstains_when_nothing_can_be_returned_or_asked() -> None:
    given = ask([ON_WINDOWS, ON_MAC], [0.2, 0.9, 0.5], os="Linux")
    assert (given.outcome, given.matches, given.documents) == ("abstains", (), DOCUMENTS)


def test_a_solution_in_conflict_with_the_question_is_left_out() -> None:
    mac_only = solution("mac-only", PARENT, os="Mac")
    given = ask([GENERAL, mac_only], [0.2, 0.9, 0.5], os="Windows")
    assert given.matches[0].solutions == (GENERAL,)


def test_solutions_come_exact_first_then_by_their_document_then_by_id() -> None:
    solutions = [
        solution("z-exact", PARENT, "tips.md", os="Windows"),
        solution("c-wide", PARENT, "tips.md"),
        solution("b-wide", PARENT, "faq.md"),
        solution("d-wide", PARENT, "guide.md"),
        solution("a-wide", PARENT, "guide.md"),
        solution("a-narrow", PARENT, "guide.md", os="Windows", device="Phone"),
    ]
    given = ask(solutions, [0.2, 0.9, 0.5], os="Windows")
    assert [s.id for s in given.matches[0].solutions] == ["z-exact", "a-wide", "d-wide", "b-wide", "c-wide", "a-narrow"]


def test_k_bounds_matches_and_documents() -> None:
    issues = [Issue(f"q{n}", "x", None, fixed()) for n in range(4)]
    index = KnowledgeIndex.of(issues, [solution(f"s{i.id}", i) for i in issues], ATTRIBUTES)
    row = np.array([0.1, 0.4, 0.3, 0.2])
    asked = Asked(index, {})
    given = answer(
        "x", asked, match_issues(Ranking(index.ids, row).best(4), asked, row), RANKING, row, passes=True, k=2
    )
    assert [m.issue.id for m in given.matches] == ["q1", "q2"]
    assert given.documents == DOCUMENTS[:2]


def test_the_shape_is_the_interface_s() -> None:
    given = replace(ask([GENERAL, ON_WINDOWS, ON_MAC], [0.2, 1.0000001, 0.5]), seconds=0.004).as_json()
    assert json.loads(json.dumps(given)) == {
        "query": "It won't pair",
        "attributes": {},
        "outcome": "asks",
        "question": {
            "attribute": "os",
            "values": ["Mac", "Windows"],
            "text": "Which operating system is it: Mac or Windows?",
        },
        "matches": [
            {
                "issue": {
                    "id": "p",
                    "text": "Will not pair",
                    "parent_id": None,
                    "attributes": {"device": ["Any"], "os": ["Any"]},
                },
                "match": "exact",
                "similarity": 1.0,
                "solutions": [
                    {
                        "id": "general",
                        "text": "Restart it.",
                        "steps": ["Restart general"],
                        "attributes": {"device": ["Any"], "os": ["Any"]},
                        "evidence": [{"document": "guide.md", "start": 3, "end": 10, "quote": "Restart"}],
                    }
                ],
            }
        ],
        "documents": [
            {"document": "guide.md", "score": 0.8},
            {"document": "faq.md", "score": 0.4},
            {"document": "tips.md", "score": 0.1},
        ],
        "seconds": 0.004,
    }


def test_no_question_reads_null_and_a_negative_cosine_reads_zero() -> None:
    given = ask([GENERAL], [-0.2, -0.1, -0.3], os="Windows").as_json()
    assert given["question"] is None
    assert given["attributes"] == {"os": ["Windows"]}
    assert given["matches"][0]["similarity"] == 0.0


@pytest.mark.parametrize("said", [{}, {"os": "Windows"}])
def test_many_trees_are_matched_without_a_loop_over_them(said: dict[str, str]) -> None:
    def work(trees: int) -> int:
        parents = [Issue(f"t{n}", "x", None, fixed()) for n in range(trees)]
        systems = ("Mac", "Windows", "iOS")
        issues = [*parents, *(Issue(f"{i.id}-{os}", "x", i.id, fixed(os=os)) for i in parents for os in systems)]
        solutions = [solution(f"s{i.id}-{n}", i) for i in issues for n in range(2)]
        index = KnowledgeIndex.of(issues, solutions, ATTRIBUTES)
        row = np.random.default_rng(0).random(len(issues))

        def question() -> None:
            asked = Asked(index, {name: frozenset({value}) for name, value in said.items()})
            found = match_issues(Ranking(index.ids, row).best(50), asked, row)
            assert len(found) <= 50
            answer("x", asked, found, RANKING, row, passes=True)

        return python_lines(question)

    assert work(2_000) < 1.5 * work(250)
