"""The one ranker: what the features of a candidate add up to, by weights that were fitted on written questions.

score(row) = sum of weight x feature. The weights are packaged (``ranker.json``) with the hash of the questions that
they were fitted on and with the figures of each knowledge base when it was left out of the fit; the command
``python -m benchmarks.ranking fit --keep FOLDER --write`` makes that file anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.ranking import Scores
from autokb.retrieval.features import FEATURES, HISTORY

PULL = 0.05  # penalty on the squared weights; from .5 down to .01 no figure with a base left out moves


@dataclass(frozen=True)
class RankingCase:
    """One question: the features of its candidates, a row each, and which of them are right."""

    features: NDArray[np.float64]
    right: NDArray[np.bool_]


@dataclass(frozen=True)
class Ranker:
    """A weight for each of the ``FEATURES``, in log-odds for each unit of the feature."""

    weights: Mapping[str, float]

    def vector(self) -> Scores:
        """Return the weights in the order of ``FEATURES``; a feature without one counts nothing."""
        return np.array([self.weights.get(name, 0.0) for name in FEATURES], dtype=np.float64)

    def score(self, features: NDArray[np.float64]) -> Scores:
        """Return the score of every row; a difference of two is the log-odds that one answers and not the other."""
        scores: Scores = features @ self.vector()
        return scores

    def without_history(self) -> Ranker:
        """Return the ranker of a measurement that asks for no history."""
        return Ranker({name: weight for name, weight in self.weights.items() if name not in HISTORY})


@cache
def packaged_ranker(*, reads_tokens: bool = False) -> Ranker:
    """Return the ranker that ships with the product; by an encoder without token vectors it has other weights."""
    return Ranker(packaged_record()["weights" if reads_tokens else "weights_without_tokens"])


@cache
def packaged_record() -> Mapping[str, Any]:
    """Return what ships: the weights of ranker and probabilities, what they were fitted on, and their figures."""
    record: Mapping[str, Any] = json.loads(
        files("autokb.retrieval").joinpath("ranker.json").read_text(encoding="utf-8")
    )
    return record


def fit_ranker(cases: Sequence[RankingCase], expected: Sequence[float] | None = None, pull: float = PULL) -> Scores:
    """Return the weights under which the right rows of each question are likeliest.

    Listwise softmax (Cao et al., 2007): -log of the share of exp(score) that the right rows of a question have, its
    mean over the questions with a right row, and ``pull`` / their number x the squared distance from the ``expected``
    weights (nothing where none are given), by L-BFGS.
    """
    from scipy.optimize import minimize

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
