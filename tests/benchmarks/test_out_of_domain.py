"""The arithmetic of what passes the gate; the questions themselves are measured by the benchmark."""

from __future__ import annotations

import numpy as np
from benchmarks.out_of_domain import _measure, near_domain

from autokb.core.ranking import Scores
from autokb.retrieval.calibrated_gate import FEATURES
from autokb.retrieval.gate_calibration import GateCases


def cases(values: Scores) -> GateCases:
    features = np.zeros((len(values), len(FEATURES)))
    features[:, 0] = values
    return GateCases(tuple(f"q{n}" for n in range(len(values))), features, np.zeros((len(values), 2), np.float32))


def test_systems_are_compared_where_as_many_in_domain_questions_pass() -> None:
    inside, outside = cases(np.arange(100) / 100), cases(np.array([0.0, 0.1, 0.11, 0.5]))
    thresholds = {"own": 0.2, "set@0.89": 0.3}
    found = list(_measure("s", lambda c: c.cosines, thresholds, inside, {"far": outside}, {"far": 0.3}))
    shares = {f.name: (round(f.value or 0.0, 6), f.at_most, f.at_least) for f in found}
    assert shares == {
        "s@0.89.far": (0.5, 0.3, None),  # 11 of 100 are turned away, so from .11 on
        "s.own.coverage": (0.8, None, None),
        "s.own.far": (0.25, None, None),
        "s.set@0.89.coverage": (0.7, None, 0.89),
        "s.set@0.89.far": (0.25, 0.3, None),
    }


def test_near_questions_are_many_and_each_is_there_once() -> None:
    texts = list(near_domain().values())
    assert len(texts) == len(set(texts)) >= 150
