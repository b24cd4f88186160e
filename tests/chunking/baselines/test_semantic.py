"""Semantic chunks end where neighbouring sentences are farther apart than nearly all others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from autokb.chunking.baselines import semantic
from autokb.chunking.baselines.semantic import chunk_by_vectors, chunk_semantic, texts_to_embed
from autokb.chunking.chunk_result import MarkedPage
from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Document

TEXT = "The **lid** opens. The lid closes. The lid is red. Parcels come late. Parcels are big. Parcels are sent."
DOCUMENT = Document("d", "", TEXT)


def by_first_word(texts: Sequence[str]) -> np.ndarray:
    """Return vectors of texts about the lid and of all others, at right angles."""
    return np.array([[1, 0] if t.startswith("The") else [0, 1] for t in texts], dtype=np.float32)


def test_a_sentence_is_embedded_with_its_neighbours_as_plain_text() -> None:
    texts = texts_to_embed(DOCUMENT)
    assert texts[0] == "The lid opens. The lid closes."
    assert texts[1] == "The lid opens. The lid closes. The lid is red."
    assert texts[5] == "Parcels are big. Parcels are sent."
    assert len(texts) == 6


def test_a_chunk_ends_where_the_vectors_turn() -> None:
    cut = chunk_by_vectors(DOCUMENT, 2048, np.array([[1, 0]] * 3 + [[0, 1]] * 3, dtype=np.float32))
    assert [c.text for c in cut.chunks] == [
        "The **lid** opens. The lid closes. The lid is red.",
        "Parcels come late. Parcels are big. Parcels are sent.",
    ]
    assert [c.spans for c in cut.chunks] == [((0, 50),), ((51, 104),)]


def test_a_chunk_that_is_too_long_is_cut_between_sentences() -> None:
    cut = chunk_by_vectors(DOCUMENT, 36, np.array([[1, 0]] * 3 + [[0, 1]] * 3, dtype=np.float32))
    assert [c.text for c in cut.chunks] == [
        "The **lid** opens. The lid closes.",
        "The lid is red.",
        "Parcels come late. Parcels are big.",
        "Parcels are sent.",
    ]


def test_equal_distances_are_no_turn() -> None:
    same = np.array([[1.0, 0.0]] * 6, dtype=np.float32)
    assert [c.text for c in chunk_by_vectors(DOCUMENT, 2048, same).chunks] == [TEXT]


def test_the_function_that_embeds_is_asked_once() -> None:
    asked: list[Sequence[str]] = []

    def embed(texts: Sequence[str]) -> np.ndarray:
        asked.append(texts)
        return by_first_word(texts)

    cut = chunk_semantic(MarkedPage(DOCUMENT), 2048, embed)
    assert asked == [texts_to_embed(DOCUMENT)]
    # the fourth window begins with the third sentence, so that the turn is seen one sentence later
    assert [c.text for c in cut.chunks][1] == "Parcels are big. Parcels are sent."


@pytest.mark.parametrize(("text", "chunks"), [("", []), (" \n", []), ("One sentence only.", ["One sentence only."])])
def test_nothing_is_embedded_where_there_is_nothing_to_compare(text: str, chunks: list[str]) -> None:
    def never(_texts: Sequence[str]) -> np.ndarray:
        raise AssertionError("asked for vectors")

    cut = chunk_semantic(MarkedPage(Document("d", "", text)), 2048, never)
    assert [c.text for c in cut.chunks] == chunks


def test_far_too_many_sentences_are_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic, "MOST_SENTENCES", 5)
    with pytest.raises(
        UnreadableFileError, match="6 sentences, and semantic compares at most 5; use --method recursive"
    ):
        texts_to_embed(DOCUMENT)
