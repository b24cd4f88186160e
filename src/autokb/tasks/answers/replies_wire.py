"""What the tasks about replies have in common: what a model is shown of a conversation, and the replies it writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any

from pydantic import Field

from autokb.core.nouns import Message
from autokb.core.reply_rules import ReplyRules
from autokb.heuristics.grounding.visible import visible
from autokb.heuristics.replies.drafts import (
    DraftedReply,
    Drafting,
    GivenPassage,
    Quoted,
    ReplyStyle,
    Verifying,
    find_quote,
)
from autokb.tasks.prompts import unescaped
from autokb.tasks.wire import number_to, wire

MOST_REPLIES = 3  # of one reply of a model, as many as an agent is offered
MOST_QUOTES = 6  # of a reply
LONGEST_REPLY = 1_000  # characters; what has too many words but fewer characters is shortened
LONGEST_QUOTE = 1_200  # characters
MOST_POINTS = 8  # to check, of all replies
LONGEST_POINT = 300  # characters
TOKENS_A_REPLY = (500, 110)  # the most that a reply with its quotes can sensibly need, and the usual number


def shown(about: Drafting | Verifying) -> Mapping[str, Any]:
    """Return the variables of a prompt that every task about replies has."""
    house, manners = about.house, about.house.manners
    return {
        "domain": house.domain,
        "max_words": manners.max_words,
        "tone": manners.tone,
        "negative_words": manners.negative_words,
        "rules": house.rules,
        "language": house.language,
        **shown_material(about.conversation, about.passages),
    }


def shown_material(conversation: Sequence[Message], passages: Sequence[GivenPassage]) -> Mapping[str, Any]:
    """Return what was said and what was found, as prompts show it."""
    return {
        "conversation": [{"role": m.role, "text": m.text} for m in conversation],
        "passages": [{"title": p.title, "text": p.text} for p in passages],
    }


def published_texts(passages: Sequence[GivenPassage]) -> list[str]:
    """Return the titles and texts of the passages that any customer may read."""
    return [text for passage in passages if passage.is_published for text in (passage.title, *passage.parts)]


def example_drafting(example: Mapping[str, Any]) -> Drafting:
    """Return what an entry of ``examples.yaml`` is about."""
    conversation = tuple(Message(role, text) for one in example["conversation"] for role, text in one.items())
    passages = tuple(GivenPassage(p["title"], tuple(p["parts"])) for p in example["passages"])
    return Drafting(conversation, passages, ReplyStyle("", ReplyRules()))


@cache  # a type takes longer to make than a reply to read
def quote_type(passages: int) -> Any:
    """Return the type of a quote with the number of its passage."""
    quote = Annotated[str, Field(min_length=1, max_length=LONGEST_QUOTE)]
    return wire("Quote", passage=number_to(max(1, passages)), quote=quote)


def reply_type(quote: Any, name: str = "quotes") -> Any:
    """Return the type of a reply that has, under a name, quotes or what stands for one."""
    text = Annotated[str, Field(min_length=1, max_length=LONGEST_REPLY)]
    return wire("Reply", text=text, **{name: list_of(quote, MOST_QUOTES)})


@cache
def replies_type(passages: int) -> Any:
    """Return the type of a list of replies with their quotes."""
    return list_of(reply_type(quote_type(passages)), MOST_REPLIES)


def list_of(kind: Any, most: int) -> Any:
    """Return the type of a list of at most so many."""
    return Annotated[list[kind], Field(max_length=most)]


def read_replies(replies: Sequence[Any], passages: Sequence[GivenPassage]) -> tuple[DraftedReply, ...]:
    """Return replies as a person sees them; what is wrong with one is found by who checks them all."""
    return tuple(DraftedReply(text=one_line(r.text), quotes=read_quotes(r.quotes, passages)) for r in replies)


def read_quotes(quotes: Sequence[Any], passages: Sequence[GivenPassage]) -> tuple[Quoted, ...]:
    """Return quotes as their passages spell them: a prompt shows ``<`` escaped, and a model may copy that."""
    found = []
    for one in quotes:
        text, quote = passages[one.passage - 1].text, visible(one.quote)
        is_escaped = find_quote(text, quote) is None and find_quote(text, unescaped(quote)) is not None
        found.append(Quoted(passage=one.passage, quote=unescaped(quote) if is_escaped else quote))
    return tuple(found)


def one_line(text: str) -> str:
    """Return what a person sees of a text, on one line."""
    return " ".join(visible(text).split())
