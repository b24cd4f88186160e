from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import hand_made_kb
from autokb.pipeline.open_index import open_index
from autokb.retrieval.calibrated_gate import FEATURES
from autokb.retrieval.gate_calibration import GateCases, calibrate, choose_threshold, everyday_cases, least_passing
from autokb.retrieval.index import QuestionIndex
from autokb.stores.workspace import Workspace
from gate_questions import IN_DOMAIN, OUT_OF_DOMAIN

DATE = "2026-01-31T10:00:00+00:00"
ISSUES = FEATURES.index("issues")


@pytest.fixture
def index(hand_made: Workspace) -> Iterator[QuestionIndex]:
    opened = open_index(hand_made)
    yield opened.index
    opened.close()


def test_the_threshold_turns_away_no_more_than_the_rest_of_the_coverage() -> None:
    values = np.arange(1, 21) / 100
    assert least_passing(values, 0.95) == 0.02  # one of 20 below
    assert least_passing(values, 0.89) == 0.03  # 2.2 of 20: two below
    assert least_passing(values, 1.0) == 0.01
    assert least_passing(np.array([0.12345678] * 20), 0.95) == 0.123456  # rounded down, so that all still pass


def test_a_threshold_lies_halfway_to_the_out_of_domain_question_below_it() -> None:
    inside, outside = np.array([0.8] * 19 + [0.05]), np.array([0.1, 0.2, 0.9])
    # log-odds of .8 and of .2 are opposite; .9 passes anyway, and .05 may be turned away
    assert choose_threshold(inside, outside, 0.95) == pytest.approx(0.5, abs=1e-5)
    assert choose_threshold(inside, np.array([0.9, 0.95]), 0.95) == 0.8
    assert choose_threshold(inside, np.array([0.799999]), 0.95) == pytest.approx(0.8, abs=2e-6)


def test_a_calibrated_gate_tells_both_sides_apart(index: QuestionIndex) -> None:
    found = calibrate(index, GateCases.of(index, IN_DOMAIN), GateCases.of(index, OUT_OF_DOMAIN), DATE)
    gate = found.gate
    assert (gate.encoder, gate.date) == (index.encoder, DATE) and len(gate.vector) == 384
    assert gate.in_domain.n == gate.out_of_domain.n == 24
    assert (
        gate.in_domain.passing == (found.in_domain >= gate.threshold).sum() >= 23
    )  # .95 of 24: one may be turned away
    assert gate.out_of_domain.passing == (found.out_of_domain >= gate.threshold).sum() == 0
    asked = replace(index, calibration=gate)
    for text in ("the battery of my Glider is empty", "my robot has lost its pairing"):
        assert asked.passes_calibration(asked.score(text)), text
    for text in ("tell me a story", "which museum is open on Sundays", "thank you!"):
        assert not asked.passes_calibration(asked.score(text)), text


@pytest.mark.slow
def test_the_order_of_the_questions_is_no_matter(index: QuestionIndex) -> None:
    forward = calibrate(index, GateCases.of(index, IN_DOMAIN), GateCases.of(index, OUT_OF_DOMAIN), DATE)
    back = calibrate(index, GateCases.of(index, IN_DOMAIN[::-1]), GateCases.of(index, OUT_OF_DOMAIN[::-1]), DATE)
    assert back.gate.in_domain == forward.gate.in_domain and back.gate.out_of_domain == forward.gate.out_of_domain
    assert back.gate.threshold == pytest.approx(forward.gate.threshold, abs=0.01)


def test_each_question_is_judged_by_a_gate_that_has_not_seen_it(index: QuestionIndex) -> None:
    """Vectors at random tell nothing; a gate judged on what it was fitted on would tell all of them apart."""
    random = np.random.default_rng(7)

    def cases(texts: list[str]) -> GateCases:
        vectors = random.normal(size=(len(texts), 384)).astype(np.float32)
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return GateCases(tuple(texts), np.full((len(texts), len(FEATURES)), 0.5), unit)

    found = calibrate(index, cases([f"a{n}" for n in range(100)]), cases([f"b{n}" for n in range(100)]), DATE)
    assert found.gate.in_domain.passing in (95, 96)
    assert found.gate.out_of_domain.passing > 80


def test_a_question_that_is_known_already_does_not_count_as_near_itself(index: QuestionIndex) -> None:
    known = hand_made_kb.RAW["r1"][0]
    assert index.gate_features(index.score(known))[ISSUES] == pytest.approx(1.0, abs=1e-3)
    asked = GateCases.of(index, [known, "a question of mine"])
    assert asked.features[0, ISSUES] < 0.95
    assert asked.features[1].tolist() == index.gate_features(index.score("a question of mine")).tolist()


def test_words_that_no_document_has_move_their_share_alone(index: QuestionIndex) -> None:
    scored = index.score("the robot stops")
    unknown = FEATURES.index("unknown")
    known, strange = (index.gate_features(replace(scored, read=text)) for text in ("robot", "xylophone quartz robot"))
    assert known[unknown] == 0.0 and strange[unknown] > 0.5
    assert known[:4].tolist() == strange[:4].tolist()  # cosines are those of the vector


@pytest.mark.slow
def test_everyday_questions_leave_out_the_kinds_that_are_near(index: QuestionIndex) -> None:
    everything = everyday_cases(index)
    near = replace(index, gate=replace(index.gate, left_out=("email_and_browsers",)))
    assert 0 < len(everyday_cases(near).texts) < len(everything.texts)
    assert everyday_cases(replace(index, spec=replace(index.spec, language="xx"))).texts == ()
