"""What the paths give for which no class of results stands: its objects as the OpenAPI file names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, create_model

from autokb.answering.answer import Outcome, WrittenSentence
from autokb.answering.clarify import Clarification
from autokb.answering.explain import Explanation
from autokb.answering.suggest import Source
from autokb.answering.telling import TellingLine
from autokb.core.attributes import Match
from autokb.core.checks import Turned
from autokb.core.in_use import Arm, Feedback
from autokb.core.nouns import Evidence
from autokb.core.spending import Tokens
from autokb.core.tickets import TicketEvidence
from autokb.retrieval.reader import ReaderRun
from autokb.views.kinds import Page, View

Attributes = dict[str, list[str]]


class Alive(BaseModel):
    """The process answers."""

    status: Literal["ok"]
    version: str


class Ready(BaseModel):
    """Questions can be answered."""

    status: Literal["ready"]


class Published(BaseModel):
    """The version that readers see now."""

    number: int
    published: Literal[True]


class Refused(BaseModel):
    """What the gate has against the candidate; readers see what they saw."""

    published: Literal[False]
    reasons: list[str]
    checks: list[Turned]


class AnswerSolution(BaseModel):
    """A solution as answers show it."""

    id: str
    text: str
    steps: list[str]
    attributes: Attributes
    evidence: list[Evidence]


class AnswerPassage(AnswerSolution):
    """A section of a document that answers where no node does."""

    document: str
    heading: str


class AnswerIssue(BaseModel):
    """A node of the knowledge base."""

    id: str
    text: str
    parent_id: str | None
    attributes: Attributes


class AnswerMatch(BaseModel):
    """A node that fits a question, with its solutions, the best first; ``similarity`` is from 0 to 1."""

    issue: AnswerIssue
    match: Match
    similarity: float
    solutions: list[AnswerSolution]


class LikelyDocument(BaseModel):
    """A document that may help."""

    document: str
    score: float


class Reply(BaseModel):
    """A reply that a model wrote from what is shown; ``text`` is null where ``writer`` says why there is none."""

    text: str | None
    sentences: list[WrittenSentence]
    writer: ReaderRun


class QuestionAnswer(BaseModel):
    """What a question gets back; ``explain`` and ``reply`` are there only for who asks for them.

    ``reader`` names who decided what is shown, where a reader was asked, and ``reading`` says how that went.
    """

    query: str
    attributes: Attributes
    outcome: Outcome
    question: Clarification | None
    matches: list[AnswerMatch]
    passages: list[AnswerPassage]
    documents: list[LikelyDocument]
    confidence: float
    reason: str | None
    seconds: float
    warning: str | None = None
    says: TellingLine | None = None
    explain: Explanation | None = None
    reader: str | None = None
    reading: ReaderRun | None = None
    reply: Reply | None = None


class OneSuggestion(BaseModel):
    """A reply that is ready to be sent."""

    text: str
    source: Source
    evidence: list[Evidence | TicketEvidence]
    solution_id: str | None
    match: Match | None
    attributes: Attributes
    choices: list[str]
    steps: list[str]


class Suggestions(BaseModel):
    """What an agent is offered; ``question`` is what was searched for."""

    outcome: Outcome
    suggestions: list[OneSuggestion]
    question: str
    reason: str | None
    confidence: float
    seconds: float
    strategy: str
    passages: int
    requests: int
    tokens: Tokens
    cost: float | None
    fallback: str | None
    arm: Arm | None
    warning: str | None = None
    reader: str | None = None
    reading: ReaderRun | None = None


@dataclass(frozen=True, slots=True)
class KeptFeedback(Feedback):
    """A feedback as it is stored; ``changed`` is 0 where it was there already."""

    changed: int = 0


class FeedbackList(BaseModel):
    """Some feedback in the order of its taking; ``next`` is the ``after`` of the next page, null at the end."""

    items: list[Feedback]
    next: str | None


def page_of(view: type[View], level: str = "full") -> Any:
    """Return what the OpenAPI file says of a page of things at a level of detail."""
    kind, item = view.__name__.removesuffix("View"), view
    if level != "full":
        hints = get_type_hints(view)
        fields: dict[str, Any] = {name: (hints[field], ...) for name, field in view.LEVELS[level].items()}
        item = create_model(f"Listed{kind}", __doc__=(view.__doc__ or "").partition("\n")[0], **fields)
    return create_model(f"{kind}Page", __doc__=Page.__doc__, items=(list[item], ...), next=(str | None, ...))  # type: ignore[valid-type]
