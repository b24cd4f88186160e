"""The task that says of a chunk whether it changes its subject (tenet 3 of the AutoChunker paper)."""

from __future__ import annotations

from autokb.tasks.judges.chunk_verdicts import ChunkJudge


class ContextSwitchTask(ChunkJudge):
    """Does a chunk change its subject?"""


TASK = ContextSwitchTask()
