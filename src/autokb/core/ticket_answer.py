"""What an answer from past tickets says: who asks gets it as it is, a tool of an assistant describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from autokb.core.results import Result
from autokb.core.tickets import TicketEvidence


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """``entities`` hold what the question says of a section, ``intents`` the sections it asks for, the likeliest first.

    ``filters`` are values of fields that it names, by the section of the field, ``links`` the kinds of links that it
    asks for.
    """

    entities: Mapping[str, str] = field(default_factory=dict)
    intents: tuple[str, ...] = ()
    filters: Mapping[str, str] = field(default_factory=dict)
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RanCypher(Result):
    """What was asked of the graph; ``refused`` says why it is the plan and not what a model wrote."""

    text: str
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class UsedAnswer(Result):
    """A question that a person confirmed to be answered by a ticket, and how alike it is to this one."""

    ticket: str
    question: str
    author: str
    date: str
    similarity: float


@dataclass(frozen=True, slots=True)
class FoundTicket(Result):
    """A ticket that was found for a question, best first.

    ``state`` says in a few words how it stands, ``problem`` in the first sentences of its description what it reports.
    """

    id: str
    title: str
    score: float
    state: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TicketAnswer(Result):
    """An answer from past tickets, in Markdown, with its evidence.

    ``fallback`` says why it is from the tickets' text, or from another ticket than the best. ``reason`` says why there
    is none. ``match`` is the chance that the first of ``tickets`` is about the same problem, as the workspace's own
    links tell; None where it has too few, and where the question names a ticket. ``accepted`` are answers that people
    confirmed and that spoke for a ticket here; ``question`` is how the question was read.
    """

    outcome: str = "abstains"
    answer: str = ""
    evidence: tuple[TicketEvidence, ...] = ()
    fallback: str | None = None
    cypher: RanCypher | None = None
    seconds: float = 0.0
    reason: str | None = None
    confidence: float = 0.0
    match: float | None = None
    tickets: tuple[FoundTicket, ...] = ()
    accepted: tuple[UsedAnswer, ...] = ()
    question: QuestionParts = field(default_factory=QuestionParts)
