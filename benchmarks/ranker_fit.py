"""The fit of the ranker's weights, which ship as they were fitted: the product itself fits none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from autokb.core.ranking import Scores
from autokb.retrieval.features import FEATURES

PULL = 0.05  # penalty on the squared weights; from .5 down to .01 no figure with a base left out moves


@dataclass(frozen=True)
class RankingCase:
    """One question: the features of its candidates, a row each, and which of them are right."""

    features: NDArray[np.float64]
    right: NDArray[np.bool_]


def fit_ranker(cases: Sequence[RankingCase], expected: Sequence[float] | None = None, pull: float = PULL) -> Scores:
    """Return the weights under which the right rows of each question are likeliest.

    Listwise softmax (Cao et al., 2007): -log of the share of exp(score) that the right rows of a question have, its
    mean over the questions with a right row, and ``pull`` / their number x the squared distance from the ``expected``
    weights (nothing where none are given), by L-BFGS.
    """
    used = [case for case in cases if case.right.any() and not case.right.all()]
    width = used[0].features.shape[1] if used else len(FEATURES)
    centre = np.zeros(width) if expected is None else np.asarray(expected, dtype=np.float64)
    if not used:
        return centre

    def loss(weights: Scores) -> tuple[float, Scores]:
        away = weights - centre
        value, slope = pull * float(away @ away), 2 * pull * away
        for case in used:
            scores = case.features @ weights
            exponents = np.exp(scores - scores.max())
            of_right = np.where(case.right, exponents, 0.0)
            share = max(of_right.sum() / exponents.sum(), 1e-300)
            value -= float(np.log(share))
            slope += case.features.T @ (exponents / exponents.sum() - of_right / max(of_right.sum(), 1e-300))
        return value / len(used), slope / len(used)

    found: Scores = minimize(loss, centre, jac=True, method="L-BFGS-B").x
    return found
