"""Logistic regression with weights drawn towards those that are expected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.ranking import Scores

STEPS = 50  # of Newton's method at most; it is done in ten
LONGEST_STEP = 5.0  # of one weight, so that no step overshoots


def fit_logistic(
    features: NDArray[np.float64],
    labels: NDArray[Any],
    *,
    expected: Sequence[float],
    pull: Sequence[float],
    counts: Scores | None = None,
) -> Scores:
    """Return the weights of the features and, last, the intercept, by Newton's method.

    ``pull`` is the penalty on half the squared distance of each weight from the ``expected`` one; the intercept is
    free. ``counts`` says how often each row counts. A label may be the share of a row that is so.
    """
    rows = np.column_stack([features, np.ones(len(features))])
    counts = np.ones(len(rows)) if counts is None else counts
    centre, penalty = np.append(expected, 0.0), np.diag(np.append(pull, 0.0))
    beta = np.zeros_like(centre)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ beta, -30, 30)))
        gradient = rows.T @ (counts * (chance - labels)) + penalty @ (beta - centre)
        hessian = (rows * (counts * chance * (1 - chance))[:, None]).T @ rows + penalty
        step = np.linalg.solve(hessian + 1e-9 * np.eye(len(beta)), gradient)
        longest = float(np.abs(step).max())
        beta = beta - step * min(1.0, LONGEST_STEP / max(longest, 1e-12))
        if longest < 1e-9:
            break
    return beta


def probability_of(odds: float) -> float:
    """Return the probability of log-odds, from 0 to 1."""
    return 0.5 + 0.5 * math.tanh(odds / 2)
