"""Short answers without a model: a run of the passage's own words, or none."""

from __future__ import annotations

import pytest

from autokb.heuristics.short_answers import MOST_WORDS, find_short_answer

ISLAND = (
    "The ferry to the island leaves at nine. In winter it sails on Fridays only.",
    "The lighthouse on the cliff was built in 1874 by Ada Holm. It is 31 metres high, and nobody lives there.",
)


def found(question: str, *passages: str, language: str = "en") -> str | None:
    passages = passages or ISLAND
    answer = find_short_answer(question, passages, language)
    return answer and passages[answer.passage][answer.span[0] : answer.span[1]]


def test_the_words_beside_those_of_the_question() -> None:
    assert found("Who built the lighthouse on the cliff?") == "Ada Holm"
    assert found("When was the lighthouse on the cliff built?") == "1874"
    assert found("What leaves to the island at nine?") == "ferry"


def test_the_sentence_is_given_with_its_passage() -> None:
    answer = find_short_answer("Who built the lighthouse?", ISLAND)
    assert answer is not None and answer.passage == 1
    assert ISLAND[1][slice(*answer.sentence)] == "The lighthouse on the cliff was built in 1874 by Ada Holm."


@pytest.mark.parametrize("question", ["What does a ticket for the museum cost?", "Why?", "of the", ""])
def test_a_question_that_no_sentence_speaks_of_has_no_answer(question: str) -> None:
    assert found(question) is None


def test_without_passages_or_words_that_the_question_lacks_there_is_none() -> None:
    assert find_short_answer("Who built the lighthouse?", ()) is None
    assert found("Is the lighthouse red?", "The red lighthouse.") is None


def test_an_answer_is_never_longer_than_allowed() -> None:
    long = " ".join(f"word{n}" for n in range(MOST_WORDS + 1))
    assert found("What does the keeper carry?", f"The keeper carries {long}.") is None
    fits = " ".join(f"word{n}" for n in range(MOST_WORDS))
    assert found("What does the keeper carry?", f"The keeper carries {fits}.") == fits


def test_german_asks_with_its_own_words() -> None:
    tower = "Der Leuchtturm wurde 1874 von Ada Holm gebaut."
    assert found("Wann wurde der Leuchtturm gebaut?", tower, language="de") == "1874"
    assert found("Wer hat den Leuchtturm gebaut?", tower, language="de") == "Ada Holm"
