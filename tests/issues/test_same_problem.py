"""Whether two problems are the same one."""

from __future__ import annotations

import numpy as np
import pytest

from autokb.issues.same_problem import COSINE, INTERCEPT, OUTCOMES, SECTIONS, Problem, log_odds

EAST, NORTH = np.array([1.0, 0.0]), np.array([0.0, 1.0])
FIRST, SECOND = np.array([0.9, 0.0]), np.array([0.0, 0.9])


def test_words_sections_and_outcomes_count_together() -> None:
    one = Problem(EAST, FIRST, frozenset({"a.md"}))
    same = Problem(EAST, FIRST, frozenset({"a.md", "b.md"}))
    assert log_odds(one, same) == pytest.approx(INTERCEPT + COSINE + SECTIONS + OUTCOMES)
    other = Problem(NORTH, SECOND, frozenset({"c.md"}))
    assert log_odds(one, other) == pytest.approx(INTERCEPT - OUTCOMES, abs=1e-6)


def test_an_outcome_that_nobody_knows_speaks_neither_way() -> None:
    def odds(one: set[str], other: set[str]) -> float:
        return log_odds(Problem(EAST, FIRST, frozenset(one)), Problem(EAST, FIRST, frozenset(other)))

    unknown = INTERCEPT + COSINE + SECTIONS
    assert odds({"a.md"}, {"a.md", "b.md"}) == pytest.approx(unknown + OUTCOMES)
    assert odds({"a.md"}, {"b.md"}) == pytest.approx(unknown - OUTCOMES)
    assert odds({"a.md"}, set()) == odds(set(), set()) == pytest.approx(unknown)


def test_no_evidence_alone_makes_two_problems_one() -> None:
    assert log_odds(Problem(EAST, FIRST), Problem(NORTH, FIRST)) < 0  # other words, the same section
    assert log_odds(Problem(EAST, FIRST), Problem(EAST, FIRST)) > 0
    alike = np.array([0.6, 0.8])
    assert log_odds(Problem(EAST, FIRST), Problem(alike, SECOND)) < 0  # a look-alike that another section answers
