"""What every vector index must do, exact or approximate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from autokb.stores.vector_index import ExactIndex, GraphIndex, VectorIndex, Vectors, vector_index

Maker = Callable[[Vectors], VectorIndex]
MAKERS: dict[str, Maker] = {"exact": vector_index, "graph": lambda vectors: vector_index(vectors, exact_up_to=0)}


def units(rows: int, dimensions: int = 32, seed: int = 7) -> Vectors:
    """Random unit vectors."""
    found = np.random.default_rng(seed).normal(size=(rows, dimensions)).astype(np.float32)
    return np.ascontiguousarray(found / np.linalg.norm(found, axis=1, keepdims=True))


@pytest.fixture(params=sorted(MAKERS))
def make(request: pytest.FixtureRequest) -> Maker:
    return MAKERS[request.param]


def test_the_kind_follows_the_number_of_rows() -> None:
    assert isinstance(vector_index(units(10), exact_up_to=10), ExactIndex)
    assert isinstance(vector_index(units(11), exact_up_to=10), GraphIndex)


def test_a_row_finds_itself_with_cosine_one(make: Maker) -> None:
    vectors = units(300)
    positions, cosines = make(vectors).search(vectors[42], 3)
    assert positions[0] == 42
    assert cosines[0] == pytest.approx(1.0, abs=1e-5)
    assert list(cosines) == sorted(cosines, reverse=True)


def test_it_finds_what_a_full_comparison_finds(make: Maker) -> None:
    vectors, questions = units(2000), units(30, seed=8)
    index = make(vectors)
    shared = 0
    for question in questions:
        right = np.argsort(-(vectors @ question), kind="stable")[:10]
        shared += len(set(right.tolist()) & set(index.search(question, 10)[0].tolist()))
    assert shared >= 0.95 * 300


def test_ties_fall_by_position(make: Maker) -> None:
    vectors = np.repeat(units(4), 5, axis=0)
    positions, _ = make(vectors).search(vectors[10], 3)
    assert positions.tolist() == [10, 11, 12]


def test_a_mask_is_kept_even_when_everything_near_is_masked(make: Maker) -> None:
    vectors = units(500)
    mask = np.zeros(500, dtype=np.bool_)
    mask[[3, 400]] = True
    positions, _ = make(vectors).search(vectors[7], 10, mask)
    assert sorted(positions.tolist()) == [3, 400]


def test_more_wanted_than_there_is_and_nothing_wanted(make: Maker) -> None:
    vectors = units(5)
    assert len(make(vectors).search(vectors[0], 50)[0]) == 5
    assert len(make(vectors).search(vectors[0], 0)[0]) == 0


def test_scores_are_exact_cosines_near_the_question(make: Maker) -> None:
    vectors = units(600)
    index = make(vectors)
    scores = index.scores(vectors[5])
    best = index.search(vectors[5], 5)[0]
    assert scores.shape == (600,)
    assert scores[best] == pytest.approx(vectors[best] @ vectors[5], abs=1e-6)
    assert scores.argmax() == 5


def test_two_indexes_of_the_same_rows_answer_alike(make: Maker) -> None:
    vectors = units(1500)
    first, second = make(vectors).search(vectors[9], 20), make(vectors).search(vectors[9], 20)
    assert first[0].tolist() == second[0].tolist()
    assert first[1].tolist() == second[1].tolist()


def test_an_empty_index_finds_nothing() -> None:
    index = vector_index(np.zeros((0, 8), dtype=np.float32))
    assert len(index.search(units(1, 8)[0], 5)[0]) == 0
    assert len(index.scores(units(1, 8)[0])) == 0
