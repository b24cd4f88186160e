"""The gate says which questions are off topic; it reads one encoder's own cosines and belongs to it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.errors import BadInputError
from autokb.core.vectors import Vectors
from autokb.retrieval.everyday_subjects import find_foreign_subject

QUANTILE = 0.01  # of the raw issues: where all are to the point, one in a hundred may be turned away
DEVIATIONS = 3.0  # below the median: off-topic issues among the raw ones (a pizza order) must not lower the gate
MOST_REJECTED = 0.1  # of the raw issues are turned away, however close together the others lie
FEWEST_FITTED = 20  # below, nothing is measured
# From 1 / QUANTILE issues on the quantile is more than one odd issue; below, the default counts beside it.
ENOUGH_ISSUES = 100
# The packaged encoder: 98 % of real questions lie above, 76 % of those about other things below.
DEFAULT_THRESHOLD = 0.3
SLOPE = 22.0  # log-odds for each unit of cosine, where only a threshold is known: what fitted gates have of both
LARGEST_COEFFICIENT = 1e6  # no fit comes near it; what an import says must not overflow
DUPLICATE = 0.999  # cosine from which two issues are the same text,
NEAR_DUPLICATE = 0.95  # and from which they are one report
ROWS_AT_ONCE = 512  # issues compared with all others at once: bounds the memory of the table of cosines


@dataclass(frozen=True, slots=True)
class Coefficients:
    """A logistic regression on two cosines: to the nearest window of a document, and to the nearest node or issue."""

    intercept: float
    documents: float
    issues: float

    def log_odds(self, documents: float, issues: float) -> float:
        """Return the log-odds that a question is on topic."""
        return self.intercept + self.documents * documents + self.issues * issues


@dataclass(frozen=True, slots=True)
class WordWeights:
    """What a question's words say against it, in log-odds.

    ``unknown`` counts for the share of its words that no document has, ``foreign`` where it opens with a subject of
    everyday life that is not among the ``known`` ones, which the knowledge base speaks of itself.
    """

    unknown: float
    foreign: float
    known: tuple[str, ...]

    def log_odds(self, text: str, unknown: float, language: str) -> float:
        """Return the log-odds of the words of a question, of which this share is unknown."""
        return self.unknown * unknown + self.foreign * (self.foreign_subject(text, language) is not None)

    def foreign_subject(self, text: str, language: str) -> str | None:
        """Return the subject that a question opens with and that the knowledge base never speaks of, if any."""
        return find_foreign_subject(text, self.known, language)


@dataclass(frozen=True, slots=True)
class Gate:
    """With ``coefficients`` it reads the probability of being on topic, without them the best cosine.

    ``words`` belong to the coefficients; gates of earlier versions have none.

    ``threshold`` is the least that passes; a fitted gate has none, and passes what the settings' caution lets pass.
    ``date`` is that of a calibration, ``source`` says where the gate comes from, ``left_out`` are the kinds of everyday
    questions that lie too near the workspace's own to be refused.
    """

    threshold: float | None
    encoder: str
    date: str | None = None
    source: str = "default"
    coefficients: Coefficients | None = None
    left_out: tuple[str, ...] = ()
    words: WordWeights | None = None

    def check_encoder(self, encoder: str) -> None:
        """Refuse another encoder (BadInputError), whose cosines mean something else."""
        if encoder != self.encoder:
            raise BadInputError(
                f"The gate was calibrated for the encoder {self.encoder}, not {encoder}; build the workspace again."
            )

    def log_odds(self, documents: float, issues: float) -> float:
        """Return the log-odds of being on topic from the cosines to what is nearest (-1 where nothing is known)."""
        if self.coefficients is not None:
            return self.coefficients.log_odds(documents, issues)
        return SLOPE * (max(documents, issues) - (DEFAULT_THRESHOLD if self.threshold is None else self.threshold))

    def as_json(self) -> dict[str, Any]:
        """Return the record of the gate."""
        record = asdict(self)
        if self.coefficients is None:
            del record["coefficients"], record["left_out"]
        else:
            record["left_out"] = list(self.left_out)
        if self.words is None:
            del record["words"]
        else:
            record["words"]["known"] = list(self.words.known)
        return record


def read_gate(data: Mapping[str, Any]) -> Gate:
    """Read a gate back, one of a bare cosine as earlier versions wrote it too; a wrong entry is a BadInputError."""
    encoder, date = data.get("encoder"), data.get("date")
    coefficients = None if data.get("coefficients") is None else _read_coefficients(data["coefficients"])
    threshold = _read_threshold(data.get("threshold"), is_fitted=coefficients is not None)
    if not isinstance(encoder, str) or not encoder:
        raise BadInputError("The gate must name the encoder it was made for.")
    left_out = data.get("left_out", [])
    if not isinstance(left_out, list) or not all(isinstance(kind, str) for kind in left_out):
        raise BadInputError("The gate's left_out must be a list of kinds of questions.")
    return Gate(
        threshold=threshold,
        encoder=encoder,
        date=str(date) if date else None,
        source=str(data.get("source") or "calibrated"),
        coefficients=coefficients,
        left_out=tuple(left_out),
        words=None if coefficients is None or data.get("words") is None else _read_words(data["words"]),
    )


def _read_threshold(threshold: Any, *, is_fitted: bool) -> float | None:
    """Read a cosine, or the probability that a fitted gate may have."""
    if is_fitted and threshold is None:
        return None
    least, what = (0, "a probability, from 0 to 1") if is_fitted else (-1, "a number between -1 and 1")
    if not is_number_within(threshold, least, 1):
        raise BadInputError(f"The gate's threshold must be {what}, not {threshold!r}.")
    return float(threshold)


def _read_words(data: Any) -> WordWeights:
    known = data.get("known") if isinstance(data, Mapping) else None
    if not isinstance(known, list) or not all(isinstance(subject, str) for subject in known):
        raise BadInputError("The gate's words must have weights and a list of known subjects.")
    for name in ("unknown", "foreign"):
        if not is_number_within(data.get(name), -LARGEST_COEFFICIENT, 0):
            raise BadInputError(f"The gate's weight of {name} words must be 0 or less, not {data.get(name)!r}.")
    return WordWeights(float(data["unknown"]), float(data["foreign"]), tuple(known))


def _read_coefficients(data: Any) -> Coefficients:
    names = [f.name for f in fields(Coefficients)]
    if not isinstance(data, Mapping) or sorted(data) != sorted(names):
        raise BadInputError(f"The gate's coefficients must be {', '.join(names)}.")
    if wrong := [name for name in names if not is_number_within(data[name], -LARGEST_COEFFICIENT, LARGEST_COEFFICIENT)]:
        raise BadInputError(f"The gate's coefficient {wrong[0]} must be a number, not {data[wrong[0]]!r}.")
    return Coefficients(**{name: float(data[name]) for name in names})


def is_number_within(value: Any, least: float, most: float) -> bool:
    """Return whether a value read from JSON is a number (true and false are none) from ``least`` to ``most``."""
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def fit_gate(encoder: str, issues: Vectors, others: Sequence[Vectors] = ()) -> Gate:
    """Fit a gate of a bare cosine, for a language without everyday questions to hold the workspace's own against.

    All but the oddest raw issues pass, each measured against the rest of the knowledge base.

    It is a low quantile, or three robust standard deviations below the median where that is higher.

    ``issues`` are all raw issues, ``others`` the vectors of documents' windows and of nodes that come from no single
    issue. An issue is not compared with itself or its exact duplicates.
    """
    if len(issues) < FEWEST_FITTED:
        reason = f"default: {len(issues)} raw issues are too few to measure"
        return Gate(DEFAULT_THRESHOLD, encoder, None, reason)
    nearest = np.concatenate(
        [_find_nearest_cosines(issues, start, others) for start in range(0, len(issues), ROWS_AT_ONCE)]
    )
    # rounded down, so that the last bits of a machine's arithmetic move neither the gate nor the issue it is set by
    measured = math.floor(_find_low_end(nearest.astype(np.float64)) * 1e4) / 1e4
    share = min(1.0, len(issues) / ENOUGH_ISSUES)
    threshold = round(share * measured + (1 - share) * DEFAULT_THRESHOLD, 4)
    return Gate(threshold, encoder, None, f"low quantile of {len(issues)} raw issues, each against the rest")


def _find_low_end(nearest: NDArray[np.float64]) -> float:
    median = float(np.median(nearest))
    spread = 1.4826 * float(np.median(np.abs(nearest - median)))
    low, most = np.quantile(nearest, [QUANTILE, MOST_REJECTED])
    return min(max(float(low), median - DEVIATIONS * spread), float(most))


def _find_nearest_cosines(issues: Vectors, start: int, others: Sequence[Vectors]) -> Vectors:
    part = issues[start : start + ROWS_AT_ONCE]
    cosines = part @ issues.T
    cosines[cosines >= DUPLICATE] = -1.0
    columns = [cosines.max(axis=1)] + [(part @ other.T).max(axis=1) for other in others if len(other)]
    nearest: Vectors = np.max(columns, axis=0)
    return nearest
