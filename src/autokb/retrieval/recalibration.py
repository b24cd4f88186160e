"""A confidence held against a workspace's own issues whose helpful document is known.

The packaged probability was fitted on written questions. Real messages are vaguer: with the same scores fewer of their
first sections help. Platt's scaling (1999) of its log-odds, drawn towards no change, says by how much.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.errors import BadInputError
from autokb.core.ranking import Scores
from autokb.retrieval.gate import is_number_within
from autokb.retrieval.logistic import fit_logistic, probability_of

SETTING = "message_confidence"
FEWEST = 30  # messages with a known document, below which nothing is fitted
FOLDS = 5
WHOLE = 0.3  # of a text's length between a short question (0) and a long message (1), from which it is a message
PRIOR = 10.0  # messages that count as if the packaged probability were right
LARGEST = 10.0  # of each number, when they are read


@dataclass(frozen=True, slots=True)
class Recalibration:
    """The log-odds of a whole message become ``intercept`` + ``slope`` x log-odds; those of a short question stay.

    It was fitted on so many ``issues``.
    """

    intercept: float = 0.0
    slope: float = 1.0
    issues: int = 0

    def of(self, odds: float, long: float) -> float:
        """Return the probability for packaged log-odds of a text, by how ``long`` it is (``long_question_share``)."""
        share = min(long / WHOLE, 1.0)
        return probability_of((1 - share) * odds + share * (self.intercept + self.slope * odds))

    def as_json(self) -> dict[str, Any]:
        """Return it as a published setting."""
        return asdict(self)


UNCHANGED = Recalibration()


def fit_recalibration(odds: Scores, right: Scores) -> Recalibration:
    """Fit on the log-odds of whole messages and the share of each that is right.

    Unchanged where left-out folds are told no better by it.
    """
    if len(odds) < FEWEST:
        return UNCHANGED
    fold, said = np.arange(len(odds)) % FOLDS, np.zeros(len(odds))
    for one in range(FOLDS):
        fitted = _fit(odds[fold != one], right[fold != one])
        said[fold == one] = [fitted.of(float(value), 1.0) for value in odds[fold == one]]
    before = np.array([probability_of(float(value)) for value in odds])
    if float(np.mean((said - right) ** 2)) >= float(np.mean((before - right) ** 2)):
        return UNCHANGED
    return _fit(odds, right)


def _fit(odds: Scores, right: Scores) -> Recalibration:
    packaged = np.array([probability_of(float(value)) for value in odds])
    labels: NDArray[np.float64] = np.concatenate([right, packaged])
    counts = np.repeat([1.0, PRIOR / len(odds)], len(odds))
    slope, intercept = fit_logistic(np.tile(odds, 2)[:, None], labels, expected=[1.0], pull=[1.0], counts=counts)
    return Recalibration(round(float(intercept), 4), round(max(float(slope), 0.0), 4), len(odds))


def read_recalibration(body: Mapping[str, Any] | None) -> Recalibration:
    """Read a published setting back, no change where there is none (BadInputError where it was damaged)."""
    if body is None:
        return UNCHANGED
    intercept, slope, issues = (body.get(name, 0) for name in ("intercept", "slope", "issues"))
    if not (is_number_within(intercept, -LARGEST, LARGEST) and is_number_within(slope, -LARGEST, LARGEST)):
        raise BadInputError("The setting message_confidence must have an intercept and a slope from -10 to 10.")
    return Recalibration(float(intercept), float(slope), issues if isinstance(issues, int) else 0)
