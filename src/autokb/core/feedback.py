"""Feedback: what an agent or a customer made of one suggestion, and when that counts as a resolved question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from autokb.core.ids import short_id

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
