from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from autokb.core.errors import BadInputError
from autokb.retrieval.calibrated_gate import (
    FEATURES,
    NEAREST,
    CalibratedGate,
    CalibrationData,
    mean_of_nearest,
    read_calibrated_gate,
)

IN = CalibrationData(40, 38, "a" * 64)
OUT = CalibrationData(30, 1, "0" * 64)
GATE = CalibratedGate(
    threshold=0.75,
    encoder="encoder",
    date="2026-01-31T10:00:00+00:00",
    intercept=-6.0,
    weights=(10.0, 1.0, 5.0, 0.0, 0.0, -2.0, -6.0),
    vector=(2.0, -1.0),
    in_domain=IN,
    out_of_domain=OUT,
)
RECORD = GATE.as_json()


def test_features_and_vector_add_up_to_log_odds() -> None:
    features = np.array([0.5, 0.4, 0.2, 0.0, 0.0, 0.5, 0.0])
    # -6 + 5 + 0.4 + 1 - 1 + 2 * 0.6 - 0.8 = -0.2
    assert GATE.probability(features, np.array([0.6, 0.8], np.float32)) == pytest.approx(1 / (1 + math.exp(0.2)))


def test_it_passes_what_is_as_probable_as_its_threshold_asks() -> None:
    vector = np.zeros(2, dtype=np.float32)
    at = np.array([0.6 + math.log(3) / 10, 0, 0, 0, 0, 0, 0])  # -6 + 6 + log 3: odds of 3 to 1
    assert GATE.passes(at + 1e-9, vector) and not GATE.passes(at - 0.001, vector)


def test_it_survives_json() -> None:
    assert read_calibrated_gate(json.loads(json.dumps(RECORD))) == GATE
    assert RECORD["weights"] == dict(zip(FEATURES, GATE.weights, strict=True))


def test_another_encoder_is_refused_with_both_names_and_a_way_out() -> None:
    with pytest.raises(BadInputError, match=r"encoder encoder, not other;.*gate calibrate.*gate reset"):
        GATE.check_encoder("other")


def test_vectors_of_another_length_are_refused() -> None:
    GATE.check_length(2)
    with pytest.raises(BadInputError, match="2 numbers, and the encoder's have 384"):
        GATE.check_length(384)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"threshold": None}, "from 0 to 1"),
        ({"threshold": -0.1}, "from 0 to 1"),
        ({"threshold": True}, "from 0 to 1"),
        ({"encoder": ""}, "name the encoder"),
        ({"date": None}, "have a date"),
        ({"weights": [1.0]}, "weights must be documents, "),
        ({"weights": {**RECORD["weights"], "length": 1.0}}, "weights must be documents, "),
        ({"weights": {**RECORD["weights"], "bm25": "1"}}, "must be a number"),
        ({"intercept": float("nan")}, "must be a number"),
        ({"vector": 1.0}, "list of numbers"),
        ({"vector": [1.0, 1e300]}, "must be a number"),
        ({"in_domain": {"n": 40, "passing": 41, "sha256": "a" * 64}}, "in_domain must have"),
        ({"in_domain": {"n": 4.5, "passing": 1, "sha256": "a" * 64}}, "in_domain must have"),
        ({"out_of_domain": {"n": 40, "passing": 4, "sha256": "abc"}}, "out_of_domain must have"),
        ({"out_of_domain": 7}, "out_of_domain must have"),
    ],
)
def test_a_broken_record_is_refused(wrong: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        read_calibrated_gate(RECORD | wrong)


def test_the_mean_is_that_of_the_nearest() -> None:
    assert mean_of_nearest([0.1] * 50 + [0.9] * NEAREST) == pytest.approx(0.9)
    assert mean_of_nearest([0.2, 0.4]) == pytest.approx(0.3)
    assert mean_of_nearest([]) == -1.0
