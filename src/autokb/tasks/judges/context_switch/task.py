"""The room that says of a chunk whether it changes its subject (tenet 3 of the AutoChunker paper)."""

from __future__ import annotations

from autokb.tasks.judges.chunk_verdicts import ChunkVerdict, JudgeChunk, chunks_alone, not_judged, verdict_asking
from autokb.tasks.room import Room

__all__ = ["PACKAGE", "ROOM", "ChunkVerdict", "JudgeChunk"]
PACKAGE = "autokb.tasks.judges.context_switch"

ROOM: Room[JudgeChunk, ChunkVerdict] = Room(
    name="judges/context_switch",
    version=1,
    input=JudgeChunk,
    output=ChunkVerdict,
    offline=not_judged,
    asking=verdict_asking(PACKAGE, chunks_alone),
)
