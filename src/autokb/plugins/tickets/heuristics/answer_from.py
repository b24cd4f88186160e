"""An answer from past tickets without a model: the sections that were asked for, verbatim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than, outside_key
from autokb.core.reply import LeftOut, Reply, ReplyError

Role = Literal["asked", "outcome", "text"]
MOST_TEXTS = 3  # passages found by their text that stand in an answer where nothing that was asked for does


@dataclass(frozen=True, slots=True)
class TicketPassage:
    """Part of a ticket's section, from ``start`` on; ``state`` says in a few words how the ticket stands, ``by``
    who wrote a comment and when.

    ``cut``: the section or comment goes on behind it. ``role``: the sub-graph gave it (``asked``), it is a comment that
    tells how the ticket ended (``outcome``), or its text is near the question (``text``).
    """

    ticket: str
    title: str
    state: str
    section: str
    by: str
    text: str
    start: int
    role: Role
    cut: bool = outside_key(False)


@dataclass(frozen=True, slots=True)
class FromTickets:
    """A question and the passages that may answer it, best first."""

    question: str
    passages: tuple[TicketPassage, ...]
    language: str = only_if_other_than(ENGLISH)


class TicketQuote(Reply):
    """Part of a passage: ``quote`` is exactly ``text[start:end]`` of the passage at this position."""

    passage: int
    start: int
    end: int
    quote: str


class AnswerPart(Reply):
    """One thing that an answer says, and what of the tickets it is taken from."""

    text: str
    quotes: tuple[TicketQuote, ...]


class TicketsAnswer(Reply):
    """The parts of an answer in their order; none where the passages do not answer."""

    parts: tuple[AnswerPart, ...]
    left_out: tuple[LeftOut, ...] = ()


# Complex: one comprehension for each role that passages are shown by, the better ones first.
def answer_from_passages(item: FromTickets) -> TicketsAnswer:
    """Return the passages that the sub-graph gave, with how their tickets ended; else those found by their text."""
    asked = {passage.ticket for passage in item.passages if passage.role == "asked"}
    if asked:
        shown = [n for n, p in enumerate(item.passages) if p.role != "text" and p.ticket in asked]
    else:
        shown = [n for n, p in enumerate(item.passages) if p.role == "outcome"]
        shown = shown or [n for n, p in enumerate(item.passages) if p.role == "text"][:MOST_TEXTS]
    return TicketsAnswer(parts=tuple(_whole(item.passages, number) for number in sorted(shown)))


def _whole(passages: Sequence[TicketPassage], number: int) -> AnswerPart:
    text = passages[number].text
    return AnswerPart(text=text, quotes=(TicketQuote(passage=number, start=0, end=len(text), quote=text),))


def check_answer(item: FromTickets, reply: TicketsAnswer) -> None:
    """Refuse a part without a quote, and a quote that is no part of its passage (ReplyError)."""
    for part in reply.parts:
        if not part.quotes or not part.text.strip():
            raise ReplyError("Each part of an answer needs a text and a quote.")
        for quote in part.quotes:
            if not 0 <= quote.passage < len(item.passages):
                raise ReplyError(f"There is no passage {quote.passage}; there are {len(item.passages)}.")
            if item.passages[quote.passage].text[quote.start : quote.end] != quote.quote or not quote.quote:
                raise ReplyError(f"The quote is not what stands at {quote.start} to {quote.end} of its passage.")
