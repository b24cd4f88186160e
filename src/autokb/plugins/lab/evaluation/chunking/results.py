"""What an evaluation of chunkers found, method by method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autokb.chunking.chunk_result import ChunkResult
from autokb.chunking.tree import chunks_with_text
from autokb.core.nouns import Chunk
from autokb.plugins.lab.evaluation.experiment import ModelUsage
from autokb.plugins.lab.evaluation.report import Record
from autokb.stats.bootstrap import Interval
from autokb.stats.samples import nearest_rank

DEPTHS = (1, 3, 5)  # first chunks over which what is found is measured, as in table 3 of the paper
WITH_CONTEXT = "+context"  # behind a figure's name: of what context-aware retrieval makes of the same hits


@dataclass(frozen=True, slots=True)
class ChunkShare(Record):
    """A share or mean over ``n`` chunks, structures or questions."""

    interval: Interval
    n: int


@dataclass(frozen=True, slots=True)
class WeightedPrecision(Record):
    """Weighted precision over the questions whose scores could all be read."""

    interval: Interval
    judged: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class JudgedShare(WeightedPrecision):
    """The share of yes among the chunks with a verdict; the others are counted beside it and never in it."""

    not_judged: int


Tenets = Mapping[str, JudgedShare | WeightedPrecision]  # by the name of the tenet, or wp@K


@dataclass(frozen=True, slots=True)
class Sizes(Record):
    """Mean and percentiles (nearest rank) of the lengths of chunks, in characters; None without chunks."""

    mean: float | None
    p50: float | None
    p90: float | None
    p95: float | None


@dataclass(frozen=True, slots=True)
class IntrinsicMetrics(Record):
    """What can be counted without a judge; ``gold`` compares with the texts that should be kept, if any are given."""

    shares: Mapping[str, ChunkShare]
    over_limit: int
    gold: Mapping[str, ChunkShare] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MethodReport(Record):
    """One method: counts, verdicts of judges, and how much of the needed text is found (empty: not asked).

    ``mechanical`` are the intrinsic metrics, by their name in the interface.
    """

    chunks: int
    size: Sizes
    tenets: Tenets
    mechanical: IntrinsicMetrics
    seconds: float
    retrieval: Mapping[str, ChunkShare] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CountsByQuestion(Record):
    """How many questions were asked, and how many of them a model made."""

    n: int
    made: int


@dataclass(frozen=True, slots=True)
class ChunkingReport(Record):
    """What ``evaluate chunking`` answers."""

    methods: Mapping[str, MethodReport]
    documents: int
    questions: CountsByQuestion
    usage: ModelUsage
    seconds: float


@dataclass(frozen=True)
class MethodOutput:
    """The cuts of a method by document id, and the seconds that they took; what it could not cut is missing."""

    method: str
    cuts: Mapping[str, ChunkResult]
    seconds: float

    def chunks(self) -> list[Chunk]:
        """Return the chunks with text, document by document."""
        return [chunk for cut in self.cuts.values() for chunk in chunks_with_text(cut.chunks)]

    def tree(self) -> list[Chunk]:
        """Return all nodes of the documents' trees, those without text too."""
        return [chunk for cut in self.cuts.values() for chunk in cut.chunks]


def chunk_sizes(chunks: Sequence[Chunk]) -> Sizes:
    """Return the mean and percentiles (nearest rank) of the lengths of the chunks' texts, in characters."""
    lengths = sorted(float(len(chunk.text)) for chunk in chunks)
    if not lengths:
        return Sizes(None, None, None, None)
    return Sizes(sum(lengths) / len(lengths), *(nearest_rank(lengths, part) for part in (0.50, 0.90, 0.95)))
