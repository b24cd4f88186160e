"""Answers that people confirmed: a question and the ticket that answers it, kept beside what the source says."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.ids import short_id
from autokb.core.storable import without_surrogates
from autokb.stores.codecs import Codec
from autokb.stores.database import damaged_rows
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.control_characters import replace_controls

KIND = "ticket_answer"
QUESTION_CHARACTERS = 10_000  # of a question that a ticket answers


@dataclass(frozen=True, slots=True)
class AcceptedAnswer:
    """Who confirmed when that a ticket answers a question."""

    question: str
    ticket: str
    author: str
    date: str
    number: int = 0

    @property
    def id(self) -> str:
        """The same question and ticket are one answer, whoever confirms it."""
        return short_id(KIND, " ".join(self.question.casefold().split()), self.ticket)


ACCEPTED = Codec(AcceptedAnswer, author="", date="")


def clean_question(question: str) -> str:
    """Return a question in one line, without what steers a terminal."""
    return " ".join(replace_controls(without_surrogates(question)).split())


def read_accepted(file: WorkspaceFile, ticket: str | None = None) -> list[AcceptedAnswer]:
    """Return the accepted answers that nobody took back, of one ticket or of all, in the order of their taking."""
    with damaged_rows("decision"):
        found = [ACCEPTED.read(body) for _, body in file.decisions(KIND) if not body.get("undone")]
    return [one for one in found if ticket is None or one.ticket == ticket]


def read_taken_back(file: WorkspaceFile) -> frozenset[str]:
    """Return the ids of the answers that somebody took back."""
    with damaged_rows("decision"):
        return frozenset(i for i, body in file.decisions(KIND) if body.get("undone"))


def keep_accepted(file: WorkspaceFile, answer: AcceptedAnswer, *, undone: bool = False) -> None:
    """Store an accepted answer, or that it was taken back; call it inside a transaction."""
    file.keep_decisions(KIND, {answer.id: ACCEPTED.body(answer) | ({"undone": True} if undone else {})})
