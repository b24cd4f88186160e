"""A question to past tickets as Cypher: a model writes the query where it may, and what it gave is the sub-graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from autokb.core.errors import AutokbError
from autokb.core.property_graph import name_graph
from autokb.core.ticket_answer import RanCypher
from autokb.core.tickets import Ticket, TicketSection
from autokb.plugins.tickets.cypher.cypher_of_plan import cypher_of_plan
from autokb.plugins.tickets.cypher.guard import check_cypher
from autokb.plugins.tickets.cypher.ladybug import CypherRows, LadybugGraph
from autokb.plugins.tickets.graph.cypher_port import Write
from autokb.plugins.tickets.graph.plan import SubgraphPlan
from autokb.plugins.tickets.tasks.write_cypher.task import cypher_request
from autokb.stores.ticket_tables import read_link_types, read_tickets
from autokb.stores.workspace_file import WorkspaceFile

NOTHING_WRITTEN = "The model wrote no query."


# Complex: a row counts only with its ticket, its section and the exact text, which are known together.
def trace_rows(file: WorkspaceFile, found: CypherRows) -> list[TicketSection]:
    """Return the sections that a query gave, in its order, as they are published.

    A row names its ticket in the column ``ticket``. Each other value of it that is, letter by letter, the text of a
    section of that ticket is that section (of the one in the column ``section``, where the query has it); whatever
    else a query gives, counts and parts of texts among them, is no section.
    """
    if "ticket" not in found.columns:
        return []
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    tickets = read_tickets(file, sorted({row["ticket"] for row in rows if isinstance(row["ticket"], str)}))
    traced: dict[TicketSection, None] = {}
    for row in rows:
        ticket, only = row.pop("ticket"), row.pop("section", None)
        if not isinstance(ticket, str) or ticket not in tickets:
            continue
        sections = {s.text: s for s in reversed(tickets[ticket].sections) if only in (None, s.section)}
        for value in row.values():
            if isinstance(value, str) and value.strip() and value in sections:
                traced.setdefault(sections[value])
    return list(traced)


@dataclass(frozen=True)
class EngineReader:
    """Asks ladybug, which is opened when a model is first to write a query, and stays open."""

    graph: LadybugGraph

    def read(
        self, question: str, best: Ticket, plan: SubgraphPlan, write: Write | None
    ) -> tuple[RanCypher, Sequence[TicketSection] | None]:
        """Return what is asked of the graph, and which sections a model's query gave; None where the plan answers.

        A query that does not pass the guard, or that the engine cannot run, gives nothing. Without an engine nothing is
        written: the plan is shown as Cypher.
        """
        file, template = self.graph.file, self.graph.template
        names = name_graph(template, read_link_types(file))
        compiled = cypher_of_plan(plan, template, names)
        if write is None or find_spec("ladybug") is None:
            return RanCypher(compiled), None
        written = write(cypher_request(question, best.id, best.title, template, names))
        if written is None or not written.cypher.strip():
            return RanCypher(compiled, NOTHING_WRITTEN), None
        try:
            query = check_cypher(written.cypher, names)
            found = self.graph.cypher(query)
        except AutokbError as error:  # refused; or it passed and the engine failed: a wrong column, too long, too large
            return RanCypher(compiled, str(error)), None
        return RanCypher(query.text), trace_rows(file, found)
