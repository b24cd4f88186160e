"""Recall, precision and IoU by characters, with the arithmetic written out."""

from __future__ import annotations

import pytest

from autokb.plugins.lab.evaluation.chunking.token_metrics import (
    DocumentSpans,
    TokenScores,
    precision_omega,
    token_scores,
)


def place(*spans: tuple[int, int], document: str = "d") -> DocumentSpans:
    return DocumentSpans(document, spans)


def test_an_excerpt_that_two_chunks_share() -> None:
    # The excerpt has 40 characters, 20 in each chunk; the chunks have 100 each.
    scores = token_scores([place((0, 100)), place((100, 200))], [place((80, 120))])
    assert scores == TokenScores(recall=40 / 40, precision=40 / 200, iou=40 / 200)


def test_what_was_not_found_lowers_recall_and_iou() -> None:
    # 10 of 30 needed characters are in the one chunk of 50: the union has 50 + 30 - 10.
    scores = token_scores([place((0, 50))], [place((40, 60)), place((90, 100))])
    assert scores == TokenScores(recall=10 / 30, precision=10 / 50, iou=10 / 70)


def test_text_that_is_retrieved_twice_is_found_once_and_paid_twice() -> None:
    scores = token_scores([place((0, 50)), place((25, 75))], [place((30, 40))])
    assert scores == TokenScores(recall=1.0, precision=10 / 100, iou=10 / 100)


def test_excerpts_that_overlap_are_needed_once() -> None:
    scores = token_scores([place((0, 20))], [place((0, 20)), place((10, 40))])
    assert scores == TokenScores(recall=20 / 40, precision=1.0, iou=20 / 40)


def test_the_same_offsets_of_another_document_are_something_else() -> None:
    scores = token_scores([place((0, 10), document="other")], [place((0, 10))])
    assert scores == TokenScores(0.0, 0.0, 0.0)


def test_a_chunk_of_several_spans_pays_for_these_alone() -> None:
    scores = token_scores([place((0, 10), (50, 60))], [place((5, 55))])
    assert scores == TokenScores(recall=10 / 50, precision=10 / 20, iou=10 / 60)


def test_nothing_retrieved_scores_nothing() -> None:
    assert token_scores([], [place((0, 5))]) == TokenScores(0.0, 0.0, 0.0)


def test_a_question_without_an_excerpt_cannot_be_scored() -> None:
    with pytest.raises(ValueError, match="at least one character"):
        token_scores([place((0, 5))], [])


def test_precision_omega_takes_every_chunk_that_holds_a_part() -> None:
    # The chunks of 10, 30 and 60 characters: the excerpt of 20 stands in the first two, so 20 of 40 characters.
    chunks = [place((0, 10)), place((10, 40)), place((40, 100))]
    assert precision_omega(chunks, [place((5, 25))]) == 20 / 40


def test_precision_omega_of_an_excerpt_that_is_in_no_chunk_is_zero() -> None:
    assert precision_omega([place((0, 10))], [place((20, 25))]) == 0.0
