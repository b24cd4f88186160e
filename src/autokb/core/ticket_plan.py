"""A typed plan says which part of the ticket graph answers a question; every graph store runs it alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from autokb.core.errors import BadInputError
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import LIST_FIELDS, SIMILAR_TO, TEXT_FIELDS

MOST_HOPS = 3  # of one path: further on everything is linked with everything
MOST_STEPS = 3  # paths one after the other
MOST_ROWS = 200  # of a sub-graph
Direction = Literal["out", "in", "both"]
Comparison = Literal["is", "has", "before", "after"]
FILTERED = (TEXT_FIELDS | LIST_FIELDS) - {"description", "environment", "url"}


@dataclass(frozen=True, slots=True)
class Hops:
    """From ``least`` to ``most`` edges of these types (of any where there are none) in a direction."""

    types: tuple[str, ...] = ()
    direction: Direction = "both"
    least: int = 1
    most: int = 1


@dataclass(frozen=True, slots=True)
class Filter:
    """What a ticket's field must be: ``is`` compares whole values and ``has`` parts, both without case.

    ``before`` and ``after`` compare dates (ISO 8601); a ticket without one is neither. A list has what one of its
    values has.
    """

    field: str
    comparison: Comparison
    value: str


@dataclass(frozen=True, slots=True)
class SubgraphPlan:
    """The sections of tickets to be read: of ``tickets``, or of those that lie at the end of ``steps`` from them.

    Without ``tickets`` it begins with all of them. ``filters`` hold for the tickets whose sections are read, and
    ``most`` bounds the rows.
    """

    tickets: tuple[str, ...]
    sections: tuple[str, ...]
    steps: tuple[Hops, ...] = ()
    filters: tuple[Filter, ...] = ()
    most: int = MOST_ROWS


@dataclass(frozen=True, slots=True, order=True)
class SubgraphRow:
    """A section of a ticket as a graph store gives it."""

    ticket: str
    section: str
    text: str


def check_plan(plan: SubgraphPlan, template: TicketTemplate) -> None:
    """Refuse a plan that names what there is not, or that reaches too far (BadInputError)."""
    if unknown := [name for name in plan.sections if name not in template]:
        raise BadInputError(f"The template has no section {unknown[0]!r}.")
    if not plan.sections:
        raise BadInputError("A plan needs at least one section to read.")
    if not plan.tickets and not plan.filters:
        raise BadInputError("A plan needs tickets to begin with, or a filter.")
    if len(plan.steps) > MOST_STEPS:
        raise BadInputError(f"A plan goes at most {MOST_STEPS} steps.")
    for step in plan.steps:
        if not 0 < step.least <= step.most <= MOST_HOPS:
            raise BadInputError(f"A step goes 1 to {MOST_HOPS} links, not {step.least} to {step.most}.")
    if unknown := [one.field for one in plan.filters if one.field not in FILTERED]:
        raise BadInputError(f"Tickets cannot be filtered by {unknown[0]!r}; {', '.join(sorted(FILTERED))} can.")
    if not 0 < plan.most <= MOST_ROWS:
        raise BadInputError(f"A plan gives 1 to {MOST_ROWS} rows, not {plan.most}.")


def relation_of(link_type: str) -> str:
    """Return the label of a source's link type in a graph: ``Gantt: finish-start`` is GANTT_FINISH_START.

    A type that is SIMILAR_TO already, or one of no letters, gets a name that no other has.
    """
    if link_type == SIMILAR_TO:
        return link_type
    words = re.sub(r"[^A-Z0-9]+", "_", link_type.upper()).strip("_")
    name = words if words[:1].isalpha() else f"LINK_{words}".rstrip("_")
    return f"{name}_LINK" if name == SIMILAR_TO or name.startswith("HAS_") else name


def relations_of(link_types: Sequence[str]) -> dict[str, str]:
    """Return the label of each link type, in the order of their names; two types of one label keep apart by number."""
    found: dict[str, str] = {}
    for name in sorted(set(link_types)):
        label, number = relation_of(name), 2
        while label in found.values():
            label, number = f"{relation_of(name)}_{number}", number + 1
        found[name] = label
    return found
