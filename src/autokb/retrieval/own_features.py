"""Ranking features of plug-ins, by weights that were fitted on a workspace's own questions (``autokb rank fit``)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.core.errors import AutokbWarning
from autokb.core.plugins import PluginError, code_of, said
from autokb.core.ranking import Scores
from autokb.retrieval.features import QuestionEvidence

OwnFeature = Callable[[str, QuestionEvidence], Scores]  # from a question and what it finds to a number a row


@dataclass(frozen=True)
class OwnFeatures:
    """Features by their names, PLUGIN.NAME, each with its weight in log-odds for each unit."""

    functions: Mapping[str, OwnFeature]
    weights: Mapping[str, float]

    def table(self, text: str, found: QuestionEvidence, *, strict: bool = False) -> NDArray[np.float64]:
        """Return a row a candidate, a column a feature; one that fails says nothing of any row, with a warning.

        Where it is ``strict``, one that fails ends it (PluginError).
        """
        table = np.zeros((len(found.candidates.rows), len(self.functions)))
        for column, (name, function) in enumerate(self.functions.items()):
            try:
                table[:, column] = _checked(function(text, found), len(table))
            except Exception as error:
                sentence = f"The ranking feature {name} fails ({said(error, code_of('features', name))})."
                if strict:
                    raise PluginError(f"{sentence} Nothing is changed; report it to its author.") from error
                warnings.warn(sentence, AutokbWarning, stacklevel=2)
        return table

    def score(self, text: str, found: QuestionEvidence) -> Scores:
        """Return what the features add to the score of every row."""
        scores: Scores = self.table(text, found) @ np.array([self.weights[name] for name in self.functions])
        return scores


def _checked(given: object, rows: int) -> Scores:
    values = np.asarray(given, dtype=np.float64)
    if values.shape != (rows,) or not np.isfinite(values).all():
        raise ValueError(f"it must give one finite number for each of the {rows} rows")
    return values
