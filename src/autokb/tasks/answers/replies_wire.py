"""What the tasks about replies have in common: what a model is shown of a conversation, and the replies it writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from autokb.core.conversations import Message
from autokb.core.reply_rules import ReplyRules
from autokb.heuristics.grounding.visible import visible
from autokb.heuristics.replies.drafts import DraftedReply, Drafting, GivenPassage, House, Quoted
from autokb.tasks.wire import number_to, wire

MOST_REPLIES = 3
MOST_QUOTES = 6  # of a reply
LONGEST_REPLY = 1_000  # characters; what has too many words but fewer characters is shortened
LONGEST_QUOTE = 1_200  # characters
TOKENS_A_REPLY = (500, 110)  # the most that a reply with its quotes can sensibly need, and the usual number


def shown(drafting: Drafting) -> Mapping[str, Any]:
    """Return the variables of a prompt that every task about replies has."""
    house, manners = drafting.house, drafting.house.manners
    return {
        "domain": house.domain,
        "max_words": manners.max_words,
        "tone": manners.tone,
        "negative_words": manners.negative_words,
        "rules": house.rules,
        "language": house.language,
        "conversation": [{"role": m.role, "text": m.text} for m in drafting.conversation],
        "passages": [{"title": p.title, "text": p.text} for p in drafting.passages],
    }


def example_drafting(example: Mapping[str, Any]) -> Drafting:
    """Return what an entry of ``examples.yaml`` is about."""
    conversation = tuple(Message(role, text) for one in example["conversation"] for role, text in one.items())
    passages = tuple(GivenPassage(p["title"], tuple(p["parts"])) for p in example["passages"])
    return Drafting(conversation, passages, House("", ReplyRules()))


def quote_type(passages: int) -> Any:
    """Return the type of a quote with the number of its passage."""
    quote = Annotated[str, Field(min_length=1, max_length=LONGEST_QUOTE)]
    return wire("Quote", passage=number_to(max(1, passages)), quote=quote)


def reply_type(passages: int) -> Any:
    """Return the type of a reply with its quotes."""
    text = Annotated[str, Field(min_length=1, max_length=LONGEST_REPLY)]
    quotes = Annotated[list[quote_type(passages)], Field(max_length=MOST_QUOTES)]  # type: ignore[misc]
    return wire("Reply", text=text, quotes=quotes)


def replies_type(passages: int) -> Any:
    """Return the type of a list of replies."""
    return Annotated[list[reply_type(passages)], Field(max_length=MOST_REPLIES)]  # type: ignore[misc]


def read_replies(replies: Sequence[Any]) -> tuple[DraftedReply, ...]:
    """Return replies as a person sees them; what is wrong with one is found by who checks them all."""
    return tuple(DraftedReply(text=one_line(r.text), quotes=read_quotes(r.quotes)) for r in replies)


def read_quotes(quotes: Sequence[Any]) -> tuple[Quoted, ...]:
    """Return quotes as a person sees them."""
    return tuple(Quoted(passage=q.passage, quote=visible(q.quote)) for q in quotes)


def one_line(text: str) -> str:
    """Return what a person sees of a text, on one line."""
    return " ".join(visible(text).split())
