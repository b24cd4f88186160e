"""From tickets found for a question, and what the sub-graph gave, to the passages that answer it, and to the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from autokb.core.domain import ENGLISH
from autokb.core.nouns import Span
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import TICKET, Ticket, TicketEvidence, TicketSection
from autokb.plugins.tickets.heuristics.answer_from import Role, TicketPassage, TicketsAnswer
from autokb.plugins.tickets.heuristics.outcome_comments import outcome_comments
from autokb.plugins.tickets.heuristics.whole_parts import opening
from autokb.stores.ticket_tables import PublishedTicket

PASSAGE_CHARACTERS = 2_400  # of a section that an answer shows; the rest is one `tickets show` away
COMMENT_CHARACTERS = 1_500  # of a comment that an answer shows
PROBLEM_CHARACTERS = 240  # of a ticket's description, whole sentences: enough to see whether it is the same problem
TEXT_CHARACTERS = 1_000  # of a passage that was found by its text
MOST_TICKETS = 3  # whose asked sections an answer shows
# Sections that tell how a ticket ended, so that comments may tell it too.
ENDINGS = frozenset({"fix", "root_cause", "workaround", "resolution", "comments"})
CUT = "[...]"  # behind what is shown of a longer text
DUPLICATES = "duplicate"  # part of the name of links to a ticket that is resolved elsewhere
_DOTTED = re.compile(r"\d+\.\d+")  # of a version that was released; beside such, sprints and milestones say nothing
_FIXED = re.compile(
    r"\b(?:fixed|done|solved|resolved|completed?|released|implemented|gelöst|behoben|erledigt|fertig|umgesetzt)\b", re.I
)
_DUPLICATE = re.compile(r"duplicate|duplikat|dublette", re.IGNORECASE)


def state_of(ticket: Ticket) -> str:
    """Return in a few words how a ticket stands: Closed, Fixed in Release 3.1.0; or: Closed, Duplicate of APP-1."""
    state = ", ".join(dict.fromkeys(filter(None, (ticket.status, ticket.resolution)))) or "no status"
    if versions := fixed_in(ticket):
        return f"{state} in {', '.join(versions)}"
    if _DUPLICATE.search(ticket.resolution) and (originals := originals_of(ticket)):
        return f"{state} of {', '.join(originals)}"
    return state


def fixed_in(ticket: Ticket) -> tuple[str, ...]:
    """Return the versions that a ticket was fixed in, those that were released where it has such."""
    if not _FIXED.search(ticket.resolution):
        return ()
    return tuple(v for v in ticket.fix_versions if _DOTTED.search(v)) or tuple(ticket.fix_versions)


def problem_of(published: PublishedTicket, template: TicketTemplate, language: str = ENGLISH) -> str:
    """Return the first sentences of what a ticket reports, in one line; nothing where it only has a title."""
    text = _text_of(published, template.field_of.get("description", ""))
    start, end = opening(text, 0, len(text), PROBLEM_CHARACTERS, language)
    line = " ".join(text[start:end].split())
    return line if len(line) <= 2 * PROBLEM_CHARACTERS else ""


def originals_of(ticket: Ticket) -> tuple[str, ...]:
    """Return the tickets that the source says this one duplicates."""
    links = (link for link in ticket.links if DUPLICATES in link.type.casefold() and not link.inward)
    return tuple(dict.fromkeys(link.target for link in links))


def passages_of_rows(
    rows: Sequence[TicketSection],
    tickets: Mapping[str, PublishedTicket],
    asked: Sequence[str],
    template: TicketTemplate,
    language: str = ENGLISH,
) -> list[TicketPassage]:
    """Return what a sub-graph gave as passages, ticket by ticket in the order of ``tickets``, as they were asked for.

    Of comments only those that tell an outcome are passages.
    """
    found: list[TicketPassage] = []
    order = {name: n for n, name in enumerate(asked)}
    for published in tickets.values():
        own = [row for row in rows if row.ticket == published.ticket.id and row.text.strip()]
        for row in sorted(own, key=lambda row: order.get(row.section, len(order))):
            if not asked and not is_long_section(template, row.section):
                continue  # the state says it
            if row.section == comments_section(published):
                found += comment_passages(published, asked, "asked", language)
            else:
                text = _text_of(published, row.section)
                start, end = opening(text, 0, len(text), PASSAGE_CHARACTERS, language)
                found.append(_part(published, row.section, text, start, end, "asked", cut=end < len(text.rstrip())))
    return found


def comment_passages(
    published: PublishedTicket, asked: Sequence[str], role: Role, language: str = ENGLISH
) -> list[TicketPassage]:
    """Return the comments of a ticket that tell how it ended."""
    name = comments_section(published)
    if not name:
        return []
    chosen = set(outcome_comments(published.ticket, asked, language))
    places = _places_of_comments(published.ticket, _text_of(published, name))
    return [_comment(published, n, place, role, language) for n, place in places if n in chosen]


def _comment(published: PublishedTicket, position: int, place: Span, role: Role, language: str) -> TicketPassage:
    name = comments_section(published)
    text = _text_of(published, name)
    start, end = opening(text, *place, COMMENT_CHARACTERS, language)
    comment = published.ticket.comments[position]
    by = ", ".join(filter(None, (comment.author, comment.date[:10])))
    return replace(_part(published, name, text, start, end, role, cut=end < place[1]), by=by)


def text_passages(
    published: PublishedTicket, places: Sequence[tuple[str, int, int]], language: str = ENGLISH
) -> list[TicketPassage]:
    """Return passages around places (section, start, end) of a ticket; one that lies in another is left out.

    Of comments the one is shown whole that the place lies in.
    """
    found: list[TicketPassage] = []
    comments = comments_section(published)
    for section, start, _ in places:
        text = _text_of(published, section)
        if not text.strip() or any(p.section == section and p.start <= start < p.start + len(p.text) for p in found):
            continue
        around = _places_of_comments(published.ticket, text) if section == comments else iter(())
        if own := next(((n, place) for n, place in around if place[0] <= start < place[1]), None):
            found.append(_comment(published, *own, "text", language))
            continue
        first, last = opening(text, start, len(text), TEXT_CHARACTERS, language)
        if first < last:
            found.append(_part(published, section, text, first, last, "text", cut=last < len(text.rstrip())))
    return found


def comments_section(published: PublishedTicket) -> str:
    """Return the section that holds a ticket's comments, nothing where it has none."""
    return next((s.section for s in published.sections if s.section == "comments" and s.text), "")


