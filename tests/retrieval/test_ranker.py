"""One sum of weights and features, and the fit that finds the weights under which right rows are likeliest."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.ranker_fit import RankingCase, fit_ranker

from autokb.llm.embedders.packaged import PackagedEmbedder
from autokb.retrieval.features import FEATURES, HISTORY
from autokb.retrieval.ranker import Ranker, packaged_ranker, packaged_record


def case(features: list[list[float]], *right: int) -> RankingCase:
    table = np.array(features, dtype=np.float64)
    return RankingCase(table, np.isin(np.arange(len(table)), right))


def test_a_score_is_the_sum_of_weights_and_features() -> None:
    ranker = Ranker({"section": 2.0, "heading": -1.0, "votes": 3.0})
    row = dict.fromkeys(FEATURES, 7.0) | {"section": 0.5, "heading": 0.25, "votes": 0.1}
    without = {name: value for name, value in row.items() if name not in ranker.weights}
    table = np.array([list(row.values()), [0.0] * len(FEATURES)])
    assert without and ranker.score(table) == pytest.approx([2 * 0.5 - 0.25 + 3 * 0.1, 0.0])


def test_without_history_only_its_features_lose_their_weights() -> None:
    weights = {name: float(n) for n, name in enumerate(FEATURES, 1)}
    left = Ranker(weights).without_history().weights
    assert left == {name: weight for name, weight in weights.items() if name not in HISTORY}
    assert len(left) == len(FEATURES) - len(HISTORY)


# -- the fit ----------------------------------------------------------------------------------------------------------

ONE_OF_TWO = case([[1.0], [0.0]], 0)


def test_the_fit_finds_the_weight_that_is_known() -> None:
    """Where p of the questions have row 0 right, its log-odds are the weight: here log(3) of 3 to 1."""
    cases = [ONE_OF_TWO] * 300 + [case([[1.0], [0.0]], 1)] * 100
    assert fit_ranker(cases, pull=0.0) == pytest.approx([math.log(3)], abs=1e-3)


def test_several_right_rows_share_what_is_right() -> None:
    """Three alike with feature 1, two of them right, and one with 0: (2 e^w + 1) / (3 e^w + 1) only falls."""
    up, down = case([[1.0], [1.0], [0.0]], 0, 1), case([[1.0], [1.0], [0.0]], 2)
    # shares 2 e^w / (2 e^w + 1) and 1 / (2 e^w + 1): even where 2 e^w = 1
    assert fit_ranker([up, down] * 100, pull=0.0) == pytest.approx([-math.log(2)], abs=1e-3)


def test_a_pull_draws_to_the_expected_weights() -> None:
    free, held = fit_ranker([ONE_OF_TWO] * 10, [3.0], pull=0.01), fit_ranker([ONE_OF_TWO] * 10, [3.0], pull=100.0)
    assert held[0] == pytest.approx(3.0, abs=0.01) and free[0] > 3.5
    # where slope and pull are level: 10 / (1 + e^w) = 2 pull (w - 3)
    w = float(fit_ranker([ONE_OF_TWO] * 10, [3.0], pull=1.0)[0])
    assert 10 / (1 + math.exp(w)) == pytest.approx(2 * (w - 3), abs=1e-2)


def test_a_feature_that_tells_nothing_keeps_what_is_expected() -> None:
    cases = [case([[1.0, 0.5], [0.0, 0.5]], n % 4 // 3) for n in range(80)]
    told, silent = fit_ranker(cases, [0.0, 2.0])
    assert 0.9 < told < math.log(3) and silent == pytest.approx(2.0)


def test_questions_that_tell_no_row_from_another_are_left_out() -> None:
    nothing_right, all_right = case([[1.0], [0.0]]), case([[1.0], [0.0]], 0, 1)
    fitted = fit_ranker([ONE_OF_TWO] * 5, pull=1.0)
    assert fit_ranker([nothing_right, *[ONE_OF_TWO] * 5, all_right], pull=1.0).tolist() == fitted.tolist()
    assert fit_ranker([nothing_right, all_right], [0.5]).tolist() == [0.5]
    assert fit_ranker([]).tolist() == [0.0] * len(FEATURES)


def test_large_features_overflow_nothing() -> None:
    assert np.isfinite(fit_ranker([case([[1e4], [-1e4]], 1)] * 3, [1.0])).all()


# -- what ships -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reads_tokens", [False, True])
def test_the_packaged_weights_are_of_known_features_and_count_for_a_row(reads_tokens: bool) -> None:
    weights = packaged_ranker(reads_tokens=reads_tokens).weights
    assert set(weights) == set(FEATURES) - ({"words"} if reads_tokens else set())
    against = {"introduction", "problem"}  # what speaks against a row
    assert all(
        math.isfinite(weight) and (weight <= 0 if n in against else weight >= 0) for n, weight in weights.items()
    )


def test_without_tokens_there_is_no_late_interaction() -> None:
    assert packaged_ranker(reads_tokens=False).weights["late_interaction"] == 0.0
    assert packaged_ranker(reads_tokens=True).weights["late_interaction"] > 0.0
    assert packaged_ranker() is packaged_ranker()


def test_the_record_says_of_which_encoder_and_questions_it_is() -> None:
    record = packaged_record()
    assert record["encoder"] == PackagedEmbedder.name
    assert record["questions"]["count"] > 1000 and len(record["questions"]["sha256"]) == 64
