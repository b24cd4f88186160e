"""The published tickets as the nodes and relations of a property graph, for engines and exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autokb.core.ids import digest
from autokb.core.property_graph import (
    LINK_PROPERTIES,
    TICKET_LABEL,
    TICKET_PROPERTIES,
    GraphNames,
    name_graph,
)
from autokb.core.ticket_template import SectionRule, TicketTemplate
from autokb.core.tickets import DATE_FIELDS, LIST_FIELDS, TICKET, Ticket, moment_of, section_id
from autokb.stores.ticket_tables import GENERATION, PublishedTicket, read_edges, read_link_types, read_tickets
from autokb.stores.workspace_file import WorkspaceFile

LAYOUT = "1"  # raise it when the same tickets become another graph
TICKETS_AT_ONCE = 500  # nodes of a statement


@dataclass(frozen=True)
class Projection:
    """The tickets of a workspace file as a property graph; read all of it inside of one ``file.snapshot``."""

    file: WorkspaceFile
    template: TicketTemplate

    @cached_property
    def published(self) -> Mapping[str, PublishedTicket]:
        """The tickets by their ids, in order."""
        return read_tickets(self.file)

    def stamp(self) -> str:
        """Return what is another text whenever the graph may be another."""
        return digest(LAYOUT, self.file.meta(GENERATION) or "0", repr(self.template.sections))

    def names(self) -> GraphNames:
        """Return what the graph calls its parts."""
        return name_graph(self.template, read_link_types(self.file))

    def tickets(self) -> Iterator[list[dict[str, Any]]]:
        """Yield the properties of tickets, some at once."""
        for some in self._parts():
            yield [_properties(one.ticket) for one in some]

    def sections(self) -> Iterator[tuple[SectionRule, list[dict[str, str]]]]:
        """Yield nodes of a section: id, ticket, text, and ``above``, the id of what each hangs under."""
        for some in self._parts():
            sections = [section for one in some for section in one.sections]
            for rule in self.template.sections:
                rows = [
                    {"id": s.id, "ticket": s.ticket, "text": s.text, "above": section_id(s.ticket, rule.parent)}
                    for s in sections
                    if s.section == rule.name
                ]
                if rows:
                    yield rule, rows

    def links(self) -> dict[str, list[tuple[str, str, str, float]]]:
        """Return source, target, origin and score of the links of each type; what dangles is no part of the graph."""
        found: dict[str, list[tuple[str, str, str, float]]] = {}
        for edge in read_edges(self.file):
            if edge.source in self.published and edge.target in self.published:
                found.setdefault(edge.type, []).append((edge.source, edge.target, edge.origin, edge.score))
        return found

    def _parts(self) -> Iterator[list[PublishedTicket]]:
        tickets = list(self.published.values())
        for start in range(0, len(tickets), TICKETS_AT_ONCE):
            yield tickets[start : start + TICKETS_AT_ONCE]


def label_above(rule: SectionRule, names: GraphNames) -> str:
    """Return the label of the nodes that those of a section hang under."""
    return TICKET_LABEL if rule.parent == TICKET else names.labels[rule.parent]


def ladybug_schema(template: TicketTemplate, names: GraphNames) -> Sequence[str]:
    """Return the statements that make the tables of a graph in ladybug."""
    columns = ", ".join(f"`{name}` STRING{'[]' if name in LIST_FIELDS else ''}" for name in TICKET_PROPERTIES)
    made = [f"CREATE NODE TABLE `{TICKET_LABEL}`({columns}, PRIMARY KEY(`id`))"]
    pairs: dict[str, list[str]] = {}
    for rule in template.sections:
        label = names.labels[rule.name]
        made.append(f"CREATE NODE TABLE `{label}`(id STRING, ticket STRING, text STRING, PRIMARY KEY(id))")
        pairs.setdefault(names.relations[rule.name], []).append(f"FROM `{label_above(rule, names)}` TO `{label}`")
    made += [f"CREATE REL TABLE `{relation}`({', '.join(some)})" for relation, some in pairs.items()]
    kinds = {"origin": "STRING", "score": "DOUBLE"}
    properties = ", ".join(f"{name} {kinds[name]}" for name in LINK_PROPERTIES)
    made += [
        f"CREATE REL TABLE `{relation}`(FROM `{TICKET_LABEL}` TO `{TICKET_LABEL}`, {properties})"
        for relation in names.links.values()
    ]
    return made


def _properties(ticket: Ticket) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in TICKET_PROPERTIES:
        value = getattr(ticket, name)
        found[name] = list(value) if name in LIST_FIELDS else moment_of(value) if name in DATE_FIELDS else value
    return found
