from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from autokb.core.errors import BadInputError
from autokb.retrieval.gate import DEFAULT_THRESHOLD, SLOPE, Coefficients, Gate, WordWeights, fit_gate, read_gate


def units(rows: int, seed: int, dimensions: int = 48) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(rows, dimensions)).astype(np.float32)
    found[:, 0] += 8.0  # all about one product
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


WORDS = WordWeights(unknown=-2.0, foreign=-6.0, known=("car radio",))
LOGISTIC = Coefficients(intercept=-6.0, documents=10.0, issues=5.0)


def test_a_gate_of_a_bare_cosine_reads_whatever_is_nearest() -> None:
    gate = Gate(0.4, "encoder")
    assert gate.log_odds(0.4, -1.0) == gate.log_odds(-1.0, 0.4) == 0.0
    assert gate.log_odds(0.45, 0.5) == pytest.approx(SLOPE * 0.1)
    assert gate.log_odds(0.399, 0.399) < 0


def test_a_fitted_gate_adds_both_cosines_up() -> None:
    gate = Gate(None, "encoder", coefficients=LOGISTIC)
    assert gate.log_odds(0.4, 0.4) == pytest.approx(0.0)  # -6 + 4 + 2
    assert gate.log_odds(0.5, 0.4) == pytest.approx(1.0)
    assert gate.log_odds(-1.0, -1.0) == pytest.approx(-21.0)
    # the threshold of a calibration of earlier versions is a probability, and moves no odds
    assert replace(gate, threshold=0.9).log_odds(0.5, 0.4) == pytest.approx(1.0)


def test_another_encoder_is_refused_with_both_names() -> None:
    for coefficients in (None, LOGISTIC):
        with pytest.raises(BadInputError, match=r"first.*second"):
            Gate(0.4, "first", coefficients=coefficients).check_encoder("second")


@pytest.mark.parametrize(
    "gate",
    [
        Gate(0.3125, "encoder", "2026-01-31", "calibrated"),
        Gate(None, "encoder", None, "fitted", LOGISTIC, ("cooking", "pets")),
        Gate(0.9, "encoder", "2026-01-31", "calibrated", LOGISTIC),
        Gate(None, "encoder", None, "fitted", LOGISTIC, ("cooking",), WORDS),
    ],
)
def test_it_survives_json(gate: Gate) -> None:
    assert read_gate(json.loads(json.dumps(gate.as_json()))) == gate


def test_the_record_of_a_bare_cosine_is_what_earlier_versions_wrote() -> None:
    record = {"threshold": 0.4, "encoder": "e", "date": None, "source": "default"}
    assert Gate(0.4, "e").as_json() == record and read_gate(record) == Gate(0.4, "e")


def test_words_count_against_a_question() -> None:
    assert WORDS.log_odds("the car radio hisses", 0.25, "en") == pytest.approx(-0.5)
    assert WORDS.log_odds("the television hisses", 0.25, "en") == pytest.approx(-6.5)


def test_a_gate_without_words_is_written_as_earlier_versions_did() -> None:
    record = Gate(None, "e", None, "fitted", LOGISTIC, ("pets",)).as_json()
    assert sorted(record) == ["coefficients", "date", "encoder", "left_out", "source", "threshold"]
    # they take no notice of more keys, but refuse more coefficients
    with_words = Gate(None, "e", None, "fitted", LOGISTIC, ("pets",), WORDS).as_json()
    assert {key: value for key, value in with_words.items() if key != "words"} == record


FITTED = Gate(None, "e", coefficients=LOGISTIC, words=WORDS).as_json()


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"threshold": 1.5}, "from 0 to 1"),
        ({"threshold": -0.1}, "from 0 to 1"),
        ({"threshold": True}, "from 0 to 1"),
        ({"coefficients": {"intercept": 1.0, "documents": 2.0}}, "must be intercept, documents, issues"),
        ({"coefficients": {**FITTED["coefficients"], "words": 1.0}}, "must be intercept, documents, issues"),
        ({"coefficients": [1.0, 2.0, 3.0]}, "must be intercept, documents, issues"),
        ({"coefficients": {**FITTED["coefficients"], "issues": "5"}}, "coefficient issues must be a number"),
        ({"coefficients": {**FITTED["coefficients"], "issues": 1e300}}, "coefficient issues must be a number"),
        ({"coefficients": {**FITTED["coefficients"], "documents": float("nan")}}, "coefficient documents"),
        ({"coefficients": None}, "between -1 and 1"),
        ({"left_out": "cooking"}, "left_out must be a list"),
        ({"left_out": [1]}, "left_out must be a list"),
        ({"words": [1]}, "list of known subjects"),
        ({"words": {**FITTED["words"], "known": "car radio"}}, "list of known subjects"),
        ({"words": {**FITTED["words"], "foreign": 6.0}}, "weight of foreign words must be 0 or less"),
        ({"words": {"known": [], "foreign": -6.0}}, "weight of unknown words must be 0 or less"),
        ({"encoder": ""}, "name the encoder"),
    ],
)
def test_a_broken_record_of_a_fitted_gate_is_refused(wrong: dict[str, Any], reason: str) -> None:
    assert read_gate(FITTED).coefficients == LOGISTIC
    with pytest.raises(BadInputError, match=reason):
        read_gate(FITTED | wrong)


