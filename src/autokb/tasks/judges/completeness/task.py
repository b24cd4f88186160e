"""The task that says of a chunk whether it can be understood by itself (tenet 2 of the AutoChunker paper)."""

from __future__ import annotations

from autokb.tasks.judges.chunk_verdicts import ChunkJudge


class CompletenessTask(ChunkJudge):
    """Can a chunk be understood by itself?"""


TASK = CompletenessTask()
