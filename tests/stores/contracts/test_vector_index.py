"""What every vector index must do, exact or approximate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from autokb.core.ranking import best_first
from autokb.core.vectors import Vectors
from autokb.stores.vector_index import (
    CellIndex,
    ExactIndex,
    VectorIndex,
    vector_index,
)

Maker = Callable[[Vectors], VectorIndex]
MAKERS: dict[str, Maker] = {"exact": vector_index, "cells": lambda vectors: vector_index(vectors, exact_up_to=0)}


def units(rows: int, dimensions: int = 32, seed: int = 7) -> Vectors:
    """Random unit vectors."""
    found = np.random.default_rng(seed).normal(size=(rows, dimensions)).astype(np.float32)
    return np.ascontiguousarray(found / np.linalg.norm(found, axis=1, keepdims=True))


@pytest.fixture(params=["exact", "cells"])
def make(request: pytest.FixtureRequest) -> Maker:
    return MAKERS[request.param]


def test_the_kind_follows_the_number_of_rows() -> None:
    assert isinstance(vector_index(units(10), exact_up_to=10), ExactIndex)
    assert isinstance(vector_index(units(11), exact_up_to=10), CellIndex)


def test_a_row_finds_itself_with_cosine_one(make: Maker) -> None:
    vectors = units(300)
    scores = make(vectors).scores(vectors[42])
    assert scores.argmax() == 42
    assert scores[42] == pytest.approx(1.0, abs=1e-5)


def test_it_finds_what_a_full_comparison_finds(make: Maker) -> None:
    vectors, questions = units(2000), units(30, seed=8)
    index = make(vectors)
    shared = 0
    for question in questions:
        right = np.argsort(-(vectors @ question), kind="stable")[:10]
        shared += len(set(right.tolist()) & set(best_first(index.scores(question), 10).tolist()))
    assert shared >= 0.95 * 300


def test_ties_fall_by_position(make: Maker) -> None:
    vectors = np.repeat(units(4), 5, axis=0)
    assert best_first(make(vectors).scores(vectors[10]), 3).tolist() == [10, 11, 12]


def test_every_row_has_a_score_exact_near_the_question_and_never_above_it_elsewhere(make: Maker) -> None:
    vectors = units(600)
    scores, exact = make(vectors).scores(vectors[5]), vectors @ vectors[5]
    assert scores.shape == (600,) and scores.dtype == np.float32
    near = np.argsort(-exact)[:150]
    assert scores[near] == pytest.approx(exact[near], abs=1e-6)
    assert scores.max() == scores[5]


def test_two_indexes_of_the_same_rows_answer_alike(make: Maker) -> None:
    vectors = units(1500)
    assert np.array_equal(make(vectors).scores(vectors[9]), make(vectors).scores(vectors[9]))


def test_an_empty_index_finds_nothing() -> None:
    assert len(vector_index(np.zeros((0, 8), dtype=np.float32)).scores(units(1, 8)[0])) == 0


def test_far_cells_are_not_read_and_what_is_read_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autokb.stores.vector_index.ROWS_COMPARED", 100)
    vectors = units(2_000)
    index = vector_index(vectors, exact_up_to=0)
    scores, exact = index.scores(vectors[3]), vectors @ vectors[3]
    compared = np.flatnonzero(scores > scores.min())
    assert 100 <= len(compared) + 1 < 1_000 and scores.argmax() == 3
    assert scores[compared] == pytest.approx(exact[compared], abs=1e-6)


def test_the_same_rows_may_fill_one_cell() -> None:
    vectors = np.repeat(units(1), 50, axis=0)
    assert vector_index(vectors, exact_up_to=0).scores(vectors[0]) == pytest.approx(np.ones(50), abs=1e-5)
