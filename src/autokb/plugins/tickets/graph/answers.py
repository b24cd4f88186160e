"""From tickets found for a question, and what the sub-graph gave, to the passages that answer it, and to the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from autokb.core.domain import ENGLISH
from autokb.core.nouns import Span
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import TICKET, Ticket, TicketEvidence
from autokb.plugins.tickets.heuristics.answer_from import Role, TicketPassage, TicketsAnswer
from autokb.plugins.tickets.heuristics.outcome_comments import outcome_comments
from autokb.plugins.tickets.heuristics.whole_parts import opening
from autokb.stores.ticket_tables import PublishedTicket

PASSAGE_CHARACTERS = 2_400  # of a section that an answer shows; the rest is one `tickets show` away
COMMENT_CHARACTERS = 1_500  # of a comment that an answer shows
PROBLEM_CHARACTERS = 240  # of a ticket's description, whole sentences: enough to see whether it is the same problem
TEXT_CHARACTERS = 1_000  # of a passage that was found by its text
MOST_TICKETS = 3  # whose asked sections an answer shows
COMMENTS = "comments"  # the section of comments
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


def originals_of(ticket: Ticket) -> tuple[str, ...]:
    """Return the tickets that the source says this one duplicates."""
    links = (link for link in ticket.links if DUPLICATES in link.type.casefold() and not link.inward)
    return tuple(dict.fromkeys(link.target for link in links))


@dataclass(frozen=True)
class TicketTexts:
    """What a published ticket says, in passages that an answer can show."""

    published: PublishedTicket
    language: str = ENGLISH

    def problem(self, described: str) -> str:
        """Return the first sentences of what the ticket reports, in one line; nothing where it only has a title."""
        text = self._text(described)
        start, end = opening(text, 0, len(text), PROBLEM_CHARACTERS, self.language)
        line = " ".join(text[start:end].split())
        return line if len(line) <= 2 * PROBLEM_CHARACTERS else ""

    def sections(self, names: Iterable[str], asked: Sequence[str]) -> Iterator[TicketPassage]:
        """Yield sections; of comments only those that tell an outcome are passages."""
        for name in names:
            if name == COMMENTS:
                yield from self.outcomes(asked, "asked")
            else:
                yield self._passage(name, (0, len(self._text(name))), PASSAGE_CHARACTERS, "asked")

    def outcomes(self, asked: Sequence[str], role: Role) -> list[TicketPassage]:
        """Return the comments that tell how the ticket ended."""
        chosen = outcome_comments(self.published.ticket, asked, self.language)
        return [self._comment(n, place, role) for n, place in self._comments() if n in chosen]

    def around(self, places: Iterable[tuple[str, int]]) -> list[TicketPassage]:
        """Return passages from places on, each a section and a start; one that lies in another is left out.

        Of comments the one is shown whole that the place lies in.
        """
        found: list[TicketPassage] = []
        for section, start in places:
            if any(p.section == section and p.start <= start < p.start + len(p.text) for p in found):
                continue
            comments = self._comments() if section == COMMENTS else ()
            own = next(((n, place) for n, place in comments if place[0] <= start < place[1]), None)
            rest = (start, len(self._text(section)))
            passage = self._comment(*own, "text") if own else self._passage(section, rest, TEXT_CHARACTERS, "text")
            found += [passage] if passage.text else []
        return found

    def _text(self, section: str) -> str:
        return next((s.text for s in self.published.sections if s.section == section), "")

    def _comments(self) -> Iterator[tuple[int, Span]]:
        """Yield the position of each comment and its place in their section; one that is no longer there has none."""
        text, end = self._text(COMMENTS), 0
        for position, comment in enumerate(self.published.ticket.comments):
            own = comment.text.strip()
            start = text.find(own, end) if own else -1
            if start >= 0:
                end = start + len(own)
                yield position, (start, end)

    def _comment(self, position: int, place: Span, role: Role) -> TicketPassage:
        comment = self.published.ticket.comments[position]
        by = ", ".join(filter(None, (comment.author, comment.date[:10])))
        return self._passage(COMMENTS, place, COMMENT_CHARACTERS, role, by)

    def _passage(self, section: str, place: Span, most: int, role: Role, by: str = "") -> TicketPassage:
        """Return the beginning of a place, ``cut`` where there is more of it."""
        text, ticket = self._text(section), self.published.ticket
        start, end = opening(text, *place, most, self.language)
        return TicketPassage(
            ticket=ticket.id,
            title=ticket.title,
            state=state_of(ticket),
            section=section,
            by=by,
            text=text[start:end],
            start=start,
            role=role,
            cut=end < len(text[: place[1]].rstrip()),
        )


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
