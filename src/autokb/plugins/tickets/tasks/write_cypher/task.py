"""The task that writes a question about a ticket as Cypher; whether it may run, the guard decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from autokb.core.property_graph import MOST_HOPS, MOST_ROWS, TICKET_LABEL, TICKET_PROPERTIES, GraphNames, quote_name
from autokb.core.ticket_template import TicketTemplate
from autokb.plugins.tickets.heuristics.section_meaning import meanings
from autokb.tasks.task import Read, Reply, ReplyError, Task

LONGEST = 2_000  # characters of a query
LONGEST_QUESTION = 600  # characters of the question as a model puts it about the ticket
_FENCES = ("```cypher", "```")


@dataclass(frozen=True, slots=True)
class GraphPath:
    """How a section is reached from its ticket, as a pattern, and what tickets write above it."""

    pattern: str
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NamedRelation:
    """A relation between tickets, and what the source calls these links."""

    relation: str
    type: str


@dataclass(frozen=True, slots=True)
class WriteCypher:
    """A question, the ticket that was found for it, and the graph as it is."""

    question: str
    ticket: str
    title: str
    properties: tuple[str, ...]
    paths: tuple[GraphPath, ...]
    links: tuple[NamedRelation, ...]


class WrittenCypher(Reply):
    """One query; an empty one stands for the compiled plan."""

    cypher: str


def cypher_request(question: str, ticket: str, title: str, template: TicketTemplate, names: GraphNames) -> WriteCypher:
    """Return the request that writes a question about a ticket as Cypher."""
    paths = []
    for rule, meaning in zip(template.sections, meanings(template), strict=True):
        pattern = f"(t:{TICKET_LABEL})"
        for above in template.path(rule.name):
            label, relation = quote_name(names.labels[above.name]), quote_name(names.relations[above.name])
            pattern += f"-[:{relation}]->(:{label})"
        paths.append(GraphPath(pattern, meaning.headings))
    links = tuple(NamedRelation(quote_name(relation), kind) for kind, relation in names.links.items())
    return WriteCypher(question.strip(), ticket, title, TICKET_PROPERTIES, tuple(paths), links)


class WriteCypherTask(Task[WriteCypher, WrittenCypher]):
    """Which Cypher reads what answers this question from the ticket graph?"""

    name = "tickets/write_cypher"
    input = WriteCypher
    output = WrittenCypher
    masks = True
    entry_tokens = (960, 150)

    def check(self, item: WriteCypher, reply: WrittenCypher) -> None:
        """Refuse what is far longer than any query."""
        if len(reply.cypher) > LONGEST:
            raise ReplyError(f"The query has more than {LONGEST} characters.")

    def values(self, items: Sequence[WriteCypher]) -> Mapping[str, Any]:
        """Return the graph, the ticket and the question."""
        (item,) = items
        return {
            "properties": item.properties,
            "paths": item.paths,
            "links": item.links,
            "ticket": item.ticket,
            "title": item.title,
            "question": item.question,
            "most_hops": MOST_HOPS,
            "most_rows": MOST_ROWS,
        }

    def entry(self, items: Sequence[WriteCypher]) -> Mapping[str, Any]:
        """Return the fields of the one entry: the question with the ticket's id in it, from which it writes the query.

        Saying first what is asked of which ticket is the paper's q'; only the query is read.
        """
        question = Field(max_length=10 * LONGEST_QUESTION, json_schema_extra={"maxLength": LONGEST_QUESTION})
        return {
            "question": Annotated[str, question],
            "cypher": Annotated[str, Field(min_length=1, json_schema_extra={"maxLength": LONGEST})],
        }

    def read(self, item: WriteCypher, entry: Any) -> Read[WrittenCypher]:
        """Take the query out of the fences that models like to put round code."""
        text = str(entry.cypher).strip()
        for fence in _FENCES:
            text = text.removeprefix(fence).removesuffix(fence).strip()
        return Read(WrittenCypher(cypher=text))


TASK = WriteCypherTask()
