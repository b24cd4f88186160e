"""Drafted replies with points of them to check, and the check; without a model the points are their quotes."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.conversations import Message
from autokb.core.reply import Reply
from autokb.heuristics.replies.drafts import DraftedReplies, DraftedReply, Drafting, GivenPassage, Quoted, ReplyStyle
from autokb.heuristics.replies.quotes import find_quote
from autokb.heuristics.replies.verbatim import draft_verbatim


class DoubtedDraft(DraftedReplies):
    """Drafted replies, and what of them should be checked."""

    points: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verifying:
    """Drafts for a conversation, the passages that they must be borne out by, and the points to check."""

    conversation: tuple[Message, ...]
    passages: tuple[GivenPassage, ...]
    house: ReplyStyle
    drafts: tuple[DraftedReply, ...]
    points: tuple[str, ...]


class Feedback(Reply):
    """Whether a point, counted from 1, holds, and why."""

    point: int
    holds: bool
    why: str = ""


class VerifiedReplies(DraftedReplies):
    """What was found of each point, and the replies after that."""

    feedback: tuple[Feedback, ...]


def draft_and_doubt(drafting: Drafting) -> DoubtedDraft:
    """Draft in the passages' own words; what can be wrong is that a passage does not say it."""
    replies = draft_verbatim(drafting).replies
    return DoubtedDraft(replies=replies, points=tuple(q.quote for reply in replies for q in reply.quotes))


def verify_quotes(verifying: Verifying) -> VerifiedReplies:
    """Keep the drafts whose quotes stand in their passages; a point holds that stands in one."""
    points = enumerate(verifying.points, 1)
    feedback = tuple(Feedback(point=n, holds=any(find_quote(p.text, t) for p in verifying.passages)) for n, t in points)
    kept = (d for d in verifying.drafts if all(_stands(quote, verifying.passages) for quote in d.quotes))
    return VerifiedReplies(feedback=feedback, replies=tuple(kept))


def _stands(quote: Quoted, passages: tuple[GivenPassage, ...]) -> bool:
    return find_quote(passages[quote.passage - 1].text, quote.quote) is not None
