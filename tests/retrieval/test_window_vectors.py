"""A window's vector is the mean of its sections' vectors; what stands in none, or has a model's context, is read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from autokb.core.domain import read_domain
from autokb.core.nouns import Chunk, Document, Passage
from autokb.core.vectors import Vectors
from autokb.issues.passages import document_passages
from autokb.retrieval.candidates import section_text
from autokb.retrieval.corpus import Corpus

CLEAN = "Hold the button for ten seconds. Then wait until the lamp is green."
CHARGE = "Put the buds into the case and close the lid. Leave them there for an hour, until the lamp is green."
STORY = "Our founder liked music. " * 30
TEXT = f"# Buds\n\n## Clean\n\n1. {CLEAN}\n\n## Charge\n\n1. {CHARGE}\n"


def made(text: str, context: str = "") -> tuple[Corpus, list[Passage]]:
    document = Document("buds.md", "Buds", text)
    chunk = Chunk("c1", "buds.md", text, ((0, len(text)),), (), context=context or "Buds")
    return Corpus.of({"buds.md": document}, [chunk], "en"), list(
        document_passages(document, [chunk], read_domain({"name": "buds"}))
    )


class Reader:
    """Gives each text a direction of its own, and keeps what it read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.read += texts
        return np.eye(len(texts), 8, dtype=np.float32)


def test_it_is_the_mean_of_its_sections_by_their_characters() -> None:
    (corpus, passages), reader = made(TEXT), Reader()
    vectors = corpus.window_vectors(passages, reader)
    assert reader.read == corpus.texts_to_read(passages) == [section_text(p) for p in passages]
    sizes = [sum(e.end - e.start for e in p.solution.evidence) for p in passages]
    assert len(corpus.windows) == 1 and len(set(sizes)) == 2
    assert vectors[0][:2] == pytest.approx(np.array(sizes) / np.linalg.norm(sizes), abs=1e-6)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)


def test_a_window_of_which_sections_have_less_than_half_is_read_itself() -> None:
    (corpus, passages), reader = made(f"{TEXT}\n{STORY}"), Reader()
    passages = [p for p in passages if "founder" not in p.section]
    corpus.window_vectors(passages, reader)
    alone = set(corpus.window_texts()) & set(reader.read)
    assert alone and all("founder" in text for text in alone)


def test_what_a_model_wrote_as_context_is_read_with_its_window() -> None:
    (corpus, passages), reader = made(TEXT, "This part is about earbuds."), Reader()
    corpus.window_vectors(passages, reader)
    assert reader.read == corpus.window_texts()


def test_without_documents_there_are_none() -> None:
    assert Corpus.of({}, [], "en").window_vectors((), Reader()).shape == (0, 8)
