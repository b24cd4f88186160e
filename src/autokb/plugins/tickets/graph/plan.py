"""The plan of a sub-graph: which sections of which tickets a question reads, and the links that lead to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from autokb.core.property_graph import FILTERED, MOST_ROWS
from autokb.core.ticket_answer import QuestionParts
from autokb.core.ticket_template import Direction, TicketTemplate
from autokb.core.tickets import DATE_FIELDS, LIST_FIELDS, SIMILAR_TO, Edge, Ticket, TicketSection
from autokb.stores.ticket_tables import PublishedTicket

TICKETS_OF_A_PLAN = 50  # at most
# Sections that tell how a ticket ended: what is asked for where a question does not say it.
ENDINGS = ("fix", "root_cause", "workaround", "resolution", "comments")


@dataclass(frozen=True, slots=True)
class Filter:
    """The value that a ticket's field must have, or one value of its list, both as ``fold`` gives them."""

    field: str
    value: str

    def holds(self, ticket: Ticket) -> bool:
        """Return whether the ticket has the value."""
        own = getattr(ticket, self.field)
        return fold(self.value) in map(fold, own if self.field in LIST_FIELDS else [own])


@dataclass(frozen=True, slots=True)
class SubgraphPlan:
    """The sections to read of ``tickets``, or of those one link away from them, where the filters hold.

    Links are those of ``link_types``, in a direction; a ticket is not linked with itself.
    """

    tickets: tuple[str, ...]
    sections: tuple[str, ...]
    link_types: tuple[str, ...] = ()
    direction: Direction = "both"
    filters: tuple[Filter, ...] = ()

    def ends(self, edges: Iterable[Edge]) -> list[str]:
        """Return where links lead from the tickets, in order; those that dangle count."""
        found: set[str] = set()
        for edge in edges:
            if edge.type in self.link_types and edge.source != edge.target:
                if self.direction != "in" and edge.source in self.tickets:
                    found.add(edge.target)
                if self.direction != "out" and edge.target in self.tickets:
                    found.add(edge.source)
        return sorted(found)

    def read(self, tickets: Iterable[PublishedTicket], template: TicketTemplate) -> list[TicketSection]:
        """Return sections with a text, ordered by ticket and, of one, as in the template; ``MOST_ROWS`` at most."""
        rows: list[TicketSection] = []
        for one in sorted(tickets, key=lambda one: one.ticket.id):
            if all(condition.holds(one.ticket) for condition in self.filters):
                own = {section.section: section for section in one.sections if section.text}
                rows += [own[r.name] for r in template.sections if r.name in self.sections and r.name in own]
        return rows[:MOST_ROWS]


def plan_for(
    parts: QuestionParts, tickets: Sequence[str], template: TicketTemplate, link_types: Collection[str]
) -> SubgraphPlan:
    """Return the plan for a question about the tickets found for it, best first.

    Of the links that the question asks for one kind is followed, SIMILAR_TO where the source has none of it.
    """
    sections = parts.intents or tuple(name for name in ENDINGS if name in template)
    sections = tuple(name for name in sections if name in template) or tuple(r.name for r in template.sections[:1])
    types, direction = _links(parts, template, link_types)
    begin, filters = tuple(tickets[:TICKETS_OF_A_PLAN]), tuple(_filters(parts, template))
    return SubgraphPlan(begin, sections, types, direction, filters)


def _links(
    parts: QuestionParts, template: TicketTemplate, link_types: Collection[str]
) -> tuple[tuple[str, ...], Direction]:
    """Return the types of the one kind of links that a question asks to follow, if any, and their direction."""
    rules = [rule for rule in template.links if rule.name in parts.links]
    if not rules:
        return (), "both"
    rule = next((one for one in rules if one.types), rules[0])  # "linked duplicates" asks for duplicates
    return tuple(name for name in sorted(link_types) if rule.has(name)) or (SIMILAR_TO,), rule.direction


def _filters(parts: QuestionParts, template: TicketTemplate) -> list[Filter]:
    found = []
    for section, value in parts.filters.items():
        fields = [name for name in (template[section].fields if section in template else ()) if name in FILTERED]
        if fields and fields[0] not in DATE_FIELDS:
            found.append(Filter(fields[0], value))
    return found


def fold(text: str) -> str:
    """Return a text in small letters, letter by letter, as graph engines compare it (no ß for ss, no final sigma)."""
    return text.lower() if text.isascii() else "".join(letter.lower()[:1] for letter in text)
