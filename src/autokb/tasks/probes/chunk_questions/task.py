"""The task that asks what chunks answer, where nobody's real questions are at hand (4.5.1 of the AutoChunker paper)."""

from __future__ import annotations

from autokb.tasks.probes.chunk_questions import model
from autokb.tasks.probes.chunk_questions.shapes import QUESTIONS, AskAboutChunks, ChunkQuestions, check
from autokb.tasks.task import ReplyError, Task

__all__ = ["QUESTIONS", "TASK", "AskAboutChunks", "ChunkQuestions"]


def _offline(_item: AskAboutChunks) -> ChunkQuestions:
    """Refuse: a question made of a chunk's own words would find that chunk however badly it was cut."""
    raise ReplyError("Questions about chunks come from a model; without one give real ones in a file.")


TASK: Task[AskAboutChunks, ChunkQuestions] = Task(
    name="probes/chunk_questions",
    version=1,
    input=AskAboutChunks,
    output=ChunkQuestions,
    offline=_offline,
    check=check,
    asking=model.ASKING,
)
