"""The retrieval benchmark keeps time: what asks is unknown to what was built, and tuning never sees the report."""

from __future__ import annotations

from typing import Any

from benchmarks.figures import Figure
from benchmarks.retrieval import TUNING_SPANS, pooled, span, split, with_prior

ISSUES = [{"issue_id": f"i{n:03}", "created": f"2025-01-{n // 4 + 1:02}", "gold_kb": []} for n in range(100)]


def test_the_earlier_build_and_the_later_ask() -> None:
    asked, history = split(ISSUES, tuning=False)
    assert [*history, *asked] == ISSUES
    assert 70 <= len(history) < 74
    assert max(i["created"] for i in history) < min(i["created"] for i in asked)


def test_tuning_stays_inside_the_earlier_part() -> None:
    asked, history = split(ISSUES, tuning=True)
    report, earlier = split(ISSUES, tuning=False)
    assert [*history, *asked] == earlier
    assert len(history) == 52  # day 13 is not split
    assert not {i["issue_id"] for i in asked} & {i["issue_id"] for i in report}


def test_spans_for_tuning_stay_inside_the_earlier_part_and_ask_what_came_before() -> None:
    report, _ = split(ISSUES, tuning=False)
    asked = []
    for start, end in TUNING_SPANS:
        later, earlier = span(ISSUES, start, end)
        assert later and max(i["created"] for i in earlier) < min(i["created"] for i in later)
        asked += [issue["issue_id"] for issue in later]
    assert len(asked) == len(set(asked))
    assert not {i["issue_id"] for i in report} & {*asked}


def test_the_questions_of_all_spans_count_together() -> None:
    def of_span(query: str, ranking: list[str], shown: float) -> dict[str, Any]:
        raw = {"rankings": {query: ranking}, "per_query": {"shown@5": {query: shown}}}
        return {"systems": {"raw": raw}, "relevant": {query: {"a": 1.0}}}

    metrics = pooled([of_span("q1", ["a", "b"], 1.0), of_span("q2", ["b", "a"], 0.0)])["systems"]["raw"]["metrics"]
    assert metrics["hit_rate@1"]["value"] == 0.5
    assert metrics["shown@5"]["value"] == 0.5


def test_the_prior_answers_alike_and_is_measured_beside_the_systems() -> None:
    answer: dict[str, Any] = {
        "systems": {"raw": {"metrics": {}, "rankings": {"q1": ["a", "b"], "q2": ["b", "c"]}}},
        "relevant": {"q1": {"b": 1.0}, "q2": {"b": 1.0}},
    }
    systems = with_prior(answer, ["c", "b"])["systems"]
    assert systems["prior"]["rankings"] == {"q1": ["c", "b"], "q2": ["c", "b"]}
    assert systems["prior"]["metrics"]["mrr"]["value"] == 0.5
    assert systems["raw"]["metrics"]["mrr"]["value"] == 0.75


def test_a_promise_is_kept_or_missed() -> None:
    assert Figure("a", 5.0, at_most=5).kept is True
    assert Figure("a", 5.1, at_most=5).kept is False
    assert Figure("a", 0.9, at_least=1).kept is False
    assert Figure("a", 0.9).kept is None
    assert Figure("a", None, at_least=1).kept is None
