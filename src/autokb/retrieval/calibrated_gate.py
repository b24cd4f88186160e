"""The gate as a team calibrated it on its own questions: a logistic regression that also reads the question's vector.

It is a record of its own beside the gate that the build fits, so that a build keeps it and earlier versions, which
know nothing of it, ask by the gate they know.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from autokb.core.errors import BadInputError
from autokb.core.ranking import Scores
from autokb.core.vectors import Vectors
from autokb.retrieval.gate import LARGEST_COEFFICIENT, is_number_within
from autokb.stores.versions import CALIBRATION

SETTING = CALIBRATION[1]  # of the published settings
# What is read of a question beside its vector: the cosine to the nearest window of a document and the mean of those to
# the nearest ten, the same of nodes and historical issues, the share of its words that the best chunk says (BM25), the
# share that no document has, and 1 where it opens with a foreign subject.
FEATURES = ("documents", "documents_mean", "issues", "issues_mean", "bm25", "unknown", "foreign")
NEAREST = 10  # windows or issues that a mean is taken over
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class CalibrationData:
    """The questions of one side: how many, how many pass, and the hash of their texts."""

    n: int
    passing: int
    sha256: str


@dataclass(frozen=True, slots=True)
class CalibratedGate:
    """Weights of the ``FEATURES`` and of the question's vector, and the least probability that passes.

    ``date`` is the moment of the calibration, ISO 8601. ``passing`` of the two sides counts questions that were scored
    by a gate fitted without them.
    """

    threshold: float
    encoder: str
    date: str
    intercept: float
    weights: tuple[float, ...]
    vector: tuple[float, ...]
    in_domain: CalibrationData
    out_of_domain: CalibrationData

    def probability(self, features: Scores, vector: Vectors) -> float:
        """Return the probability that a question is on topic, where both sides are asked equally often."""
        nearness = float(np.dot(self.weights, features)) + float(np.dot(self.vector, vector))
        return 0.5 + 0.5 * math.tanh((self.intercept + nearness) / 2)

    def passes(self, features: Scores, vector: Vectors) -> bool:
        """Return whether a question is on topic."""
        return self.probability(features, vector) >= self.threshold

    def check_encoder(self, encoder: str) -> None:
        """Refuse another encoder (BadInputError), whose cosines and vectors mean something else."""
        if encoder != self.encoder:
            raise BadInputError(
                f"The gate was calibrated for the encoder {self.encoder}, not {encoder}; calibrate it again with "
                "autokb gate calibrate, or go back to the gate of the build with autokb gate reset."
            )

    def check_length(self, dimensions: int) -> None:
        """Refuse vectors of another length than those it was calibrated on (BadInputError)."""
        if len(self.vector) != dimensions:
            raise BadInputError(
                f"The gate's calibration has weights for vectors of {len(self.vector)} numbers, and the encoder's have "
                f"{dimensions}; calibrate it again with autokb gate calibrate, or drop it with autokb gate reset."
            )

    def as_json(self) -> dict[str, Any]:
        """Return the record of the calibration."""
        weights = dict(zip(FEATURES, self.weights, strict=True))
        return {**asdict(self), "weights": weights, "vector": list(self.vector)}


# Complex: each entry is refused in its own words before the next one is read.
def read_calibrated_gate(data: Mapping[str, Any]) -> CalibratedGate:
    """Read a calibration back; a wrong entry is a BadInputError that names it."""
    threshold, encoder, date = data.get("threshold"), data.get("encoder"), data.get("date")
    if not is_number_within(threshold, 0, 1):
        raise BadInputError(f"The calibration's threshold must be a probability, from 0 to 1, not {threshold!r}.")
    if not isinstance(encoder, str) or not encoder:
        raise BadInputError("The calibration must name the encoder it was made for.")
    if not isinstance(date, str) or not date:
        raise BadInputError("The calibration must have a date.")
    weights, vector = data.get("weights"), data.get("vector")
    if not isinstance(weights, Mapping) or sorted(weights) != sorted(FEATURES):
        raise BadInputError(f"The calibration's weights must be {', '.join(FEATURES)}.")
    if not isinstance(vector, list):
        raise BadInputError("The calibration's vector must be a list of numbers.")
    numbers = (*weights.values(), *vector, data.get("intercept"))
    if not all(is_number_within(number, -LARGEST_COEFFICIENT, LARGEST_COEFFICIENT) for number in numbers):
        raise BadInputError("Each of the calibration's weights, and its intercept, must be a number.")
    return CalibratedGate(
        threshold=float(data["threshold"]),
        encoder=encoder,
        date=date,
        intercept=float(data["intercept"]),
        weights=tuple(float(weights[name]) for name in FEATURES),
        vector=tuple(map(float, vector)),
        in_domain=_read_data(data, "in_domain"),
        out_of_domain=_read_data(data, "out_of_domain"),
    )


def _read_data(record: Mapping[str, Any], side: str) -> CalibrationData:
    data = record.get(side)
    if isinstance(data, Mapping):
        n, passing, sha256 = data.get("n"), data.get("passing"), data.get("sha256")
        is_counted = type(n) is int and type(passing) is int and 0 <= passing <= n
        if is_counted and isinstance(sha256, str) and _HASH.fullmatch(sha256):
            return CalibrationData(int(data["n"]), int(data["passing"]), sha256)
    raise BadInputError(f"The calibration's {side} must have the counts n and passing, and a sha256.")


def mean_of_nearest(cosines: Sequence[float] | Vectors | Scores) -> float:
    """Return the mean of the highest cosines, of all where there are few; nothing known is near nothing."""
    found = np.asarray(cosines, dtype=np.float64)
    if len(found) > NEAREST:
        found = np.partition(found, len(found) - NEAREST)[-NEAREST:]
    return float(found.mean()) if len(found) else -1.0
