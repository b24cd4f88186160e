"""Retrievers over a few vectors written down by hand: recalls, per cents over the worst, cosines and thresholds."""

from __future__ import annotations

import numpy as np
import pytest

from autokb.chunking.windows import Window
from autokb.core.nouns import Chunk
from autokb.core.vectors import Vectors
from autokb.plugins.lab.evaluation.retrieval.retrievers import (
    BINS,
    IN_DOMAIN,
    OFF_TOPIC,
    RIGHT,
    WRONG,
    EncodedQuestions,
    FirstCosines,
    best_threshold,
    by_graph,
    first_cosines,
    measure_retrievers,
)
from autokb.retrieval.search import build_index
from autokb.stats.differences import relative_difference

DOCUMENTS = ("a", "b", "c")
RELEVANT = {"one": {"a": 1.0}, "two": {"b": 1.0}, "three": {"a": 1.0, "c": 1.0}}


def vectors(*rows: tuple[float, float, float]) -> Vectors:
    found = np.array(rows, dtype=np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


def encoded(*questions: tuple[float, float, float]) -> EncodedQuestions:
    """Document n lies on axis n; the questions are those of ``RELEVANT`` in their order."""
    chunks = [Chunk(name, name, name, ((0, 1),)) for name in DOCUMENTS]
    windows = [Window(name, name, 0, 1, name) for name in DOCUMENTS]
    index = build_index(DOCUMENTS, chunks, windows, np.eye(3, dtype=np.float32))
    asked = dict(zip(RELEVANT, vectors(*questions), strict=True))
    return EncodedQuestions(index, asked, vectors((1, 1, 1), (-1, -1, -1)))


GOOD = encoded((4, 1, 2), (1, 4, 2), (4, 1, 3))
BAD = encoded((1, 4, 2), (1, 4, 2), (1, 4, 3))


def test_recall_of_each_encoder_and_how_far_it_is_above_the_worst() -> None:
    results, over_worst = measure_retrievers({"bad": BAD, "good": GOOD}, RELEVANT)
    found = {name: [body.metrics[f"recall@{k}"].value for k in (1, 3)] for name, body in results.systems.items()}
    assert found["good/exact"] == pytest.approx([(1 + 1 + 0.5) / 3, 1])
    assert found["bad/exact"] == pytest.approx([1 / 3, 1])
    above = {(d.system, d.metric): d for d in over_worst}
    assert all(d.baseline.startswith("bad/") for d in over_worst)
    assert above["good/exact", "recall@1"].interval.value == pytest.approx(150)  # 2.5 over 1
    assert above["good/exact", "recall@3"].interval.value == pytest.approx(0)
    assert results.systems["good/exact"].rankings["three"] == ("a", "c", "b")


def test_the_graph_finds_what_the_exact_pass_finds() -> None:
    pytest.importorskip("usearch")
    results, _ = measure_retrievers({"good": GOOD}, RELEVANT)
    assert list(results.systems) == ["good/exact", "good/hnsw"]
    assert results.systems["good/hnsw"].rankings == results.systems["good/exact"].rankings
    assert type(by_graph(GOOD.index).vectors) is not type(GOOD.index.vectors)


def test_cosines_of_first_documents_by_kind_of_question() -> None:
    cosines = first_cosines(BAD, RELEVANT)  # 0.87; 0.87 and 0.78; 0.58 and -0.58
    assert {kind: of_kind.n for kind, of_kind in cosines.items()} == {RIGHT: 1, WRONG: 2, IN_DOMAIN: 3, OFF_TOPIC: 2}
    assert cosines[RIGHT].deciles == pytest.approx((4 / 21**0.5,) * 9)
    assert cosines[WRONG].deciles[4] == pytest.approx((4 / 21**0.5 + 4 / 26**0.5) / 2)
    assert cosines[IN_DOMAIN].at_least["0.8"].value == pytest.approx(2 / 3)
    assert [cosines[OFF_TOPIC].at_least[t].value for t in ("0.5", "0.6")] == [0.5, 0]


def test_shares_deciles_and_the_threshold_that_tells_apart() -> None:
    ours, others = FirstCosines.of([0.45, 0.65, 0.75, 0.95]), FirstCosines.of([-0.2, 0.35, 0.41, 0.2])
    assert [ours.at_least[t].value for t in ("0.4", "0.5", "0.7", "0.8")] == [1, 0.75, 0.5, 0.25]
    assert len(ours.deciles) == 9 and ours.deciles[4] == pytest.approx(0.7)
    assert sum(others.histogram) == 4 and len(others.histogram) == BINS
    assert others.histogram[0] == 1  # below 0
    assert (
        best_threshold({IN_DOMAIN: ours, OFF_TOPIC: others}) == 0.4
    )  # 1 - 1/4; at .5 it is .75 - 0, and the first counts
    assert (FirstCosines.of([]).n, FirstCosines.of([]).deciles) == (0, ())


def test_a_relative_difference_is_in_per_cent_and_none_over_nothing() -> None:
    found = relative_difference([1.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0])
    assert found.value == pytest.approx(50)
    assert found.low is not None and found.high is not None and found.low <= 50 <= found.high
    assert relative_difference([1.0, 0.0], [0.0, 0.0]).value is None
