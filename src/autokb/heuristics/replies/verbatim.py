"""Replies in the passages' own words: what is drafted where no model is asked."""

from __future__ import annotations

from autokb.core.domain import ENGLISH
from autokb.core.reply_rules import ReplyRules
from autokb.heuristics.conversations.read_turn import said_before
from autokb.heuristics.conversations.reply_excerpt import condition_of, excerpt
from autokb.heuristics.replies.drafts import DraftedReplies, DraftedReply, Drafting, Quoted
from autokb.text.sentences import sentences


def draft_verbatim(drafting: Drafting) -> DraftedReplies:
    """Draft from each passage the part that is asked for, as much of it as a reply may have."""
    house, question = drafting.house, drafting.question
    said = said_before(drafting.conversation, house.language)
    found: list[DraftedReply] = []
    for number, passage in enumerate(drafting.passages, 1):
        condition = condition_of(passage.title, question, house.language)
        part = excerpt(
            passage.parts,
            passage.parts,
            question,
            house.manners,
            house.language,
            condition=condition,
            said=said,
            title=passage.title,
        )
        if part is not None:
            quotes = tuple(Quoted(passage=number, quote=passage.parts[n]) for n in part.steps)
            found.append(DraftedReply(text=part.text, quotes=quotes))
    return DraftedReplies(replies=tuple(found))


def first_sentences(text: str, rules: ReplyRules, language: str = ENGLISH) -> str:
    """Return as many of the first sentences as fit, nothing where the first does not."""
    spans = sentences(text, language=language)
    fitting = [text[spans[0][0] : end] for _, end in spans if rules.fits(text[spans[0][0] : end])]
    return fitting[-1] if fitting else ""
