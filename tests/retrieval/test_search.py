from __future__ import annotations

import numpy as np
import pytest
from autokb.retrieval.weights import Weights

from autokb.chunking.windows import Window
from autokb.core.nouns import Chunk
from autokb.retrieval.search import (
    LONG_QUESTION,
    ChunkIndex,
    build_index,
    fused_equally,
    gate_by_length,
    search,
    vectors_only,
    whole_chunks,
    words_only,
    words_weight,
)

SILENT = Weights(title=0.0, words_short=0.0, words_long=0.0)


def unit(*values: float) -> np.ndarray:
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def chunk(name: str, document: str, text: str = "", start: int = 0, context: str = "") -> Chunk:
    return Chunk(name, document, text, ((start, start + 100),), context=context)


def window(name: str, document: str, start: int) -> Window:
    return Window(name, document, start, start + 50, "")


CHUNKS = (
    chunk("a1", "a", "pairing over bluetooth"),
    chunk("b1", "b", "the charging light blinks"),
    chunk("b2", "b", "the case is charging", 100),
)
WINDOWS = (  # on purpose not in the order of the chunks
    window("b2", "b", 100),
    window("a1", "a", 0),
    window("a1", "a", 50),
    window("b1", "b", 0),
)
VECTORS = np.stack([unit(0, 1, 0.2), unit(1, 0, 0), unit(1, 0, 1), unit(0, 1, 0)])
TITLES = np.stack([unit(1, 0, 0), unit(0, 0, 1), unit(0, 1, 0)])


def index(titles: bool = True) -> ChunkIndex:
    return build_index(["a", "empty", "b"], CHUNKS, WINDOWS, VECTORS, TITLES if titles else None)


def test_the_best_window_counts_and_is_named() -> None:
    found = search(index(), unit(1, 0, 1), "", SILENT)
    best = found.best_chunks(1)[0]
    assert (best.chunk, best.document, best.start, best.end) == ("a1", "a", 50, 100)
    assert best.cosine == pytest.approx(1.0, abs=1e-6)
    assert found.nearest == pytest.approx(1.0, abs=1e-6)


def test_windows_may_come_in_any_order() -> None:
    order = [3, 2, 0, 1]
    other = build_index(["a", "empty", "b"], CHUNKS, [WINDOWS[n] for n in order], VECTORS[order], TITLES)
    question = unit(0.3, 1, 0.4)
    assert search(other, question, "charging", Weights()).documents == pytest.approx(
        search(index(), question, "charging", Weights()).documents
    )


def test_a_document_counts_by_the_mean_of_its_three_best_windows() -> None:
    question = unit(1, 0.5, 0.2)
    documents = search(index(titles=False), question, "", SILENT).documents
    cosines = VECTORS @ question
    assert documents[0] == pytest.approx((2 * min(cosines[1], cosines[2]) + max(cosines[1], cosines[2])) / 3, abs=1e-5)
    assert documents[2] == pytest.approx((max(cosines[0], cosines[3]) + 2 * min(cosines[0], cosines[3])) / 3, abs=1e-5)


def test_document_scores_equal_a_plain_loop_over_many_windows() -> None:
    rng = np.random.default_rng(5)
    chunks = [chunk(f"c{n}", f"d{n % 17}") for n in range(60)]
    windows = [window(f"c{n % 60}", f"d{n % 60 % 17}", n) for n in range(500)]
    vectors = rng.normal(size=(500, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    question = vectors[3]
    ids = [f"d{n}" for n in range(17)]
    documents = search(build_index(ids, chunks, windows, vectors), question, "", SILENT).documents
    for row, document in enumerate(ids):
        cosines = sorted((float(vectors[n] @ question) for n, w in enumerate(windows) if w.document == document))
        assert documents[row] == pytest.approx(np.mean(cosines[-3:]), abs=1e-5)


def test_the_title_is_a_further_vote_for_a_document_without_chunks_too() -> None:
    question = unit(0, 0, 1)
    assert search(index(), question, "", SILENT).documents[1] == 0.0
    assert search(index(), question, "", Weights(title=0.5)).documents[1] == pytest.approx(0.5)


def test_words_decide_between_equal_vectors() -> None:
    found = search(index(), unit(0, 1, 0.1), "light blinks", Weights(title=0.0))
    assert found.best_chunks(1)[0].chunk == "b1"
    found = search(index(), unit(0, 1, 0.1), "case", Weights(title=0.0))
    assert found.best_chunks(1)[0].chunk == "b2"


def test_history_lifts_the_chunks_of_a_document() -> None:
    found = search(index(), unit(1, 0, 0), "", SILENT)
    assert found.best_chunks(1)[0].document == "a"
    assert found.best_chunks(1, np.array([0.0, 0.0, 2.0]))[0].document == "b"


def test_words_count_less_in_a_long_message() -> None:
    weights = Weights(words_short=1.0, words_long=0.2)
    long = " ".join(f"word{n}" for n in range(LONG_QUESTION + 5))
    assert gate_by_length("earbuds do not pair") == 0.0
    assert words_weight("earbuds do not pair", weights) == 1.0
    assert words_weight(long, weights) == pytest.approx(0.2)


def test_nothing_to_search_finds_nothing() -> None:
    empty = build_index(["a"], [], [], np.zeros((0, 3), dtype=np.float32), TITLES[:1])
    found = search(empty, unit(1, 0, 0), "anything", Weights())
    assert found.best_chunks(5) == ()
    assert found.documents == pytest.approx([0.3])
    assert fused_equally(empty, unit(1, 0, 0), "anything").tolist() == [0.0]
    assert len(search(build_index([], [], [], np.zeros((0, 3), np.float32)), unit(1, 0, 0), "x", SILENT).documents) == 0


def test_a_chunk_of_an_unknown_document_is_left_out() -> None:
    stray = chunk("z1", "gone")
    built = build_index(["a"], [*CHUNKS, stray], [*WINDOWS, window("z1", "gone", 0)], np.vstack([VECTORS, VECTORS[:1]]))
    assert built.chunks == ("a1",)


def test_centroids_are_unit_vectors_of_documents_with_windows() -> None:
    centroids = index().centroids()
    assert np.linalg.norm(centroids, axis=1) == pytest.approx([1, 0, 1], abs=1e-5)
    assert centroids[2] @ unit(0, 1, 0.1) > 0.99


def test_plain_baselines() -> None:
    plain = build_index(["a", "empty", "b"], CHUNKS, whole_chunks(CHUNKS), VECTORS[[1, 3, 0]])
    assert words_only(plain, "charging light").documents.argmax() == 2
    assert words_only(plain, "charging light").documents[0] == 0.0
    assert vectors_only(plain, unit(1, 0.1, 0)).documents.argmax() == 0
    fused = fused_equally(plain, unit(1, 0.1, 0), "bluetooth")
    assert fused.argmax() == 0
    assert fused[0] == pytest.approx(2 / 61)


def test_whole_chunks_carry_their_context_only_where_wanted() -> None:
    one = chunk("a1", "a", "Press it.", context="Pairing")
    assert [w.text for w in whole_chunks([one])] == ["Press it."]
    assert [w.text for w in whole_chunks([one], with_context=True)] == ["Pairing\nPress it."]
