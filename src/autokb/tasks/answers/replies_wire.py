"""What the tasks about replies have in common: what a model is shown of a conversation, and the replies it writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
)
from autokb.tasks.places import read_pieces, show_passages
from autokb.tasks.wire import number_to, wire

MOST_REPLIES = 3  # of one reply of a model, as many as an agent is offered
MOST_LINES = 6  # that a reply rests on
LONGEST_REPLY = 1_000  # characters; what has too many words but fewer characters is shortened
MOST_POINTS = 8  # to check, of all replies
LONGEST_POINT = 300  # characters
TOKENS_A_REPLY = (350, 60)  # the most that a reply with its numbers can sensibly need, and the usual number


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
        **shown_material(about.conversation, about.passages, house.language),
    }


def shown_material(
    conversation: Sequence[Message], passages: Sequence[GivenPassage], language: str
) -> Mapping[str, Any]:
    """Return what was said and what was found, as prompts show it."""
    return {
        "conversation": [{"role": m.role, "text": m.text} for m in conversation],
        "passages": shown_passages(passages, language),
    }


def shown_passages(passages: Sequence[GivenPassage], language: str) -> list[Mapping[str, str]]:
    """Return the titles and texts of passages, each line that can be named behind its number."""
    texts = show_passages((passage.parts for passage in passages), language)
    return [{"title": passage.title, "text": text} for passage, text in zip(passages, texts, strict=True)]


def numbered_lines(passages: Sequence[GivenPassage], language: str) -> list[Quoted]:
    """Return what the numbers of lines stand for, that of 1 first."""
    found = []
    for number, passage in enumerate(passages, 1):
        for at, part in enumerate(passage.parts):
            start, _ = passage.place_of(at)
            spans = (piece.span for piece in read_pieces(part, language) if piece.is_place)
            found += [Quoted(passage=number, start=start + first, end=start + last) for first, last in spans]
    return found


def published_texts(passages: Sequence[GivenPassage]) -> list[str]:
    """Return the titles and texts of the passages that any customer may read."""
    return [text for passage in passages if passage.is_published for text in (passage.title, *passage.parts)]


def example_drafting(example: Mapping[str, Any]) -> Drafting:
    """Return what an entry of ``examples.yaml`` is about."""
    conversation = tuple(Message(role, text) for one in example["conversation"] for role, text in one.items())
    passages = tuple(GivenPassage(p["title"], tuple(p["parts"])) for p in example["passages"])
    return Drafting(conversation, passages, ReplyStyle("", ReplyRules()))


def replies_type(lines: int) -> Any:
    """Return the type of a list of replies, each with the numbers of the lines that it rests on."""
    text = Annotated[str, Field(min_length=1, max_length=LONGEST_REPLY)]
    reply = wire("Reply", text=text, lines=list_of(number_to(max(1, lines)), MOST_LINES))
    return list_of(reply, MOST_REPLIES)


def list_of(kind: Any, most: int) -> Any:
    """Return the type of a list of at most so many."""
    return Annotated[list[kind], Field(max_length=most)]


def read_replies(replies: Sequence[Any], lines: Sequence[Quoted]) -> tuple[DraftedReply, ...]:
    """Return replies as a person sees them; what is wrong with one is found by who checks them all."""
    return tuple(DraftedReply(text=one_line(r.text), quotes=read_lines(r.lines, lines)) for r in replies)


def read_lines(numbers: Sequence[int], lines: Sequence[Quoted]) -> tuple[Quoted, ...]:
    """Return what numbers stand for, each once; one of none is left out."""
    return tuple(lines[n - 1] for n in dict.fromkeys(numbers) if n <= len(lines))


def one_line(text: str) -> str:
    """Return what a person sees of a text, on one line."""
    return " ".join(visible(text).split())
