"""Cypher for a question: what a model wrote where it passes the guard and runs, else the compiled plan."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.errors import AutokbError
from autokb.core.ticket_plan import SubgraphPlan, check_plan, name_graph
from autokb.core.ticket_template import TicketTemplate
from autokb.stores.graph.cypher_of_plan import cypher_of_plan, rows_of_plan
from autokb.stores.graph.port import CypherRows, CypherStore
from autokb.tickets.cypher_guard import RefusedCypherError, check_cypher


@dataclass(frozen=True, slots=True)
class CypherRun:
    """The query that ran and what it gave; ``refused`` says why the one that was written did not run."""

    text: str
    found: CypherRows
    refused: str | None = None


def run_cypher(graph: CypherStore, template: TicketTemplate, plan: SubgraphPlan, written: str = "") -> CypherRun:
    """Run what was written, or the plan where nothing was or it cannot run (AutokbError where the plan cannot either).

    The rows of a plan are those that every graph store gives, in the same order.
    """
    link_types = graph.link_types()
    names = name_graph(template, link_types)
    refused = None
    if written.strip():
        try:
            query = check_cypher(written, names)
            return CypherRun(query.text, graph.cypher(query))
        except RefusedCypherError as error:
            refused = str(error)
        except AutokbError as error:  # it passed and the engine failed: a wrong column, too long, too large
            refused = str(error)
    check_plan(plan, template, link_types)
    query = cypher_of_plan(plan, template, names)
    found = graph.cypher(query)
    rows = tuple((row.ticket, row.section, row.text) for row in rows_of_plan(plan, template, found.rows))
    return CypherRun(query.text, CypherRows(found.columns, rows), refused)
