"""The tickets as a property graph: what its nodes, relations and properties are called, and how far a query goes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from autokb.core.ticket_template import TicketTemplate
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
MOST_HOPS = 3  # of a path: further on everything is linked with everything
MOST_ROWS = 200  # of a sub-graph
FILTERED = (TEXT_FIELDS | LIST_FIELDS) - {"description", "environment", "url"}
TICKET_PROPERTIES = ("id", *sorted(FILTERED - {"id"}))  # of a ticket in a property graph
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


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
