"""Clusters of several problems are told apart by the documents."""

from __future__ import annotations

import numpy as np
import pytest

from autokb.issues.answering_sections import AnsweringSections
from autokb.issues.same_problem import Problem, SameProblem, SplitPart, log_odds, log_odds_of_pairs

RESET, DESCALE = np.eye(4)[:2]
VECTORS = {
    "a": np.array([0.9, 0.0, 0.436, 0.0]),
    "b": np.array([0.88, 0.0, 0.475, 0.0]),
    "c": np.array([0.0, 0.9, 0.436, 0.0]),
    "d": np.array([0.0, 0.88, 0.475, 0.0]),
    "e": np.array([0.0, 0.86, 0.51, 0.0]),
}


def sections(*about: np.ndarray) -> AnsweringSections:
    rows = np.array(about).reshape(-1, 4)
    subjects = np.arange(len(about), dtype=np.int64)
    return AnsweringSections(
        rows, rows, rows, subjects, np.ones(len(about), dtype=np.bool_), [(f"{n}.md", 0, 9) for n in subjects]
    )


def split(
    *members: str, seed: str = "a", documents: AnsweringSections | None = None, **outcomes: str
) -> list[SplitPart]:
    helped = {raw: (document,) for raw, document in outcomes.items()}
    same_problem = SameProblem(documents or sections(RESET, DESCALE), VECTORS, helped)
    return sorted(same_problem.parts(seed, members), key=lambda part: part.members)


def test_a_cluster_whose_issues_other_sections_answer_is_split() -> None:
    home, other = split("a", "b", "c", "d", "e")
    assert home == SplitPart("a", ("a", "b"), "a")
    assert other == SplitPart("d", ("c", "d", "e"), "a"), "the member nearest to the middle leads it"


def test_the_part_of_the_seed_keeps_it_whatever_is_central() -> None:
    assert [part.lead for part in split("a", "b", "c", "d", "e", seed="e")] == ["a", "e"]


def test_a_cluster_of_one_problem_stays() -> None:
    assert split("a", "b") == [SplitPart("a", ("a", "b"), "a")]
    assert split("a") == [SplitPart("a", ("a",), "a")]


def test_without_documents_no_cluster_is_split() -> None:
    assert len(split("a", "b", "c", "d", documents=sections())) == 1


def test_other_words_alone_are_no_sure_evidence_of_two_problems() -> None:
    near = {"x": np.array([0.8, 0.0, 0.6, 0.0]), "y": np.array([0.8, 0.0, 0.0, 0.6])}
    alike = SameProblem(sections(RESET), near, {})
    assert [part.members for part in alike.parts("x", ("x", "y"))] == [("x", "y")]


def test_the_odds_of_all_pairs_are_those_of_each() -> None:
    problems = [
        Problem(VECTORS["a"], np.array([0.9, 0.1]), frozenset({"a.md"})),
        Problem(VECTORS["c"], np.array([0.2, 0.8]), frozenset({"b.md"})),
        Problem(VECTORS["d"], np.array([0.5, 0.5])),
    ]
    each = [[log_odds(one, other) for other in problems] for one in problems]
    assert log_odds_of_pairs(problems) == pytest.approx(np.array(each))
    assert log_odds_of_pairs(problems[2:]).shape == (1, 1)
