"""The one ranker: what the features of a candidate add up to, by weights that were fitted on written questions.

score(row) = sum of weight x feature. The weights are packaged (``ranker.json``) with the hash of the questions that
they were fitted on and with the figures of each knowledge base when it was left out of the fit; the command
``python -m benchmarks.ranking fit --keep FOLDER --write`` makes that file anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.ranking import Scores
from autokb.retrieval.candidates import SectionRoles
from autokb.retrieval.features import FEATURES, HISTORY

PROBLEM, REMEDY = (list(FEATURES).index(name) for name in ("problem", "remedy"))  # columns


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

    def score_matches(self, features: NDArray[np.float64]) -> Scores:
        """Return the scores but for what stating a problem costs: by these a section speaks for its article."""
        return self.score(features) - self.weights.get("problem", 0.0) * features[:, PROBLEM]

    def lift_remedies(self, features: NDArray[np.float64], roles: SectionRoles) -> None:
        """Fill the column ``remedy``: by how much an article's best section on the problem is ahead of its best remedy.

        The section that matches speaks for its article.
        """
        if features[:, PROBLEM].any():
            features[:, REMEDY] = roles.lead_of_problems(self.score(features), self.score_matches(features))

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
