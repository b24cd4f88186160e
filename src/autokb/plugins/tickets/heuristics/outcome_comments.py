"""Which comments of a ticket tell how it ended: few of many, by who wrote them, their place and their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from autokb.core.domain import ENGLISH
from autokb.core.tickets import Comment, Ticket
from autokb.text.lexicons import AsWritten, WordLists, pattern_of

MOST_COMMENTS = 3  # of a ticket that an answer shows
MOST_IF_ASKED = 6  # where the question asks for comments
# What speaks for a comment: that its words tell an outcome of the kind asked for, or of another kind, that the assignee
# wrote it, that it is the last; and against it, that it is a formality, a question, or too short to say anything. Set
# by reading a hundred answers, not fitted.
ASKED_WORDS, OTHER_WORDS, BY_ASSIGNEE, IS_LAST, FORMALITY, QUESTION, SHORT = 2.0, 1.0, 1.0, 0.5, -3.0, -2.5, -1.0
LEAST = 1.0
SHORT_CHARACTERS = 25  # a comment below tells no outcome
KINDS = {"fix": "solved", "resolution": "solved", "root_cause": "causes", "workaround": "workarounds"}


@dataclass(frozen=True, slots=True)
class CommentWords(WordLists):
    """Patterns of comments; the YAML file says what each is for."""

    file: ClassVar[str] = "ticket_comments"

    patterns: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)


# Complex: which comments are wanted, how many and from which score on depends on the same question.
def outcome_comments(ticket: Ticket, asked: Sequence[str], language: str = ENGLISH) -> tuple[int, ...]:
    """Return the positions of the comments to show with an answer, in their order; one that repeats another is none.

    Where the words of none tell how it ended, those of a short discussion are shown that are no formality: people do
    not always say that what they wrote was the solution.

    ``asked`` are the sections that the question asks for; where comments are among them, more are shown.
    """
    wanted = {KINDS[name] for name in asked if name in KINDS} or {"solved"}
    most, least = (MOST_IF_ASKED, -1.0) if "comments" in asked else (MOST_COMMENTS, LEAST)
    first = {comment.text.strip(): n for n, comment in reversed(list(enumerate(ticket.comments)))}
    scores = {n: _score(ticket, n, wanted, language) for n in first.values()}
    ranked = sorted(scores, key=lambda n: (-scores[n], -n))
    told = [n for n in ranked if scores[n] >= least][:most]
    if not told and len(scores) <= MOST_COMMENTS:
        told = [n for n in scores if scores[n] >= 0]
    return tuple(sorted(told))


def tells_outcome(ticket: Ticket, asked: Sequence[str], language: str = ENGLISH) -> bool:
    """Return whether the words of a comment tell what was asked for: a fix, a cause or a workaround."""
    wanted = {KINDS[name] for name in asked if name in KINDS}
    return any(
        _has(language, kind, comment) and not _has(language, "formalities", comment)
        for comment in ticket.comments
        for kind in wanted
    )


def _score(ticket: Ticket, position: int, wanted: set[str], language: str) -> float:
    comment = ticket.comments[position]
    tells = {kind for kind in ("solved", "causes", "workarounds") if _has(language, kind, comment)}
    score = ASKED_WORDS * bool(tells & wanted) + OTHER_WORDS * bool(tells - wanted)
    score += BY_ASSIGNEE * (bool(comment.author) and comment.author == ticket.assignee)
    score += IS_LAST * (position == len(ticket.comments) - 1)
    score += FORMALITY * _has(language, "formalities", comment)
    score += QUESTION * comment.text.rstrip().endswith("?")
    return score + SHORT * (len(comment.text.strip()) < SHORT_CHARACTERS)


def _has(language: str, kind: str, comment: Comment) -> bool:
    return pattern_of(CommentWords, kind, language).search(comment.text.strip()) is not None
