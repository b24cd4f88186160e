from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from autokb.retrieval.fitting import NodeCase, climb, fit_node_weights, fit_weights, mean_hits
from autokb.retrieval.weights import Weights

from autokb.chunking.windows import Window
from autokb.core.nouns import Chunk
from autokb.retrieval.history import PastIssue
from autokb.retrieval.search import ChunkIndex, build_index

TOPICS = 12
SIZE = 40


def units(found: np.ndarray) -> np.ndarray:
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def world(count: int, told_by_text: float, told_by_history: float) -> tuple[ChunkIndex, list[PastIssue], np.ndarray]:
    """Issues whose words lie near their document's text, near earlier issues of that document, both or neither."""
    rng = np.random.default_rng(2)
    text, asked = rng.normal(size=(TOPICS, SIZE)), rng.normal(size=(TOPICS, SIZE))
    ids = [f"d{n:02}" for n in range(TOPICS)]
    chunks = [Chunk(f"c{n}", d, f"passage{n}", ((0, 10),)) for n, d in enumerate(ids)]
    windows = [Window(c.id, c.document, 0, 10, "") for c in chunks]
    index = build_index(ids, chunks, windows, units(text))
    topics = rng.integers(0, TOPICS, count)
    vectors = told_by_text * text[topics] + told_by_history * asked[topics] + rng.normal(size=(count, SIZE))
    days = [f"2024-{n // 28 % 12 + 1:02}-{n % 28 + 1:02}" for n in range(count)]
    issues = [PastIssue(f"q{n}", f"question{n}", days[n], (ids[t],)) for n, t in enumerate(topics)]
    return index, issues, units(vectors)


def test_history_is_weighed_up_where_it_tells_more_than_the_text() -> None:
    fitted = fit_weights(*world(300, told_by_text=0.0, told_by_history=1.5), Weights(history=0.2))
    assert fitted.asked == 150
    assert fitted.weights.history > 0.2


def test_history_that_misleads_is_turned_off() -> None:
    index, issues, vectors = world(300, told_by_text=1.0, told_by_history=0.0)
    wrong = [replace(i, documents=("d00",)) if n < 150 else i for n, i in enumerate(issues)]
    assert fit_weights(index, wrong, vectors, Weights(history=1.0)).weights.history < 1.0


def test_no_outcomes_mean_no_history() -> None:
    index, issues, vectors = world(50, 1.0, 1.0)
    fitted = fit_weights(index, [replace(i, documents=()) for i in issues], vectors)
    assert fitted.weights == Weights().without_history()
    gone = fit_weights(index, [replace(i, documents=("deleted",)) for i in issues], vectors)
    assert gone.weights.history == 0.0
    assert fit_weights(index, [], vectors[:0]).weights.history == 0.0


@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_few_outcomes_keep_the_defaults(count: int) -> None:
    fitted = fit_weights(*world(count, 1.0, 1.0))
    assert fitted.weights == Weights()
    assert "default" in fitted.reason


def test_the_same_text_asked_before_is_not_asked_again() -> None:
    index, issues, vectors = world(120, 0.0, 0.0)
    same = [replace(i, text="the one question") for i in issues]
    assert fit_weights(index, same, vectors).asked == 0


def test_a_question_sees_nothing_later_than_itself() -> None:
    index, issues, _ = world(200, 0.0, 1.5)
    # outcomes without rhyme or reason: were an issue in its own history, history would look perfect
    unrelated = [replace(i, documents=(f"d{n * 7 % TOPICS:02}",)) for n, i in enumerate(issues)]
    fitted = fit_weights(
        index, unrelated, units(np.random.default_rng(9).normal(size=(200, SIZE))), Weights(history=0.2)
    )
    assert fitted.weights.history <= 0.2


def test_without_dates_it_still_fits_and_is_the_same_each_time() -> None:
    index, issues, vectors = world(200, 0.5, 1.0)
    undated = [replace(i, date="") for i in issues]
    assert fit_weights(index, undated, vectors) == fit_weights(index, undated[::-1], vectors[::-1].copy())


def test_hits_count_ties_against_the_right_one() -> None:
    scores = np.array([[0.9, 0.5, 0.1], [0.5, 0.5, 0.1], [0.1, 0.2, 0.3]])
    right = np.array([[True, False, False], [True, False, False], [True, False, False]])
    assert mean_hits(scores, right).tolist() == [1.0, 0.75, 0.75]


def test_a_gain_within_its_own_error_changes_nothing() -> None:
    noise = np.tile([1.0, -0.9], 20)

    def quality(weights: Weights) -> np.ndarray:
        return noise if weights.title == 0.5 else np.zeros(40)

    assert climb(Weights(), {"title": (0.0, 0.5)}, quality) == Weights()


def test_a_sure_gain_changes_a_weight() -> None:
    def quality(weights: Weights) -> np.ndarray:
        return np.full(40, -abs(weights.title - 0.5))

    assert climb(Weights(), {"title": (0.0, 0.5)}, quality) == Weights(title=0.5)


def test_the_weights_of_nodes_and_passages_follow_what_is_right() -> None:
    rng = np.random.default_rng(4)
    cases = []
    for _ in range(60):
        right = np.zeros(10, dtype=np.bool_)
        right[rng.integers(10)] = True
        cases.append(NodeCase(rng.uniform(size=10), right * 0.6, np.where(right, 0.0, 0.5), right))
    start = Weights(nodes=0.0, passages=0.5)
    fitted = fit_node_weights(start, cases)
    assert fitted.nodes > 0.0 and fitted.passages < 0.5
    assert fit_node_weights(start, cases[:10]) == start
