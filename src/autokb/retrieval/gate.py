"""The gate says when nothing is close enough to answer; it reads one encoder's own cosine and belongs to it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.errors import BadInputError
from autokb.core.vectors import Vectors, encoder_key

QUANTILE = 0.01  # of the raw issues: where all are to the point, one in a hundred may be turned away
DEVIATIONS = 3.0  # below the median: off-topic issues among the raw ones (a pizza order) must not lower the gate
MOST_REJECTED = 0.1  # of the raw issues are turned away, however close together the others lie
FEWEST_FITTED = 20  # below, nothing is measured
ENOUGH_ISSUES = (
    100  # from 1 / QUANTILE issues on the quantile is more than one odd issue; below, the default counts beside it
)
DEFAULT_THRESHOLD = (
    0.3  # the packaged encoder: 98 % of real questions lie above, 76 % of those about other things below
)
DUPLICATE = 0.999  # cosine from which two issues are the same text
ROWS_AT_ONCE = 512  # issues compared with all others at once: bounds the memory of the table of cosines


@dataclass(frozen=True, slots=True)
class Gate:
    """The least cosine to anything known; ``date`` is that of a calibration, ``source`` says where it comes from."""

    threshold: float
    encoder: str
    date: str | None = None
    source: str = "default"

    def passes(self, cosine: float, encoder: str) -> bool:
        """Return whether something is near enough; another encoder's cosine cannot be read (BadInputError)."""
        if encoder_key(encoder) != encoder_key(self.encoder):
            raise BadInputError(
                f"The gate was calibrated for the encoder {self.encoder}, not {encoder}; build the workspace again."
            )
        return bool(cosine >= self.threshold)

    def as_json(self) -> dict[str, Any]:
        """Return the record of the gate."""
        return asdict(self)


def read_gate(data: Mapping[str, Any]) -> Gate:
    """Read a gate back; a threshold that is no number between -1 and 1 is an error."""
    threshold, encoder, date = data.get("threshold"), data.get("encoder"), data.get("date")
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not -1 <= threshold <= 1:
        raise BadInputError(f"The gate's threshold must be a number between -1 and 1, not {threshold!r}.")
    if not isinstance(encoder, str) or not encoder:
        raise BadInputError("The gate must name the encoder it was made for.")
    return Gate(float(threshold), encoder, str(date) if date else None, str(data.get("source") or "calibrated"))


def nearest_known(parts: Iterable[float]) -> float:
    """Return the best cosine to nodes, documents' windows and historical issues; nothing known is near nothing."""
    return max((float(p) for p in parts), default=-1.0)


def fit_gate(encoder: str, issues: Vectors, others: Sequence[Vectors] = ()) -> Gate:
    """Set the threshold so that all but the oddest raw issues pass, each measured against the rest of the KB.

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
