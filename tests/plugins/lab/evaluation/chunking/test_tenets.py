"""Shares of judged chunks and weighted precision, with the arithmetic written out."""

from __future__ import annotations

import pytest

from autokb.core.nouns import Chunk
from autokb.plugins.lab.evaluation.chunking.judges import (
    QuestionScores,
    share_of_yes,
    weighted_precision,
    weighted_precisions,
)
from autokb.tasks.judges.chunk_verdicts import ChunkVerdict

YES, NO = ChunkVerdict(verdict="yes"), ChunkVerdict(verdict="no")


def chunks(many: int, document: str = "d") -> list[Chunk]:
    return [Chunk(f"{document}{n}", document, f"Text {n} of {document}.", ((n, n + 1),)) for n in range(many)]


def test_the_share_of_yes_leaves_unreadable_replies_out() -> None:
    found = share_of_yes(chunks(5), [YES, NO, YES, None, YES])
    assert found.interval.value == 3 / 4
    assert (found.judged, found.unreadable, found.not_judged) == (4, 1, 0)
    assert 0 <= found.interval.low <= 3 / 4 <= found.interval.high <= 1


def test_without_a_model_there_is_no_share() -> None:
    found = share_of_yes(chunks(2), [ChunkVerdict(verdict="not judged")] * 2).as_json()
    assert found == {"value": None, "low": None, "high": None, "judged": 0, "unreadable": 0, "not_judged": 2}


def test_unreadable_replies_alone_make_no_share() -> None:
    found = share_of_yes(chunks(2), [None, None])
    assert (found.interval.value, found.judged, found.unreadable) == (None, 0, 2)


def test_the_interval_draws_documents() -> None:
    both = [*chunks(20, "a"), *chunks(20, "b")]
    assert share_of_yes(both, [YES] * 20 + [NO] * 20).interval.low == 0.0


@pytest.mark.parametrize(
    ("scores", "k", "expected"),
    [((4, 4, 4), 3, 1.0), ((4, 0, 2), 3, 6 / 12), ((3,), 1, 3 / 4), ((4, 2), 5, 6 / 20), ((), 1, 0.0)],
)
def test_weighted_precision_is_the_sum_of_scores_over_the_most_there_could_be(
    scores: tuple[int, ...], k: int, expected: float
) -> None:
    assert weighted_precision(scores, k) == expected


def test_a_missing_score_makes_a_question_unreadable_where_it_counts() -> None:
    found = weighted_precisions([QuestionScores((4, 2, 0, 0, 0)), QuestionScores((2, None, 4, 0, 0))])
    assert found["wp@1"].interval.value == (4 / 4 + 2 / 4) / 2
    assert (found["wp@3"].interval.value, found["wp@3"].judged, found["wp@3"].unreadable) == (6 / 12, 1, 1)
    assert found["wp@5"].interval.value == 6 / 20


def test_without_questions_there_is_no_weighted_precision() -> None:
    assert weighted_precisions([])["wp@5"].as_json() == {
        "value": None,
        "low": None,
        "high": None,
        "judged": 0,
        "unreadable": 0,
    }