def _places_of_comments(ticket: Ticket, text: str) -> Iterator[tuple[int, Span]]:
    """Yield the position of each comment and where it stands in the section; one that is no longer there has none."""
    end = 0
    for position, comment in enumerate(ticket.comments):
        own = comment.text.strip()
        start = text.find(own, end) if own else -1
        if start >= 0:
            end = start + len(own)
            yield position, (start, end)


def _part(
    published: PublishedTicket, section: str, text: str, start: int, end: int, role: Role, *, cut: bool
) -> TicketPassage:
    ticket = published.ticket
    return TicketPassage(
        ticket=ticket.id,
        title=ticket.title,
        state=state_of(ticket),
        section=section,
        by="",
        text=text[start:end],
        start=start,
        role=role,
        cut=cut,
    )


def _text_of(published: PublishedTicket, section: str) -> str:
    return next((s.text for s in published.sections if s.section == section), "")


def write_answer(
    reply: TicketsAnswer, passages: Sequence[TicketPassage], template: TicketTemplate
) -> tuple[str, list[TicketEvidence]]:
    """Return the answer as Markdown, each ticket introduced by its title and state, and its evidence."""
    lines: list[str] = []
    evidence: dict[TicketEvidence, None] = {}
    ticket = section = ""
    for part in reply.parts:
        first = passages[part.quotes[0].passage]
        if first.ticket != ticket:
            lines.append(f"**{first.ticket}: {first.title}** ({first.state})")
            ticket, section = first.ticket, ""
        if first.section != section and is_long_section(template, first.section):
            lines.append(f"{name_of(first.section)}:")
            section = first.section
        short = "" if is_long_section(template, first.section) else f"{name_of(first.section)}: "
        by = f"({first.by}) " if first.by else ""
        rest = f"\n\n{CUT}" if first.cut and part.text == first.text else ""
        lines.append(short + by + with_whole_fences(part.text) + rest)
        for quote in part.quotes:
            passage = passages[quote.passage]
            start = passage.start + quote.start
            found = TicketEvidence(passage.ticket, passage.section, start, start + len(quote.quote), quote.quote)
            evidence.setdefault(found)
    return "\n\n".join(lines), list(evidence)


def name_of(section: str) -> str:
    """Return a section as people call it: Steps to reproduce."""
    return section.replace("_", " ").capitalize()


def is_long_section(template: TicketTemplate, section: str) -> bool:
    """Return whether a section holds text, not only the value of a field."""
    return section != TICKET and (section not in template or template[section].embedded)


def with_whole_fences(text: str) -> str:
    """Return Markdown in which a block of code that was cut off ends."""
    fences = [line for line in text.split("\n") if line.lstrip().startswith("```")]
    return f"{text}\n```" if len(fences) % 2 else text
