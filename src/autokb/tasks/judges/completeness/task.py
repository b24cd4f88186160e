"""The task that says of a chunk whether it can be understood by itself (tenet 2 of the AutoChunker paper)."""

from __future__ import annotations

from autokb.tasks.judges.chunk_verdicts import ChunkVerdict, JudgeChunk, chunks_alone, not_judged, verdict_asking
from autokb.tasks.task import Task

__all__ = ["PACKAGE", "TASK", "ChunkVerdict", "JudgeChunk"]
PACKAGE = "autokb.tasks.judges.completeness"

TASK: Task[JudgeChunk, ChunkVerdict] = Task(
    name="judges/completeness",
    version=1,
    input=JudgeChunk,
    output=ChunkVerdict,
    offline=not_judged,
    asking=verdict_asking(PACKAGE, chunks_alone),
)
