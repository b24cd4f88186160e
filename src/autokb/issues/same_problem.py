"""How likely two problems are the same one: what they say, the sections that answer them, what is known to have helped.

The weights are those of a logistic regression on pairs of questions whose outcomes are known (``python -m
benchmarks.same_problem`` fits them); two are one problem where the same document helped.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SHARPNESS = 20.0  # of what a section's score counts: .05 below the best is about a third of it
INTERCEPT, COSINE, SECTIONS, OUTCOMES = -3.37, 3.64, 2.39, 1.05
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Problem:
    """The unit vector of a problem's words without attribute values, how well each subject of the documents answers it,
    and the documents that are known to have helped.
    """

    vector: Floats
    sections: Floats
    outcomes: frozenset[str] = frozenset()

    @property
    def profile(self) -> Floats:
        """The unit vector of what each subject counts."""
        weights = np.exp(SHARPNESS * (self.sections - self.sections.max()))
        unit: Floats = weights / np.linalg.norm(weights)
        return unit


def agreement(one: Collection[str], other: Collection[str]) -> float:
    """Return 1 where a document helped with both, -1 where others did, 0 where that is not known of both."""
    if not one or not other:
        return 0.0
    return 1.0 if set(one) & set(other) else -1.0


def log_odds(one: Problem, other: Problem) -> float:
    """Return the logarithm of the odds that two problems are the same."""
    cosine = float(one.vector @ other.vector)
    sections = float(one.profile @ other.profile)
    return INTERCEPT + COSINE * cosine + SECTIONS * sections + OUTCOMES * agreement(one.outcomes, other.outcomes)


def log_odds_of_pairs(problems: Sequence[Problem]) -> Floats:
    """Return the log odds of each two problems, in rows and columns in their order."""
    vectors = np.array([p.vector for p in problems])
    profiles = np.array([p.profile for p in problems])
    documents = sorted(frozenset().union(*(p.outcomes for p in problems)))
    helped = np.array([[document in p.outcomes for document in documents] for p in problems], dtype=np.float64)
    known = helped.any(axis=1)
    agree = np.where(helped @ helped.T > 0, 1.0, -1.0) * np.outer(known, known)
    odds: Floats = INTERCEPT + COSINE * (vectors @ vectors.T) + SECTIONS * (profiles @ profiles.T) + OUTCOMES * agree
    return odds
