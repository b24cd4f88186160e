from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from autokb.core.errors import BadInputError
from autokb.retrieval.weights import Weights, read_weights, tree_scores, worth_showing


def test_weights_survive_json() -> None:
    weights = Weights(title=0.15, history=1.4)
    assert read_weights(json.loads(json.dumps(weights.as_json()))) == weights


def test_missing_weights_keep_their_defaults() -> None:
    assert read_weights({"history": 1}) == Weights(history=1.0)
    assert read_weights({"of another version": 3}) == Weights()


@pytest.mark.parametrize("value", ["much", None, True, float("nan"), float("inf"), [1]])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(BadInputError, match="title"):
        read_weights({"title": value})


def test_without_history_only_that_weight_changes() -> None:
    assert Weights(title=0.2).without_history() == Weights(title=0.2, history=0.0)


def test_a_far_exact_node_does_not_push_out_the_broader_node_of_the_right_tree() -> None:
    scores = tree_scores(np.array([0.4, 0.7]), np.array([0.5, 0.6]), ["exact", "broader"], Weights())
    assert scores[1] > scores[0]


def test_an_exact_node_wins_between_equals() -> None:
    scores = tree_scores(np.array([0.6, 0.6]), np.array([0.5, 0.5]), ["broader", "exact"], Weights())
    assert scores[1] > scores[0]


def test_the_tree_with_the_likelier_document_wins_between_equals() -> None:
    scores = tree_scores(np.array([0.6, 0.6]), np.array([0.3, 0.9]), ["exact", "exact"], Weights())
    assert scores[1] > scores[0]


def test_solutions_from_unlikely_documents_are_not_worth_showing() -> None:
    assert worth_showing([0.95, 0.5, 0.71], best=1.0) == (True, False, True)
    assert worth_showing([0.2, 0.1], best=1.0) == (True, False)
    assert worth_showing([], best=1.0) == ()