@pytest.mark.parametrize(
    "data", [{}, {"threshold": "low", "encoder": "e"}, {"threshold": 7, "encoder": "e"}, {"threshold": 0.3}]
)
def test_a_broken_record_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(BadInputError, match="gate"):
        read_gate(data)


def test_the_fitted_gate_lets_its_own_issues_in_and_strangers_out() -> None:
    issues = units(300, 1)
    gate = fit_gate("encoder", issues)
    fresh = units(100, 2)
    passing = sum(gate.log_odds(float((issues @ v).max()), -1.0) >= 0 for v in fresh)
    strangers = np.random.default_rng(3).normal(size=(100, 48)).astype(np.float32)
    strangers /= np.linalg.norm(strangers, axis=1, keepdims=True)
    let_in = sum(gate.log_odds(float((issues @ v).max()), -1.0) >= 0 for v in strangers)
    assert passing >= 95
    assert let_in <= 10
    assert gate.encoder == "encoder" and gate.date is None


def test_an_issue_is_not_measured_against_itself_or_its_duplicates() -> None:
    issues = units(100, 4)
    alone = fit_gate("encoder", issues)
    assert fit_gate("encoder", np.vstack([issues, issues])).threshold == pytest.approx(alone.threshold, abs=0.02)
    assert alone.threshold < 0.95


def test_documents_near_the_issues_raise_the_threshold() -> None:
    issues = units(100, 5)
    closer = issues + 0.01
    closer /= np.linalg.norm(closer, axis=1, keepdims=True)
    assert fit_gate("encoder", issues, [closer]).threshold > fit_gate("encoder", issues).threshold


def test_off_topic_issues_among_the_raw_ones_do_not_lower_the_gate() -> None:
    issues = units(200, 7)
    strangers = np.random.default_rng(8).normal(size=(14, 48)).astype(np.float32)
    strangers /= np.linalg.norm(strangers, axis=1, keepdims=True)
    mixed = np.vstack([issues, strangers])
    gate = fit_gate("encoder", mixed)
    nearest = [float(np.delete(mixed, 200 + n, axis=0).dot(v).max()) for n, v in enumerate(strangers)]
    assert sum(gate.log_odds(cosine, -1.0) >= 0 for cosine in nearest) <= 2
    assert gate.threshold <= fit_gate("encoder", issues).threshold + 0.05


def test_issues_that_lie_close_together_turn_away_a_tenth_at_most() -> None:
    issues = units(200, 9)
    crowded = np.vstack([issues[:100] * 0.999 + issues[0] * 0.2, issues[100:]]).astype(np.float32)
    crowded /= np.linalg.norm(crowded, axis=1, keepdims=True)
    gate = fit_gate("encoder", crowded)
    cosines = crowded @ crowded.T
    np.fill_diagonal(cosines, -1.0)
    assert sum(cosines.max(axis=1) >= gate.threshold) >= 179


@pytest.mark.parametrize("count", [0, 1, 5])
def test_few_issues_keep_the_default(count: int) -> None:
    gate = fit_gate("encoder", units(count, 6))
    assert gate.threshold == DEFAULT_THRESHOLD
    assert str(count) in gate.source


@pytest.mark.parametrize(
    ("count", "threshold"), [(20, 0.2 * 0.64 + 0.8 * 0.3), (50, 0.5 * 0.64 + 0.5 * 0.3), (100, 0.64)]
)
def test_few_issues_count_beside_the_default(count: int, threshold: float) -> None:
    issues = np.hstack([np.full((count, 1), 0.8), 0.6 * np.eye(count)]).astype(
        np.float32
    )  # any two have the cosine .64
    assert fit_gate("encoder", issues).threshold == pytest.approx(threshold, abs=2e-4)
