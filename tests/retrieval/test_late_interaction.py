"""Each token of a question meets its nearest token of a section; rare tokens count more."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autokb.core.ranking import Positions
from autokb.core.vectors import TOKEN_STEPS, TokenVectors
from autokb.retrieval.late_interaction import TokenIndex

STEP = 1 / TOKEN_STEPS  # how far a rounded number may be from its own, twice


def tokens(*pieces: int, vectors: list[list[float]] | None = None) -> TokenVectors:
    """Return tokens whose vectors point to .5 along the axis of their piece, as far as none are given."""
    rows = np.array(vectors if vectors is not None else [np.eye(4)[p % 4] * 0.5 for p in pieces], dtype=np.float32)
    return TokenVectors.of(np.array(pieces, dtype=np.uint16), rows.reshape(len(pieces), 4), np.zeros(4, np.float32))


def rows(*numbers: int) -> Positions:
    return np.array(numbers, dtype=np.int64)


def idf(told: int, of: int) -> float:
    return math.log(1 + (of - told + 0.5) / (told + 0.5))


def test_a_vector_is_kept_in_steps() -> None:
    found = TokenVectors.of(np.array([7], np.uint16), np.array([[0.25, -0.5, 0.001, 0.9]], np.float32), np.zeros(4))
    assert found.vectors.tolist() == [[64, -127, 0, 127]]  # 63.5 is rounded to even, .9 lies beyond what is kept
    assert found.vectors.dtype == np.int8


def test_idf_falls_with_the_sections_that_have_a_piece() -> None:
    index = TokenIndex.of([tokens(1, 1, 2), tokens(1), tokens(3)])
    assert index.idf[[1, 2, 3, 9]] == pytest.approx([idf(2, 3), idf(1, 3), idf(1, 3), idf(0, 3)])
    assert [len(one.vectors) for one in index.tokens] == [3, 1, 1]


def test_each_token_counts_by_its_nearest_and_its_idf() -> None:
    a = [0.3, 0.4, 0.0, 0.0]
    b = [0.4, 0.0, 0.3, 0.0]
    index = TokenIndex.of([tokens(1, 2, vectors=[a, b]), tokens(1, vectors=[[0.5, 0, 0, 0]])])
    asked = tokens(1, 2, vectors=[[0.5, 0.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.0]])
    rare, common = idf(1, 2), idf(2, 2)
    # row 0: piece 1 is nearest to b (.2 over .15), piece 2 to b (.15); row 1: piece 1 (.25), piece 2 nothing
    expected = [(common * 0.2 + rare * 0.15) / (common + rare), common * 0.25 / (common + rare)]
    assert index.scores(asked, rows(0, 1)) == pytest.approx(expected, abs=2 * STEP)


def test_a_part_counts_by_its_own_tokens_alone() -> None:
    a, b = [0.5, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0]
    index = TokenIndex.of([tokens(3, vectors=[b]), tokens(1, 2, vectors=[a, b])])
    asked = tokens(1, vectors=[a])
    within = np.array([[True, False], [False, True], [True, True], [False, False]])
    assert index.scores_of_parts(asked, [1], [within])[0] == pytest.approx([0.25, 0.0, 0.25, 0.0], abs=0.01)
    _, second = index.scores_of_parts(asked, [0, 1], [within[:, :1], within])
    assert second[2] == pytest.approx(index.scores(asked, rows(1))[0])
    damaged, whole = index.scores_of_parts(asked, [0, 1], [within, within])
    assert damaged.tolist() == [0.0] * 4 and whole[0] > 0
    assert index.scores_of_parts(tokens(), [1], [within])[0].tolist() == [0.0] * 4


def test_the_rows_come_back_as_they_were_asked_for() -> None:
    index = TokenIndex.of([tokens(1), tokens(2), tokens(3)])
    one, two, three = index.scores(tokens(2), rows(0, 1, 2))
    assert one == three == 0.0 and two == pytest.approx(0.25, abs=2 * STEP)
    assert index.scores(tokens(2), rows(1, 0, 1)).tolist() == [two, one, two]
    assert index.scores(tokens(2), rows()).tolist() == []


def test_a_row_without_tokens_meets_nothing_and_moves_no_other() -> None:
    full = TokenIndex.of([tokens(1), tokens(2)])
    with_empty = TokenIndex.of([tokens(), tokens(1), tokens(), tokens(2), tokens()])
    found = with_empty.scores(tokens(1), rows(0, 1, 2, 3, 4))
    assert found.tolist() == [0.0, full.scores(tokens(1), rows(0))[0], 0.0, 0.0, 0.0]
    assert with_empty.scores(tokens(1), rows(0, 2, 4)).tolist() == [0.0] * 3


def test_an_empty_question_or_nothing_to_meet_scores_nothing() -> None:
    index = TokenIndex.of([tokens(1), tokens(2)])
    assert index.scores(tokens(), rows(0, 1)).tolist() == [0.0, 0.0]
    empty = TokenIndex.of([])
    assert empty.scores(tokens(1), rows()).tolist() == []


@pytest.mark.parametrize("seed", range(4))
def test_scores_are_those_of_a_plain_loop(seed: int) -> None:
    random = np.random.default_rng(seed)

    def drawn(count: int) -> TokenVectors:
        vectors = random.normal(size=(count, 4))
        unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12) / 2
        return tokens(*random.integers(0, 6, count).tolist(), vectors=unit.tolist())

    sections = [drawn(int(count)) for count in random.integers(0, 8, 30)]
    asked, index = drawn(5), TokenIndex.of(sections)
    for row in random.permutation(30)[:12]:
        weights = index.idf[asked.pieces]
        cosines = asked.vectors.astype(float) @ sections[row].vectors.astype(float).T / TOKEN_STEPS**2
        nearest = cosines.max(axis=1) if cosines.size else np.zeros(5)
        expected = float(weights @ nearest / weights.sum())
        assert index.scores(asked, rows(int(row)))[0] == pytest.approx(expected, abs=1e-6)
