from __future__ import annotations

import json
from typing import Any

import pytest
from autokb.retrieval.weights import Weights, read_weights

from autokb.core.errors import BadInputError


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
