"""The task that answers a question from past tickets: parts of an answer, each with the places it is taken from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from autokb.heuristics.grounding.support import unsupported
from autokb.heuristics.grounding.visible import visible
from autokb.heuristics.solutions.solution import Excerpt
from autokb.plugins.tickets.heuristics.answer_from import (
    AnswerPart,
    FromTickets,
    TicketPassage,
    TicketQuote,
    TicketsAnswer,
    answer_from_passages,
    check_answer,
)
from autokb.tasks.places import StepPlace, find_places, show_passages
from autokb.tasks.task import LeftOut, Read, Task
from autokb.tasks.wire import wire
from autokb.text.plain_text import plain_text

MOST_PARTS = 12  # of one answer, each with its evidence
MOST_PLACES = 8  # of a part
LONGEST_TEXT = 600  # characters of a part in the model's own words


class FromTicketsTask(Task[FromTickets, TicketsAnswer]):
    """What do these passages of past tickets answer to this question?"""

    name = "tickets/from_tickets"
    input = FromTickets
    output = TicketsAnswer
    masks = True
    entry_tokens = (2_400, 400)

    def offline(self, item: FromTickets) -> TicketsAnswer:
        """Answer with the sections that were asked for, verbatim."""
        return answer_from_passages(item)

    def check(self, item: FromTickets, reply: TicketsAnswer) -> None:
        """Refuse what has no true quote."""
        check_answer(item, reply)

    def values(self, items: Sequence[FromTickets]) -> Mapping[str, Any]:
        """Return the question and the passages, each line that can be named under its number."""
        (item,) = items
        return {"question": item.question, "passages": _passages(item.passages, item.language)}

    def examples(self, items: Sequence[FromTickets]) -> Sequence[Mapping[str, Any]]:
        """Return the examples with their places numbered as in a request."""
        found = []
        for example in super().examples(items):
            passages = [TicketPassage(start=0, role="asked", by="", **passage) for passage in example["passages"]]
            found.append({**example, "passages": _passages(passages, "en")})
        return found

    def entry(self, items: Sequence[FromTickets]) -> Mapping[str, Any]:
        """Return the field of the one entry: the parts of the answer; only the JSON schema bounds their numbers."""
        (item,) = items
        last = max(1, len(find_places(_excerpts(item.passages), item.language)))
        number: Any = Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": last})]
        part: Any = wire(
            "Part",
            places=Annotated[list[number], Field(json_schema_extra={"minItems": 1, "maxItems": MOST_PLACES})],
            text=Annotated[str, Field(json_schema_extra={"maxLength": LONGEST_TEXT})],
        )
        return {"parts": Annotated[list[part], Field(max_length=MOST_PARTS)]}

    # Complex: a part may lose its places, its words or neither, and each is told and repaired in another way.
    def read(self, item: FromTickets, entry: Any) -> Read[TicketsAnswer]:
        """Turn numbers into quotes; words that their quotes do not support give way to the quotes."""
        excerpts = _excerpts(item.passages)
        places = dict(enumerate(find_places(excerpts, item.language), 1))
        position = {id(excerpt): n for n, excerpt in enumerate(excerpts)}
        parts: list[AnswerPart] = []
        left_out: list[LeftOut] = []
        complaints: list[str] = []
        for number, given in enumerate(entry.parts, 1):
            named = [places[n] for n in dict.fromkeys(given.places) if n in places]
            if len(named) < len(set(given.places)) or not named:
                reason = f"it names a place that is not there; the passages have 1 to {len(places)}"
                left_out.append(LeftOut(part=f"part {number}", reason=reason))
                complaints.append(f"Part {number}: {reason}.")
            if not named:
                continue
            quotes = tuple(_quote(place, position[id(place.excerpt)]) for place in named)
            text = " ".join(visible(given.text).split())
            if doubt := _doubt(text, named, quotes, item.language):
                reason = f"{doubt}; the quote is shown instead"
                left_out.append(LeftOut(part=f"part {number}, its own words", reason=reason))
                complaints += [f"Part {number}: {doubt}."] if len(text) > LONGEST_TEXT else []
                text = ""
            parts.append(AnswerPart(text=text or "\n\n".join(quote.quote for quote in quotes), quotes=quotes))
        return Read(TicketsAnswer(parts=tuple(parts), left_out=tuple(left_out)), complaints=tuple(complaints))


def _doubt(text: str, places: Sequence[StepPlace], quotes: Sequence[TicketQuote], language: str) -> str:
    """Return what speaks against the model's own words for quotes, or nothing."""
    if not text:
        return ""
    if len(text) > LONGEST_TEXT:
        return "it is too long"
    plain = "\n".join(plain_text(quote.quote, images=False).strip() or quote.quote for quote in quotes)
    around = "\n".join(f"{place.excerpt.document} {place.excerpt.title}" for place in places)
    return unsupported(text, plain, around, language=language)


def _quote(place: StepPlace, passage: int) -> TicketQuote:
    start, end = place.span
    return TicketQuote(passage=passage, start=start, end=end, quote=place.excerpt.text[start:end])


def _excerpts(passages: Sequence[TicketPassage]) -> list[Excerpt]:
    return [Excerpt(p.ticket, p.title, (p.section,), p.text) for p in passages]


def _passages(passages: Sequence[TicketPassage], language: str) -> list[Mapping[str, Any]]:
    texts = show_passages(([one.text] for one in _excerpts(passages)), language)
    return [
        {"ticket": p.ticket, "title": p.title, "state": p.state, "section": p.section, "by": p.by, "text": text}
        for p, text in zip(passages, texts, strict=True)
    ]


TASK = FromTicketsTask()
