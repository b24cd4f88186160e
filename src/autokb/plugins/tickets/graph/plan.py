"""A question's parts and the tickets found for it become the plan of the sub-graph that answers it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from autokb.core.ticket_answer import QuestionParts
from autokb.core.ticket_plan import DATE_FIELDS, FILTERED, MOST_TICKETS, Filter, Hops, SubgraphPlan
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import SIMILAR_TO

# What a ticket says of how it ended, where a question does not say what it asks for.
ANSWERING = ("fix", "root_cause", "workaround", "resolution", "comments")


def plan_for(
    parts: QuestionParts, tickets: Sequence[str], template: TicketTemplate, link_types: Collection[str]
) -> SubgraphPlan | None:
    """Return the plan for a question about the tickets found for it, best first; None where there is nothing to read.

    A kind of links that the question asks for is one link away, SIMILAR_TO for what the source does not link. Without
    tickets the values that it names choose them.
    """
    sections = parts.intents or tuple(name for name in ANSWERING if name in template)
    sections = tuple(name for name in sections if name in template) or tuple(r.name for r in template.sections[:1])
    filters = tuple(_filters(parts, template))
    if not tickets and (parts.links or not filters):
        return None
    return SubgraphPlan(tuple(tickets[:MOST_TICKETS]), sections, _steps(parts, template, link_types), filters)


def _steps(parts: QuestionParts, template: TicketTemplate, link_types: Collection[str]) -> tuple[Hops, ...]:
    """Return the one kind of links that a question asks to follow, if any."""
    rules = [rule for rule in template.links if rule.name in parts.links]
    if not rules:
        return ()
    rule = next((one for one in rules if one.types), rules[0])  # "linked duplicates" asks for duplicates
    types = tuple(name for name in sorted(link_types) if rule.has(name))
    return (Hops(types or (SIMILAR_TO,), rule.direction),)


def _filters(parts: QuestionParts, template: TicketTemplate) -> list[Filter]:
    found = []
    for section, value in parts.filters.items():
        fields = [name for name in (template[section].fields if section in template else ()) if name in FILTERED]
        if fields and fields[0] not in DATE_FIELDS:
            found.append(Filter(fields[0], "is", value))
    return found
