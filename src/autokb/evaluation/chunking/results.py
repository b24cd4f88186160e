"""What an evaluation of chunkers found, method by method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from autokb.evaluation.runner import ModelUsage
from autokb.evaluation.statistics.bootstrap import NOT_MEASURED, Interval


@dataclass(frozen=True, slots=True)
class Share:
    """A share or mean over ``n`` chunks, structures or questions."""

    interval: Interval
    n: int

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return {**self.interval.as_json(), "n": self.n}


@dataclass(frozen=True, slots=True)
class JudgedShare:
    """The share of yes among the chunks with a verdict; the others are counted beside it and never in it."""

    interval: Interval
    judged: int
    unreadable: int
    not_judged: int

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        counts = {"judged": self.judged, "unreadable": self.unreadable, "not_judged": self.not_judged}
        return {**self.interval.as_json(), **counts}


@dataclass(frozen=True, slots=True)
class WeightedPrecision:
    """Weighted precision over the questions whose scores could all be read."""

    interval: Interval = NOT_MEASURED
    judged: int = 0
    unreadable: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return {**self.interval.as_json(), "judged": self.judged, "unreadable": self.unreadable}


Tenets = Mapping[str, JudgedShare | WeightedPrecision]  # by the name of the tenet, or wp@K


@dataclass(frozen=True, slots=True)
class Sizes:
    """Mean and percentiles (nearest rank) of the lengths of chunks, in characters; None without chunks."""

    mean: float | None
    p50: float | None
    p90: float | None
    p95: float | None

    def as_json(self) -> dict[str, float | None]:
        """Return the shape of the interface."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class IntrinsicMetrics:
    """What can be counted without a judge; ``gold`` compares with the texts that should be kept, if any are given."""

    shares: Mapping[str, Share]
    over_limit: int
    gold: Mapping[str, Share] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return {
            **{name: share.as_json() for name, share in self.shares.items()},
            "over_limit": self.over_limit,
            **{name: share.as_json() for name, share in self.gold.items()},
        }


@dataclass(frozen=True, slots=True)
class MethodReport:
    """One method: counts, verdicts of judges, and how much of the needed text is found (empty: not asked)."""

    chunks: int
    sizes: Sizes
    tenets: Tenets
    intrinsic: IntrinsicMetrics
    seconds: float
    retrieval: Mapping[str, Share]

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        found = {
            "chunks": self.chunks,
            "size": self.sizes.as_json(),
            "tenets": {name: figure.as_json() for name, figure in self.tenets.items()},
            "mechanical": self.intrinsic.as_json(),
            "seconds": round(self.seconds, 3),
        }
        if self.retrieval:
            found["retrieval"] = {name: share.as_json() for name, share in self.retrieval.items()}
        return found


@dataclass(frozen=True, slots=True)
class ChunkingReport:
    """What ``evaluate chunking`` answers; ``made`` of the questions were made by a model."""

    methods: Mapping[str, MethodReport]
    documents: int
    questions: int
    made: int
    usage: ModelUsage
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return {
            "methods": {name: report.as_json() for name, report in self.methods.items()},
            "documents": self.documents,
            "questions": {"n": self.questions, "made": self.made},
            **self.usage.as_json(),
            "seconds": round(self.seconds, 3),
        }
