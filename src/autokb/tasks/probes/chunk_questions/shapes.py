"""What the task is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.tasks.reply import Reply, ReplyError

QUESTIONS = 5  # as in the AutoChunker paper
LONGEST = 300


@dataclass(frozen=True, slots=True)
class AskAboutChunks:
    """Some chunks of one document."""

    chunks: tuple[str, ...]


class ChunkQuestions(Reply):
    """Questions that the chunks answer."""

    questions: tuple[str, ...]


def check(_item: AskAboutChunks, reply: ChunkQuestions) -> None:
    """Refuse another number of questions, empty ones, and one that is asked twice."""
    if len(reply.questions) != QUESTIONS:
        raise ReplyError(f"Give {QUESTIONS} questions, not {len(reply.questions)}.")
    if not all(question.strip() for question in reply.questions):
        raise ReplyError("A question is empty; write it out.")
    if len({" ".join(question.casefold().split()) for question in reply.questions}) < QUESTIONS:
        raise ReplyError("The same question stands twice; ask something else.")
