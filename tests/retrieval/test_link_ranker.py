"""The second ranker: learnt from links where they teach something, it orders what stands behind the first place."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from autokb.retrieval.link_ranker import (
    FEWEST_LINKED,
    LinkedQuestion,
    behind_first,
    first_line,
    learn_ranker,
    read_ranker,
)

DOCUMENTS = 8
SIZE = 12
RIGHT = np.eye(DOCUMENTS, dtype=bool)


def past(count: int, told: float = 1.5, seed: int = 3) -> tuple[list[LinkedQuestion], np.ndarray, np.ndarray]:
    """Questions whose vectors tell their document by ``told``; their text scores are noise."""
    rng = np.random.default_rng(seed)
    topics = rng.normal(size=(DOCUMENTS, SIZE))
    chosen = rng.integers(0, DOCUMENTS, count)
    vectors = told * topics[chosen] + rng.normal(size=(count, SIZE))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    days = [f"2024-{n // 28 % 12 + 1:02}-{n % 28 + 1:02}" for n in range(count)]
    questions = [LinkedQuestion(f"word{chosen[n]} is wrong", v, v, days[n]) for n, v in enumerate(vectors)]
    return questions, rng.uniform(size=(count, DOCUMENTS)) * 0.1, RIGHT[chosen]


def test_links_that_teach_are_learnt_and_survive_json() -> None:
    questions, text, linked = past(260)
    ranker = learn_ranker(questions, text, linked, text[-78:], "en")
    assert ranker is not None
    right = [int(linked[n].argmax()) for n in range(200)]
    found = [int(ranker.scores(text[n], questions[n]).argmax()) for n in range(200)]
    assert np.mean(np.array(found) == np.array(right)) > 0.9
    again = read_ranker(json.loads(json.dumps(ranker.as_json())), "en")
    assert np.array_equal(again.scores(text[3], questions[3]), ranker.scores(text[3], questions[3]))


def test_links_without_rhyme_or_reason_teach_nothing() -> None:
    questions, text, linked = past(260, told=0.0)
    told = [replace(q, text="the same words") for q in questions]
    sure = np.where(linked, 0.9, text)  # the document score knows already
    assert learn_ranker(told, text, linked, sure[-78:], "en") is None


def test_too_few_links_teach_nothing() -> None:
    questions, text, linked = past(FEWEST_LINKED - 1)
    assert learn_ranker(questions, text, linked, text[-60:], "en") is None


def test_the_first_place_stays_with_the_document_score() -> None:
    ordered = behind_first(np.array([[0.1, 0.9, 0.2]]), np.array([[5.0, 1.0, 9.0]]))
    assert ordered[0].argsort()[::-1].tolist() == [1, 2, 0]


def test_undated_questions_are_as_old_as_the_median() -> None:
    questions, text, linked = past(260)
    undated = [replace(q, date="") for q in questions]
    assert learn_ranker(undated, text, linked, text[-78:], "en") is not None


@pytest.mark.parametrize(
    ("text", "line"), [("Title\n\nBody of it", "Title"), ("\n  one line ", "one line"), ("alone", "alone"), ("", "")]
)
def test_the_first_line_that_says_something(text: str, line: str) -> None:
    assert first_line(text) == line


@pytest.mark.parametrize("damage", [{}, {"beta": 1, "bias": [1.0], "idf": {}, "weights": "x"}])
def test_a_damaged_record_is_no_ranker(damage: dict) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        read_ranker(damage, "en")
