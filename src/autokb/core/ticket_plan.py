"""A typed plan says which part of the ticket graph answers a question; every graph store runs it alike."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from autokb.core.errors import BadInputError
from autokb.core.ticket_template import Direction, TicketTemplate
from autokb.core.tickets import LIST_FIELDS, SIMILAR_TO, TEXT_FIELDS

TICKET_LABEL = "Ticket"  # of the nodes that tickets are
SECTION_PROPERTIES = ("id", "ticket", "text")
LINK_PROPERTIES = ("origin", "score")
KEYWORDS = frozenset(  # of Cypher in ladybug or Neo4j: a name like one of them is quoted, and none is a variable
    """
    ACYCLIC ADD ADMIN ALL ALTER ANALYZE AND ANY AS ASC ASCENDING ASSERT ASSIGN ATTACH BEGIN BOOLEAN BY CALL CASE
    CAST CHECKPOINT COLUMN COMMENT COMMIT COMMIT_SKIP_CHECKPOINT CONSTRAINT CONTAINS COPY COUNT CREATE CSV CYCLE
    DATABASE DATABASES DBTYPE DECIMAL DEFAULT DELETE DESC DESCENDING DETACH DISTINCT DO DROP DUMP ELSE END ENDS
    ENUM EXISTS EXPLAIN EXPORT EXTENSION FALSE FILTER FINISH FOR FOREACH FORCE FROM FUNCTION GLOB GRANT GRAPH
    GRAPHS GROUP HEADERS HINT IF IMPORT IN INCREMENT INDEX INF INFINITY INSERT INSTALL IS JOIN KEY LET LIMIT LIST
    LOAD LOGICAL MACRO MANDATORY MATCH MAP MAXVALUE MERGE MINVALUE MULTI_JOIN NAN NEXT NFC NODE NODES NO NOT NONE
    NORMALIZE NULL NULLS OF OFFSET ON ONLY OPTIONAL OR ORDER PARTITION PATH PATHS PERIODIC POINT PRIMARY PROFILE
    PROJECT PROPERTY READ REDUCE REL RELATIONSHIP REMOVE RENAME REQUIRE RETURN REVOKE ROLLBACK
    ROLLBACK_SKIP_CHECKPOINT ROW ROWS SCALAR SCAN SEQUENCE SET SHORTEST SHORTESTPATH ALLSHORTESTPATHS SHOW SINGLE
    SKIP START STARTS STRUCT TABLE TERMINATE THEN TO TRAIL TRANSACTION TRANSACTIONS TRUE TYPE TYPED UNION
    UNINSTALL UNIQUE UNWIND UPDATE USE USER USING VECTOR WAIT WHEN WHERE WITH WRITE WSHORTEST XOR YIELD
    """.split()
)
MOST_HOPS = 3  # of all steps together: further on everything is linked with everything
MOST_TICKETS = 50  # to begin with
MOST_ROWS = 200  # of a sub-graph
LONGEST_VALUE = 500  # characters of a filter's value or of a ticket's id
Comparison = Literal["is", "has", "before", "after"]
DATE_FIELDS = frozenset({"created", "updated", "resolved"})
FILTERED = (TEXT_FIELDS | LIST_FIELDS) - {"description", "environment", "url"}
TICKET_PROPERTIES = ("id", *sorted(FILTERED - {"id"}))  # of a ticket in a property graph
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Hops:
    """A step to tickets ``least`` to ``most`` links away, along links of these types (any where there are none).

    How far a ticket is from another is the length of the shortest way in this direction, through published tickets
    alone; a ticket is no step away from itself.
    """

    types: tuple[str, ...] = ()
    direction: Direction = "both"
    least: int = 1
    most: int = 1


@dataclass(frozen=True, slots=True)
class Filter:
    """What a ticket's field must be: ``is`` compares whole values and ``has`` parts, both as ``fold`` gives them.

    ``before`` and ``after`` compare dates (ISO 8601): with a time the moments, without one the days in UTC. A ticket
    without a date is neither before nor after. A list has what one of its values has.
    """

    field: str
    comparison: Comparison
    value: str


@dataclass(frozen=True, slots=True)
class SubgraphPlan:
    """The sections of tickets to be read: of ``tickets``, or of those that lie at the end of ``steps`` from them.

    Without ``tickets`` it begins with all of them. ``filters`` hold for the tickets whose sections are read, and
    ``most`` bounds the rows, which come in the order of tickets and, within one, of the template. What has no text is
    no row.
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


def check_plan(plan: SubgraphPlan, template: TicketTemplate, link_types: Collection[str]) -> None:
    """Refuse a plan that names what there is not, or that reaches too far (BadInputError)."""
    if unknown := [name for name in plan.sections if name not in template]:
        raise BadInputError(f"The template has no section {unknown[0]!r}.")
    if not plan.sections:
        raise BadInputError("A plan needs at least one section to read.")
    if not plan.tickets and (plan.steps or not plan.filters):
        raise BadInputError("A plan needs tickets to begin with, or a filter and no steps.")
    if len(plan.tickets) > MOST_TICKETS:
        raise BadInputError(f"A plan begins with at most {MOST_TICKETS} tickets, not {len(plan.tickets)}.")
    _check_length(plan.tickets)
    _check_steps(plan.steps, {*link_types, SIMILAR_TO})
    for one in plan.filters:
        _check_filter(one)
    if not 0 < plan.most <= MOST_ROWS:
        raise BadInputError(f"A plan gives 1 to {MOST_ROWS} rows, not {plan.most}.")


