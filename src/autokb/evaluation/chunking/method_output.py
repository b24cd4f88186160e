"""What one method made of the documents, and how long its chunks are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autokb.chunking.chunk_result import ChunkResult
from autokb.chunking.tree import chunks_with_text
from autokb.core.nouns import Chunk
from autokb.evaluation.chunking.results import Sizes


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
    lengths = sorted(len(chunk.text) for chunk in chunks)
    if not lengths:
        return Sizes(None, None, None, None)
    p50, p90, p95 = (float(lengths[math.ceil(share * len(lengths)) - 1]) for share in (0.50, 0.90, 0.95))
    return Sizes(sum(lengths) / len(lengths), p50, p90, p95)
