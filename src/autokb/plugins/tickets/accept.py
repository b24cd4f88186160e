"""A person confirms that a ticket answers a question: evidence from the next question on, without a build."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from autokb.core.errors import BadInputError
from autokb.core.results import Result
from autokb.stores.ticket_answers import (
    QUESTION_CHARACTERS,
    AcceptedAnswer,
    clean_question,
    keep_accepted,
    read_accepted,
)
from autokb.stores.ticket_tables import read_tickets
from autokb.stores.workspace import Workspace
from autokb.text.control_characters import printable_name


@dataclass(frozen=True, slots=True)
class Accepted(Result):
    """An accepted answer; ``changed`` is 0 where it was so before, ``answers`` counts those of the ticket."""

    id: str
    ticket: str
    question: str
    author: str
    date: str
    undone: bool
    changed: int
    answers: int


def accept_ticket(
    workspace: Workspace, question: str, ticket: str, *, author: str = "", undo: bool = False, now: str | None = None
) -> Accepted:
    """Store that a ticket answers a question, or take it back (BadInputError where there is nothing to take back)."""
    text = clean_question(question)
    if not text or len(text) > QUESTION_CHARACTERS:
        raise BadInputError(f"Write the question that {ticket} answers, in at most {QUESTION_CHARACTERS:,} characters.")
    with workspace.file() as file, file.transaction():
        date = now or datetime.now(UTC).replace(microsecond=0).isoformat()
        answer = AcceptedAnswer(text, ticket, printable_name(author), date, file.last_number() + 1)
        before = {one.id: one for one in read_accepted(file, ticket)}
        if undo and answer.id not in before:
            raise BadInputError(
                f"{ticket} was not accepted for this question; autokb tickets show {workspace.folder} {ticket} --json "
                "lists the questions that it was accepted for."
            )
        if not undo and ticket not in read_tickets(file, [ticket]):
            raise BadInputError(f"There is no published ticket {ticket!r}; autokb tickets ask names those it found.")
        changed = undo or answer.id not in before
        if changed:
            keep_accepted(file, answer, undone=undo)
        else:
            answer = before[answer.id]
        count = len(read_accepted(file, ticket))
    return Accepted(
        id=answer.id,
        ticket=ticket,
        question=answer.question,
        author=answer.author,
        date=answer.date,
        undone=undo,
        changed=int(changed),
        answers=count,
    )
