"""What of a question is read: its beginning by the encoder, all of its words by the word index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from autokb.app.ask import open_index
from autokb.core.vectors import Vectors
from autokb.retrieval.index import EMBEDDED_CHARACTERS, AskIndex, beginning
from autokb.stores.workspace import Workspace

LONG = "The mower stops at the fence and turns round. " * 40


@pytest.fixture
def index(hand_made: Workspace) -> Iterator[AskIndex]:
    with closing(open_index(hand_made)) as opened:
        yield opened.index


@pytest.mark.parametrize("text", ["", "Why?", "x" * EMBEDDED_CHARACTERS, "  two words  "])
def test_a_short_question_is_its_own_beginning(text: str) -> None:
    assert beginning(text) == text


def test_a_long_question_is_cut_between_words() -> None:
    found = beginning(LONG)
    assert LONG.startswith(found + " ") and EMBEDDED_CHARACTERS - 10 < len(found) <= EMBEDDED_CHARACTERS
    assert beginning("x" * 2_000) == "x" * EMBEDDED_CHARACTERS
    assert beginning(" " * 2_000 + LONG) == found


def test_the_end_of_a_long_question_counts_by_its_words_alone(index: AskIndex) -> None:
    read: list[str] = []

    def embed(texts: Sequence[str]) -> Vectors:
        read.extend(texts)
        return index.embed_questions(texts)

    asked = replace(index, embed_questions=embed)
    one, other = asked.score(LONG), asked.score(LONG + "The rain sensor is wet.")
    assert set(read) == {beginning(LONG)}
    assert np.array_equal(one.similarities, other.similarities)
    assert not np.array_equal(one.documents.scores, other.documents.scores)


def test_the_words_that_a_section_shares_count_for_its_document(index: AskIndex) -> None:
    question = "The rain sensor is wet"
    scored = index.score(question)
    without = replace(index, weights=replace(index.weights, passages=0.0)).score(question)
    passages = (scored.documents.scores - without.documents.scores) / index.weights.passages
    assert passages == pytest.approx(index.shown.best_passages(scored.solution_scores))
    assert (passages > index.shown.best_passages(scored.solutions) + 0.01).any()
