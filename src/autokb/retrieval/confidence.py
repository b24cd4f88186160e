"""How likely the first thing shown is right, from the score of the likeliest document."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.errors import BadInputError
from autokb.core.ranking import Scores
from autokb.retrieval.logistic import fit_logistic

FEWEST_FITTED = 30  # past questions or paraphrases; fewer cannot tell two curves apart
RIDGE = 1.0  # penalty on the squared slope: scores of a knowledge base span about one unit
ROUGH_PULL = 10.0  # penalty on the squared distance from the default's slope; paraphrases hardly know it themselves


@dataclass(frozen=True, slots=True)
class Confidence:
    """A logistic curve over the best document score; ``source`` says what it was fitted on.

    The defaults were fitted on the tuning half of ``benchmarks/answers.py`` (137 questions over five knowledge bases,
    off-topic ones among them): rough, for what is right there was judged by sections.
    """

    slope: float = 0.85
    offset: float = -0.8
    source: str = "default: no questions with known outcomes"

    def of(self, score: float) -> float:
        """Return the probability that the first thing shown is right."""
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, self.slope * score + self.offset))))

    def as_json(self) -> dict[str, Any]:
        """Return the record of the curve."""
        return asdict(self)


def read_confidence(data: Mapping[str, Any]) -> Confidence:
    """Read a curve back; nothing stored is the default, and what is no number is an error."""
    values = {name: data.get(name) for name in ("slope", "offset")}
    if all(value is None for value in values.values()):
        return Confidence()
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e6:
            raise BadInputError(f"The {name} of the confidence must be a number, not {value!r}.")
    return Confidence(float(values["slope"] or 0), float(values["offset"] or 0), str(data.get("source") or "imported"))


def fit_confidence(scores: Scores, right: NDArray[np.bool_]) -> Confidence:
    """Fit the curve on past questions: the best document's score, and whether that document resolved the question.

    Ridge-penalised logistic regression; too few questions, or all of one kind, keep the default.
    """
    count = len(scores)
    if count < FEWEST_FITTED or right.all() or not right.any():
        return Confidence()
    beta = fit_logistic(scores[:, None], right, expected=(0.0,), pull=(RIDGE,))
    slope, offset = (round(float(b), 4) for b in beta)
    return Confidence(slope, offset, f"fitted on {count} past questions with known outcomes")


def fit_rough_confidence(scores: Scores, right: NDArray[np.bool_]) -> Confidence:
    """Fit the curve on paraphrases of sections, which are nearer to the documents than questions are.

    So its slope stays near the default's, and one right and one wrong paraphrase of the mean score count beside them:
    nothing is certain because all were found. Too few paraphrases keep the default.
    """
    count = len(scores)
    if count < FEWEST_FITTED:
        return Confidence()
    scores, right = np.append(scores, [scores.mean()] * 2), np.append(right, [True, False])
    slope, offset = fit_logistic(scores[:, None], right, expected=(Confidence().slope,), pull=(ROUGH_PULL,))
    source = f"rough: fitted on {count} paraphrases of sections, for there are too few questions with known outcomes"
    return Confidence(round(float(slope), 4), round(float(offset), 4), source)
