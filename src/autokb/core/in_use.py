"""What is kept of a knowledge base in use: questions that were asked, and what became of conversations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, get_args

from autokb.core.ids import digest, short_id
from autokb.core.validation import Name, Share, Switch

Arm = Literal["treatment", "control"]
ARMS: tuple[Arm, ...] = get_args(Arm)
TREATMENT, CONTROL = ARMS
HASH_DIGITS = 13  # hexadecimal digits of the hash that are read: 52 bits, which a float holds exactly


@dataclass(frozen=True, slots=True)
class ArmSettings:
    """What the settings say of an experiment.

    ``share`` of the conversations are in the treatment arm and get suggestions, the others none; another ``salt`` deals
    them out anew and so names the experiment. It is off until ``enabled``.
    """

    enabled: Switch = False
    share: Share = 0.5
    salt: Name = ""

    def arm_of(self, conversation: str) -> Arm | None:
        """Return the arm of a conversation by its id; None where there is no experiment, or no id."""
        if not self.enabled or not conversation:
            return None
        place = int(digest(self.salt, conversation)[:HASH_DIGITS], 16) / 16**HASH_DIGITS
        return TREATMENT if place < self.share else CONTROL


AskedBy = Literal["ask", "suggest", "box"]
GapStatus = Literal["open", "done", "dismissed"]


@dataclass(frozen=True, slots=True)
class LoggedQuestion:
    """A question that was asked, its private data masked, with what was shown for it.

    ``themes`` are names, ``issues`` and ``solutions`` ids, as they were then; ``conversation`` is a hash of its id,
    empty where none was given. ``number`` is its place in the order of their keeping.
    ``seconds`` is the time to the answer; ``reader`` who decided what is shown where a reader was asked (``offline``
    where it failed), and ``cost`` the USD that it took, None without a price.
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
    seconds: float = 0.0
    reader: str = ""
    cost: float | None = 0.0
    number: int = 0


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """What became of a logged question, without its words; ``conversation`` is a hash.

    ``seconds`` is None where it was kept before there were any.
    """

    number: int
    outcome: str
    conversation: str
    date: str
    reader: str = ""
    seconds: float | None = None
    cost: float | None = 0.0


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


FeedbackVerdict = Literal["used", "edited", "rejected", "helpful", "unhelpful"]
SuggestionSource = Literal["", "solution", "passage", "ticket", "question", "small_talk", "refusal"]
FEEDBACK_VERDICTS: tuple[str, ...] = get_args(FeedbackVerdict)
SUGGESTION_SOURCES: tuple[str, ...] = get_args(SuggestionSource)
RESOLVING: frozenset[str] = frozenset({"used", "edited", "helpful"})  # only rejected and unhelpful say that it failed


@dataclass(frozen=True, slots=True)
class Feedback:
    """One verdict on one suggestion, with what was suggested then, so that it outlives a build that drops the solution.

    ``text`` is what was sent, ``suggested`` the solution's text and ``documents`` the ids of what it cited at that
    time; ``source`` is empty where nobody said it. ``number`` is its place in the order of their taking.
    """

    id: str
    query: str
    verdict: FeedbackVerdict
    solution_id: str | None = None
    text: str = ""
    suggested: str = ""
    documents: tuple[str, ...] = ()
    source: SuggestionSource = ""
    conversation: str = ""
    author: str = ""
    group: str = ""
    date: str = ""
    number: int = 0


def feedback_id(feedback: Feedback) -> str:
    """Return the id of a feedback, made from what people said: sent twice it is one, whenever that was.

    Of a suggestion without a solution its documents are part of that; a solution's own follow from it.
    """
    one = feedback
    people = (one.conversation, one.author, one.group)
    return short_id("feedback", folded(one.query), one.verdict, one.text.strip(), *people, *_about(one))


def last_words(feedback: Iterable[Feedback]) -> list[Feedback]:
    """Return what was said last of each suggestion for one question in one conversation, whoever said it."""
    last: dict[tuple[str, ...], Feedback] = {}
    for one in sorted(feedback, key=lambda one: one.number):
        last[folded(one.query), one.conversation, *_about(one)] = one
    return sorted(last.values(), key=lambda one: one.number)


def resolved_questions(feedback: Iterable[Feedback]) -> list[Feedback]:
    """Return those that count as a resolved question, in the order of their taking.

    Only the last word on a suggestion counts; what cites no document (a question back, a solution by hand) resolves
    nothing that a search could find again.
    """
    return [one for one in last_words(feedback) if one.verdict in RESOLVING and one.documents]


def _about(one: Feedback) -> tuple[str, ...]:
    return (one.solution_id,) if one.solution_id else ("", *one.documents)


def folded(query: str) -> str:
    """Return a question as two are compared, whatever the case and the white space."""
    return " ".join(query.casefold().split())


def moment() -> str:
    """Return now, as dates are kept."""
    return datetime.now(UTC).isoformat(timespec="seconds")
