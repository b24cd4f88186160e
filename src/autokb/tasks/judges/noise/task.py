"""The task that says of a chunk whether it holds noise (tenet 1 of the AutoChunker paper)."""

from __future__ import annotations

from autokb.tasks.judges.chunk_verdicts import ChunkJudge


class NoiseTask(ChunkJudge):
    """Does a chunk hold noise?"""


TASK = NoiseTask()