def _check_steps(steps: Sequence[Hops], link_types: Collection[str]) -> None:
    if any(not 0 < step.least <= step.most for step in steps):
        raise BadInputError("A step goes at least one link, and at most no fewer than that.")
    if sum(step.most for step in steps) > MOST_HOPS:
        raise BadInputError(f"The steps of a plan go at most {MOST_HOPS} links in all.")
    if unknown := [name for step in steps for name in step.types if name not in link_types]:
        raise BadInputError(f"No ticket has a link of the type {unknown[0]!r}.")


def _check_filter(one: Filter) -> None:
    if one.field not in FILTERED:
        raise BadInputError(f"Tickets cannot be filtered by {one.field!r}; {', '.join(sorted(FILTERED))} can.")
    if one.comparison in ("before", "after"):
        if one.field not in DATE_FIELDS:
            raise BadInputError(f"Only dates are before or after, and {one.field!r} is none.")
        if not moment_of(one.value):
            raise BadInputError(f"{one.value!r} is no date; write it as 2024-05-31 or 2024-05-31T12:00:00Z.")
    _check_length([one.value])


def _check_length(texts: Iterable[str]) -> None:
    if any(len(text) > LONGEST_VALUE for text in texts):
        raise BadInputError(f"A value or id of a plan has at most {LONGEST_VALUE} characters.")


def fold(text: str) -> str:
    """Return a text in small letters, letter by letter, as graph engines compare it (no ß for ss, no final sigma)."""
    return text.lower() if text.isascii() else "".join(letter.lower()[:1] for letter in text)


def moment_of(date: str) -> str:
    """Return a date as its moment in UTC, so that the order of texts is that of moments; '' where it is none.

    A date without a time is its first moment, one without a time zone is UTC.
    """
    try:
        found = datetime.fromisoformat(date.strip())
        moment = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def date_bound(one: Filter) -> str:
    """Return the moment that a date filter compares with: earlier is before it, the same or later is after it.

    What is after a day is at or after the first moment of the next one.
    """
    value = one.value.strip()
    moment = moment_of(value)
    if one.comparison == "before":
        return moment
    step = timedelta(days=1) if len(value) <= len("2024-05-31") else timedelta(milliseconds=1)
    try:
        return moment_of((datetime.fromisoformat(moment) + step).isoformat())
    except OverflowError:
        return "9999-12-31T23:59:59.999Z~"  # after the last day there is nothing


@dataclass(frozen=True, slots=True)
class CheckedCypher:
    """A query that passed the guard, as it is to run, with the row cap that it was given."""

    text: str
    most: int


@dataclass(frozen=True, slots=True)
class GraphNames:
    """What a property graph calls its parts: a label for each section, a relation for each section and link type."""

    labels: Mapping[str, str]
    relations: Mapping[str, str]
    links: Mapping[str, str]


def name_graph(template: TicketTemplate, link_types: Collection[str]) -> GraphNames:
    """Return the names of a graph; names that differ by case alone, or not at all, are kept apart by numbers."""
    taken = {TICKET_LABEL.casefold(), SIMILAR_TO.casefold()}
    labels = {rule.name: _untaken(rule.label, taken) for rule in template.sections}
    relations: dict[str, str] = {}
    for rule in template.sections:  # sections may share a relation
        same = next((r.name for r in template.sections if r.relation == rule.relation and r.name in relations), None)
        relations[rule.name] = relations[same] if same else _untaken(rule.relation, taken)
    links = {SIMILAR_TO: SIMILAR_TO}
    for name in sorted(set(link_types) - {SIMILAR_TO}):
        links[name] = _untaken(relation_of(name), taken)
    return GraphNames(labels, relations, links)


def quote_name(name: str) -> str:
    """Return a label, relation or property as Cypher has it; what could be a word of the language is quoted."""
    plain = _PLAIN.fullmatch(name) and name.upper() not in KEYWORDS
    return name if plain else f"`{name.replace('`', '')}`"


def relation_of(link_type: str) -> str:
    """Return the relation of a source's link type: ``Gantt: finish-start`` is GANTT_FINISH_START."""
    words = re.sub(r"[^A-Z0-9]+", "_", link_type.upper()).strip("_")
    return words if words[:1].isalpha() else f"LINK_{words}".rstrip("_")


def _untaken(name: str, taken: set[str]) -> str:
    found, number = name, 2
    while found.casefold() in taken:
        found, number = f"{name}_{number}", number + 1
    taken.add(found.casefold())
    return found
