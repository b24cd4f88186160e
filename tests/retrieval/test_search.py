from __future__ import annotations

import numpy as np
import pytest

from autokb.chunking.windows import Window
from autokb.core.nouns import Chunk
from autokb.retrieval.search import (
    LONG_QUESTION,
    SHORT_QUESTION,
    TITLE,
    WORDS_OF_LONG,
    WORDS_OF_SHORT,
    ChunkIndex,
    build_index,
    fused_equally,
    long_question_share,
    search,
    vectors_only,
    whole_chunks,
    words_of_documents,
    words_only,
)


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
    found = search(index(titles=False), unit(1, 0, 1), "")
    best = found.best_chunks(1)[0]
    assert (best.chunk, best.document, best.start, best.end) == ("a1", "a", 50, 100)
    assert best.cosine == pytest.approx(1.0, abs=1e-6)
    assert found.nearest == pytest.approx(1.0, abs=1e-6)


def test_windows_may_come_in_any_order() -> None:
    order = [3, 2, 0, 1]
    other = build_index(["a", "empty", "b"], CHUNKS, [WINDOWS[n] for n in order], VECTORS[order], TITLES)
    question = unit(0.3, 1, 0.4)
    assert search(other, question, "charging").documents == pytest.approx(
        search(index(), question, "charging").documents
    )


def test_a_chunk_counts_by_its_best_window_the_title_and_the_words() -> None:
    question = unit(1, 0.5, 0.2)
    found = search(index(), question, "charging light")
    cosines, titles = VECTORS @ question, TITLES @ question
    shares = index().words.shares("charging light")
    expected = [  # a1, b1, b2
        max(cosines[1], cosines[2]) + TITLE * titles[0] + WORDS_OF_SHORT * shares[0],
        cosines[3] + TITLE * titles[2] + WORDS_OF_SHORT * shares[1],
        cosines[0] + TITLE * titles[2] + WORDS_OF_SHORT * shares[2],
    ]
    assert shares[1] > shares[2] > shares[0] == 0.0
    assert found.chunks == pytest.approx(expected, abs=1e-5)
    assert found.documents == pytest.approx([expected[0], 0.0, max(expected[1:])], abs=1e-5)


def test_document_scores_equal_a_plain_loop_over_many_windows() -> None:
    rng = np.random.default_rng(5)
    chunks = [chunk(f"c{n}", f"d{n % 17}") for n in range(60)]
    windows = [window(f"c{n % 60}", f"d{n % 60 % 17}", n) for n in range(500)]
    vectors = rng.normal(size=(500, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    question = vectors[3]
    ids = [f"d{n}" for n in range(17)]
    documents = search(build_index(ids, chunks, windows, vectors), question, "").documents
    for row, document in enumerate(ids):
        cosines = [float(vectors[n] @ question) for n, w in enumerate(windows) if w.document == document]
        assert documents[row] == pytest.approx(max(cosines), abs=1e-5)


def test_the_words_of_a_document_are_those_of_its_best_chunk() -> None:
    shares = index().words.shares("charging light")
    assert words_of_documents(index(), "charging light").tolist() == [shares[0], 0.0, max(shares[1], shares[2])]
    assert words_of_documents(build_index([], [], [], np.zeros((0, 3), np.float32)), "x").shape == (0,)


def test_words_decide_between_equal_vectors() -> None:
    found = search(index(titles=False), unit(0, 1, 0.1), "light blinks")
    assert found.best_chunks(1)[0].chunk == "b1"
    found = search(index(titles=False), unit(0, 1, 0.1), "case")
    assert found.best_chunks(1)[0].chunk == "b2"


def test_history_lifts_the_chunks_of_a_document() -> None:
    found = search(index(), unit(1, 0, 0), "")
    assert found.best_chunks(1)[0].document == "a"
    assert found.best_chunks(1, np.array([0.0, 0.0, 2.0]))[0].document == "b"


def test_words_count_less_in_a_long_message() -> None:
    def said(words: int) -> str:
        return " ".join(f"word{n}" for n in range(words))

    half = (SHORT_QUESTION + LONG_QUESTION) // 2
    lengths = [long_question_share(said(n)) for n in (3, SHORT_QUESTION, half, LONG_QUESTION, 2 * LONG_QUESTION)]
    assert lengths == [0.0, 0.0, 0.5, 1.0, 1.0]
    plain, asked = index(titles=False), f"bluetooth {said(LONG_QUESTION)}"
    words = search(plain, unit(1, 0, 1), asked).chunks - search(plain, unit(1, 0, 1), "").chunks
    assert words == pytest.approx(WORDS_OF_LONG * plain.words.shares(asked)) and words[0] > 0


def test_nothing_to_search_finds_nothing() -> None:
    empty = build_index(["a"], [], [], np.zeros((0, 3), dtype=np.float32), TITLES[:1])
    found = search(empty, unit(1, 0, 0), "anything")
    assert found.best_chunks(5) == ()
    assert found.documents.tolist() == [0.0] and found.nearest == -1.0
    assert fused_equally(empty, unit(1, 0, 0), "anything").tolist() == [0.0]
    assert len(search(build_index([], [], [], np.zeros((0, 3), np.float32)), unit(1, 0, 0), "x").documents) == 0


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
