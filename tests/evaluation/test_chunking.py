"""Sizes, counted shares and found text of one method's chunks."""

from __future__ import annotations

import numpy as np
import pytest

from autokb.chunking.cutting import Cut
from autokb.chunking.windows import Window
from autokb.core.nouns import Chunk, Document
from autokb.evaluation.chunk_questions import Question
from autokb.evaluation.chunking import CutMethod, found_figures, mechanical_figures, rankings, sizes
from autokb.evaluation.token_metrics import Place


def chunk(number: int, start: int, end: int, text: str = "") -> Chunk:
    return Chunk(f"c{number}", "d", text or "x" * (end - start), ((start, end),))


def test_sizes_are_the_mean_and_ranks_of_lengths() -> None:
    found = sizes([chunk(n, 0, n) for n in range(1, 21)])
    # 20 lengths from 1 to 20: the 10th, 18th and 19th of them
    assert found == {"mean": 10.5, "p50": 10.0, "p90": 18.0, "p95": 19.0}
    assert sizes([]) == {"mean": None, "p50": None, "p90": None, "p95": None}


def test_counted_shares_have_their_number_and_gold_is_a_bag_of_words() -> None:
    text = "1. Open it.\n2. Shut it."
    document = Document("d", "D", text)
    cut = Cut((chunk(0, 0, 11, "1. Open it."), chunk(1, 12, 23, "2. Shut it.")))
    found = mechanical_figures(CutMethod("m", {"d": cut}, 0.1), [document], 100, gold={"d": "Open it now"})
    assert found["cut_lists"] == {"value": 1.0, "low": 1.0, "high": 1.0, "n": 1}
    assert found["cut_tables"] == {"value": None, "low": None, "high": None, "n": 0}
    # kept: open it shut it; gold: open it now; shared: open, it
    assert found["gold_precision"]["value"] == pytest.approx(2 / 4)
    assert found["gold_recall"]["value"] == pytest.approx(2 / 3)
    assert found["gold_f1"]["value"] == pytest.approx(4 / 7)


def test_a_document_that_was_not_cut_is_not_counted() -> None:
    found = mechanical_figures(CutMethod("m", {}, 0.0), [Document("d", "D", "- a\n- b")], 100)
    assert found == {"over_limit": 0}


def test_a_chunk_counts_by_its_best_window_and_one_without_a_window_comes_last() -> None:
    chunks = [chunk(0, 0, 5), chunk(1, 5, 10), chunk(2, 10, 15)]
    windows = [Window("c0", "d", 0, 2, ""), Window("c1", "d", 5, 7, ""), Window("c0", "d", 2, 5, "")]
    vectors = np.array([[0.0, 1.0], [0.6, 0.8], [1.0, 0.0]], dtype=np.float32)
    (order,) = rankings(chunks, windows, vectors, np.array([[1.0, 0.0]], dtype=np.float32))
    assert [n for n, _ in order] == [0, 1, 2]
    assert [cosine for _, cosine in order] == pytest.approx([1.0, 0.6, -1.0])


def test_found_text_is_scored_over_the_questions_that_have_excerpts() -> None:
    chunks = [chunk(n, n * 10, n * 10 + 10) for n in range(7)]
    questions = [Question("?", (Place("d", ((5, 15),)),)), Question("?")]
    order = [(n, 0.0) for n in (0, 2, 3, 4, 5, 1, 6)]
    found = found_figures(chunks, questions, [order, order])
    # The first five hold 5 of the 10 needed characters and have 50; the excerpt stands in chunks 0 and 1, of 20.
    assert found["recall@5"]["value"] == 5 / 10
    assert found["precision@5"]["value"] == 5 / 50
    assert found["iou@5"]["value"] == 5 / 55
    assert found["precision_omega"] == {"value": 10 / 20, "low": 10 / 20, "high": 10 / 20, "n": 1}
    assert found_figures(chunks, questions[1:], [order]) == {}
