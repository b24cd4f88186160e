"""The task that asks what chunks answer, where nobody's real questions are at hand (4.5.1 of the AutoChunker paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from autokb.tasks.prompts import unescaped
from autokb.tasks.task import Read, Reply, ReplyError, Task

QUESTIONS = 5  # as in the AutoChunker paper


@dataclass(frozen=True, slots=True)
class AskAboutChunks:
    """Some chunks of one document."""

    chunks: tuple[str, ...]


class ChunkQuestions(Reply):
    """Questions that the chunks answer."""

    questions: tuple[str, ...]


class ChunkQuestionsTask(Task[AskAboutChunks, ChunkQuestions]):
    """What can be asked that these chunks answer?

    Only a model says: a question made of a chunk's own words would find that chunk however badly it was cut.
    """

    input = AskAboutChunks
    output = ChunkQuestions
    entry_tokens = (600, 150)
    question_characters = 300

    def check(self, item: AskAboutChunks, reply: ChunkQuestions) -> None:
        """Refuse another number of questions, empty ones, and one that is asked twice."""
        if len(reply.questions) != QUESTIONS:
            raise ReplyError(f"Give {QUESTIONS} questions, not {len(reply.questions)}.")
        if not all(question.strip() for question in reply.questions):
            raise ReplyError("A question is empty; write it out.")
        if len({" ".join(question.casefold().split()) for question in reply.questions}) < QUESTIONS:
            raise ReplyError("The same question stands twice; ask something else.")

    def values(self, items: Sequence[AskAboutChunks]) -> Mapping[str, Any]:
        """Return the chunks."""
        return {"chunks": items[0].chunks, "many": QUESTIONS}

    def entry(self, items: Sequence[AskAboutChunks]) -> Mapping[str, Any]:
        """Return the field of the one entry: the questions."""
        question = Annotated[str, Field(min_length=1, max_length=self.question_characters)]
        return {"questions": Annotated[list[question], Field(min_length=QUESTIONS, max_length=QUESTIONS)]}

    def read(self, item: AskAboutChunks, entry: Any) -> Read[ChunkQuestions]:
        """Read the questions."""
        return Read(ChunkQuestions(questions=tuple(unescaped(question).strip() for question in entry.questions)))


TASK = ChunkQuestionsTask()
