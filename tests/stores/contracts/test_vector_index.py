"""What every vector index must do, exact or approximate."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import pytest

from autokb.core.ranking import best_first
from autokb.core.vectors import Vectors
from autokb.stores.vector_index import (
    COMPARED_EXACTLY,
    SCORED_BY_GRAPH,
    ExactIndex,
    GraphIndex,
    ProjectedIndex,
    VectorIndex,
    vector_index,
)

needs_usearch = pytest.mark.skipif(find_spec("usearch") is None, reason="usearch is missing (extra: usearch)")

Maker = Callable[[Vectors], VectorIndex]
MAKERS: dict[str, Maker] = {"exact": vector_index, "projected": ProjectedIndex.of, "graph": GraphIndex.of}


def units(rows: int, dimensions: int = 32, seed: int = 7) -> Vectors:
    """Random unit vectors, which differ less and less from one dimension to the next, as those of texts do."""
    spread = 0.98 ** np.arange(dimensions)
    found = (np.random.default_rng(seed).normal(size=(rows, dimensions)) * spread).astype(np.float32)
    return np.ascontiguousarray(found / np.linalg.norm(found, axis=1, keepdims=True))


@pytest.fixture(params=["exact", "projected", pytest.param("graph", marks=needs_usearch)])
def make(request: pytest.FixtureRequest) -> Maker:
    return MAKERS[request.param]


def test_the_kind_follows_the_number_of_rows() -> None:
    assert isinstance(vector_index(units(10), exact_up_to=10), ExactIndex)
    assert isinstance(vector_index(units(11), exact_up_to=10), ProjectedIndex)


def test_of_many_rows_some_are_compared_exactly_and_nearly_all_of_the_nearest_are_among_them() -> None:
    vectors, questions = units(20_000, 256), units(20, 256, seed=8)
    index = vector_index(vectors, exact_up_to=0)
    shared = 0
    for question in questions:
        rows, cosines = index.near(question)
        assert rows is not None and COMPARED_EXACTLY <= len(rows) < 5_000
        assert np.array_equal(cosines, vectors[rows] @ question)
        right = np.argsort(-(vectors @ question), kind="stable")[:10]
        shared += len(set(right.tolist()) & set(rows.tolist()))
    assert shared >= 0.95 * 200


def test_rows_of_which_most_are_the_same_are_compared_all_the_same() -> None:
    """What is looked at first says nothing of how many rows lie above a number here."""
    vectors = np.ascontiguousarray(np.repeat(units(2), [30_000, 10], axis=0))
    rows, cosines = ProjectedIndex.of(vectors).near(vectors[-1])
    assert rows is not None and set(range(30_000, 30_010)) <= set(rows.tolist())
    assert cosines.max() == pytest.approx(1.0, abs=1e-5)


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
    near = np.argsort(-exact)[: SCORED_BY_GRAPH // 2]
    assert scores[near] == pytest.approx(exact[near], abs=1e-6)
    assert scores.max() == scores[5]


def test_two_indexes_of_the_same_rows_answer_alike(make: Maker) -> None:
    vectors = units(1500)
    assert np.array_equal(make(vectors).scores(vectors[9]), make(vectors).scores(vectors[9]))


def test_an_empty_index_finds_nothing() -> None:
    assert len(vector_index(np.zeros((0, 8), dtype=np.float32)).scores(units(1, 8)[0])) == 0


@needs_usearch
def test_an_encoder_can_be_loaded_after_a_graph_was_built() -> None:
    """The other way round the two libraries crash the process."""
    code = (
        "import numpy as np\n"
        "from autokb.stores.vector_index import GraphIndex\n"
        "GraphIndex.of(np.eye(4, dtype=np.float32))\n"
        "import onnxruntime\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
