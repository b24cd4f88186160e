"""Ranking features of plug-ins, by weights that were fitted on a workspace's own questions (``autokb rank fit``)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.core.errors import AutokbWarning
from autokb.core.plugins import said
from autokb.core.ranking import Scores
from autokb.retrieval.features import QuestionEvidence

OwnFeature = Callable[[str, QuestionEvidence], Scores]  # from a question and what it finds to a number a row


@dataclass(frozen=True)
class OwnFeatures:
    """Features by their names, PLUGIN.NAME, each with its weight in log-odds for each unit."""

    functions: Mapping[str, OwnFeature]
    weights: Mapping[str, float]

    def table(self, text: str, found: QuestionEvidence) -> NDArray[np.float64]:
        """Return a row a candidate, a column a feature; one that fails says nothing of any row, with a warning."""
        table = np.zeros((len(found.candidates.rows), len(self.functions)))
        for column, (name, function) in enumerate(self.functions.items()):
            try:
                values = np.asarray(function(text, found), dtype=np.float64)
                table[:, column] = np.nan_to_num(values.reshape(len(table)), posinf=0.0, neginf=0.0)
            except Exception as error:
                warnings.warn(f"The ranking feature {name} fails ({said(error)}).", AutokbWarning, stacklevel=2)
        return table

    def score(self, text: str, found: QuestionEvidence) -> Scores:
        """Return what the features add to the score of every row."""
        scores: Scores = self.table(text, found) @ np.array([self.weights[name] for name in self.functions])
        return scores
