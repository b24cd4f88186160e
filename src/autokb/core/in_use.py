"""What is kept of a knowledge base in use: questions that were asked, and what became of conversations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from autokb.core.experiment import Arm
from autokb.core.ids import short_id

AskedBy = Literal["ask", "suggest"]
GapStatus = Literal["open", "done", "dismissed"]


@dataclass(frozen=True, slots=True)
class LoggedQuestion:
    """A question that was asked, its private data masked, with what was shown for it.

    ``themes`` are names, ``issues`` and ``solutions`` ids, as they were then; ``conversation`` is a hash of its id,
    empty where none was given. ``number`` is its place in the order of their keeping.
    """

    text: str
    outcome: str
    asked_by: AskedBy
    date: str
    language: str = ""
    reason: str = ""
    themes: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()
    solutions: tuple[str, ...] = ()
    conversation: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """What became of a logged question, without its words; ``conversation`` is a hash."""

    number: int
    outcome: str
    conversation: str
    date: str


@dataclass(frozen=True, slots=True)
class AssignedArm:
    """The arm that a conversation was in when it first asked for suggestions; ``salt`` names the experiment."""

    conversation: str
    salt: str
    arm: Arm
    date: str


@dataclass(frozen=True, slots=True)
class ConversationOutcome:
    """How a conversation ended, as a contact centre reports it; None is what nobody knows.

    ``returned`` says that the customer came back with it (or sent the product back), as the team counts; ``seconds`` is
    how long agents worked on it.
    """

    conversation: str
    resolved: bool | None = None
    returned: bool | None = None
    seconds: float | None = None
    date: str = ""


@dataclass(frozen=True, slots=True)
class ClosedGap:
    """What a person said of one gap: ``done`` until it is asked again, or ``dismissed`` for good."""

    id: str
    status: GapStatus
    author: str
    date: str


def hashed_conversation(conversation: str) -> str:
    """Return what the log of questions has in the place of a conversation's id."""
    return short_id("chat", conversation) if conversation else ""
