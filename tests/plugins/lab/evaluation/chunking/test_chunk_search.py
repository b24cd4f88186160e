"""Which chunks are found for a question, and how much of the needed text they hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autokb.chunking.windows import Window
from autokb.core.nouns import Chunk
from autokb.plugins.lab.evaluation.chunking.chunk_search import RankedChunks, needed_text_metrics, rank_by_best_window
from autokb.plugins.lab.evaluation.chunking.datasets import LabelledQuestion
from autokb.plugins.lab.evaluation.chunking.token_metrics import DocumentSpans


def chunk(number: int, start: int, end: int) -> Chunk:
    return Chunk(f"c{number}", "d", "x" * (end - start), ((start, end),))


def test_a_chunk_counts_by_its_best_window_and_one_without_a_window_comes_last() -> None:
    chunks = [chunk(0, 0, 5), chunk(1, 5, 10), chunk(2, 10, 15)]
    windows = [Window("c0", "d", 0, 2, ""), Window("c1", "d", 5, 7, ""), Window("c0", "d", 2, 5, "")]
    vectors = np.array([[0.0, 1.0], [0.6, 0.8], [1.0, 0.0]], dtype=np.float32)
    (order,) = rank_by_best_window(chunks, windows, vectors, np.array([[1.0, 0.0]], dtype=np.float32))
    assert [n for n, _ in order] == [0, 1, 2]
    assert [cosine for _, cosine in order] == pytest.approx([1.0, 0.6, -1.0])


def test_found_text_is_scored_over_the_questions_that_have_excerpts() -> None:
    chunks = [chunk(n, n * 10, n * 10 + 10) for n in range(7)]
    questions = [LabelledQuestion("?", (DocumentSpans("d", ((5, 15),)),)), LabelledQuestion("?")]
    order = [(n, 0.0) for n in (0, 2, 3, 4, 5, 1, 6)]
    found = needed_text_metrics(RankedChunks("m", chunks, chunks, [order, order]), questions)
    # The first five hold 5 of the 10 needed characters and have 50; the excerpt stands in chunks 0 and 1, of 20.
    assert found["recall@5"].interval.value == 5 / 10
    assert found["precision@5"].interval.value == 5 / 50
    assert found["iou@5"].interval.value == 5 / 55
    assert [found[f"recall@{k}"].interval.value for k in (1, 3)] == [5 / 10, 5 / 10]
    assert [found[f"precision@{k}"].interval.value for k in (1, 3)] == [5 / 10, 5 / 30]
    assert not any(name.endswith("+context") for name in found)  # no chunk is above another
    assert found["precision_omega"].as_json() == {"value": 10 / 20, "low": 10 / 20, "high": 10 / 20, "n": 1}
    assert needed_text_metrics(RankedChunks("m", chunks, chunks, [order]), questions[1:]) == {}


def test_of_a_tree_the_text_below_a_hit_is_found_too() -> None:
    top, below, other = chunk(0, 0, 10), replace(chunk(1, 10, 20), parent_id="c0"), chunk(2, 20, 30)
    question = LabelledQuestion("?", (DocumentSpans("d", ((10, 20),)),))
    ranked = RankedChunks("m", (top, below, other), (top, below, other), [[(0, 0.9), (2, 0.5), (1, 0.1)]])
    found = needed_text_metrics(ranked, [question])
    # By itself the second chunk is the third hit; with the subtree of the first hit it comes right behind it.
    assert [found[f"precision@{k}"].interval.value for k in (1, 3)] == [0, 10 / 30]
    assert [found[f"recall@{k}+context"].interval.value for k in (1, 3)] == [0, 1]
    with_context = replace(ranked, rankings=[[(0, 0.9), (2, 0.5)]])
    assert needed_text_metrics(with_context, [question])["recall@3"].interval.value == 0
    assert needed_text_metrics(with_context, [question])["recall@3+context"].interval.value == 1
