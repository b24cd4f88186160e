"""Shares of judged chunks and weighted precision, with the arithmetic written out."""

from __future__ import annotations

import pytest

from autokb.core.nouns import Chunk, Document
from autokb.evaluation.tenets import (
    ScoredQuestion,
    judged_chunks,
    retrieval_figures,
    sampled_requests,
    share_of_yes,
    verdict_request,
    weighted_precision,
)
from autokb.tasks.judges.chunk_verdicts import ChunkVerdict, JudgeChunk
from autokb.tasks.judges.task_relevance.task import JudgeForTask

YES, NO = ChunkVerdict(verdict="yes"), ChunkVerdict(verdict="no")


def chunks(many: int, document: str = "d") -> list[Chunk]:
    return [Chunk(f"{document}{n}", document, f"Text {n} of {document}.", ((n, n + 1),)) for n in range(many)]


def test_the_share_of_yes_leaves_unreadable_replies_out() -> None:
    found = share_of_yes(chunks(5), [YES, NO, YES, None, YES])
    assert found["value"] == 3 / 4
    assert (found["judged"], found["unreadable"], found["not_judged"]) == (4, 1, 0)
    assert 0 <= found["low"] <= 3 / 4 <= found["high"] <= 1


def test_without_a_model_there_is_no_share() -> None:
    found = share_of_yes(chunks(2), [ChunkVerdict(verdict="not judged")] * 2)
    assert found == {"value": None, "low": None, "high": None, "judged": 0, "unreadable": 0, "not_judged": 2}


def test_unreadable_replies_alone_make_no_share() -> None:
    found = share_of_yes(chunks(2), [None, None])
    assert (found["value"], found["judged"], found["unreadable"]) == (None, 0, 2)


def test_the_interval_draws_documents() -> None:
    both = [*chunks(20, "a"), *chunks(20, "b")]
    assert share_of_yes(both, [YES] * 20 + [NO] * 20)["low"] == 0.0


@pytest.mark.parametrize(
    ("scores", "k", "expected"),
    [((4, 4, 4), 3, 1.0), ((4, 0, 2), 3, 6 / 12), ((3,), 1, 3 / 4), ((4, 2), 5, 6 / 20), ((), 1, 0.0)],
)
def test_weighted_precision_is_the_sum_of_scores_over_the_most_there_could_be(
    scores: tuple[int, ...], k: int, expected: float
) -> None:
    assert weighted_precision(scores, k) == expected


def test_a_missing_score_makes_a_question_unreadable_where_it_counts() -> None:
    found = retrieval_figures([ScoredQuestion((4, 2, 0, 0, 0)), ScoredQuestion((2, None, 4, 0, 0))])
    assert found["wp@1"]["value"] == (4 / 4 + 2 / 4) / 2
    assert (found["wp@3"]["value"], found["wp@3"]["judged"], found["wp@3"]["unreadable"]) == (6 / 12, 1, 1)
    assert found["wp@5"]["value"] == 6 / 20


def test_without_questions_there_is_no_weighted_precision() -> None:
    assert retrieval_figures([])["wp@5"] == {"value": None, "low": None, "high": None, "judged": 0, "unreadable": 0}


def test_the_sample_is_even_in_its_order_and_the_same_every_time() -> None:
    given = chunks(50)
    found = judged_chunks(given, 10)
    assert len(found) == 10
    assert found == judged_chunks(given, 10)
    assert found == [chunk for chunk in given if chunk in found]
    assert judged_chunks(given, 50) == given


def test_every_method_gives_as_many_chunks_to_ask_about() -> None:
    documents = {name: Document(name, name.upper(), "") for name in "ab"}
    own = {"one": [*chunks(5, "a"), *chunks(5, "b")], "other": chunks(5, "a")}
    found = sampled_requests(own, documents, 6)
    assert [name.split()[0] for name, _ in found] == ["one", "other"] * 3
    assert found == sampled_requests(own, documents, 6)


def test_neighbours_that_are_shown_together_are_of_one_document() -> None:
    documents = {name: Document(name, name, "") for name in "ab"}
    own = {"one": [*chunks(1, "a"), *chunks(1, "b")]}
    assert sorted(item.chunks for _, item in sampled_requests(own, documents, 9)) == [
        ("Text 0 of a.",),
        ("Text 0 of b.",),
    ]


def test_only_task_relevance_is_told_the_task() -> None:
    (chunk,) = chunks(1)
    assert verdict_request("task_relevance", chunk, "help") == JudgeForTask("help", "Text 0 of d.")
    assert verdict_request("noise", chunk, "help") == JudgeChunk("Text 0 of d.")
