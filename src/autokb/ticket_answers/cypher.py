"""A question to past tickets as Cypher: a model writes the query where it may, and what it gave is the sub-graph."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

from autokb.core.errors import AutokbError
from autokb.core.results import Result
from autokb.core.ticket_plan import SubgraphPlan, name_graph
from autokb.core.tickets import Ticket
from autokb.stores.graph.choose import has_cypher_engine, open_cypher_graph
from autokb.stores.graph.cypher_of_plan import cypher_of_plan
from autokb.stores.graph.port import CypherRows, CypherStore
from autokb.stores.ticket_tables import read_link_types
from autokb.tasks.tickets.write_cypher.task import WriteCypher, WrittenCypher, cypher_request
from autokb.ticket_answers.open_tickets import OpenTickets
from autokb.ticket_answers.subgraph import Subgraph
from autokb.tickets.answers import MOST_TICKETS
from autokb.tickets.cypher import run_cypher, trace_rows

NOTHING_WRITTEN = "The model wrote no query."
NO_SECTION = "The query gave no section of a ticket; the sections are those of the plan."
Write = Callable[[WriteCypher], WrittenCypher | None]


@dataclass(frozen=True, slots=True)
class RanCypher(Result):
    """What was asked of the graph; ``refused`` says why it is the plan and not what a model wrote."""

    text: str
    refused: str | None = None


@dataclass
class CypherReader:
    """Asks the engine of the settings; it is opened when a model is first to write a query, and stays open."""

    opened: OpenTickets
    _engine: CypherStore | None = None

    def read(
        self, question: str, best: Ticket, subgraph: Subgraph, plan: SubgraphPlan, write: Write | None
    ) -> tuple[RanCypher, Subgraph]:
        """Return what is asked of the graph, and the sub-graph that it gives.

        That is ``subgraph``, which the plan gave, unless ``write`` gives a query about the best ticket that passes the
        guard, runs, and gives sections of tickets. Without an engine nothing is written: the plan is shown as Cypher.
        """
        template, file = self.opened.index.template, self.opened.file
        names = name_graph(template, read_link_types(file))
        compiled = cypher_of_plan(plan, template, names).text
        if write is None or not has_cypher_engine(self.opened.workspace.settings.graph):
            return RanCypher(compiled), subgraph
        engine = self._open_engine()
        written = write(cypher_request(question, best.id, best.title, template, names))
        if written is None or not written.cypher.strip():
            return RanCypher(compiled, NOTHING_WRITTEN), subgraph
        try:
            ran = run_cypher(engine, template, plan, written.cypher)
        except AutokbError as error:  # nor could the engine run the plan, which SQLite has run
            return RanCypher(compiled, str(error)), subgraph
        if ran.refused is not None:
            return RanCypher(ran.text, ran.refused), subgraph
        return RanCypher(ran.text), self._with_rows(subgraph, ran.found)

    def _with_rows(self, subgraph: Subgraph, found: CypherRows) -> Subgraph:
        """Return the sections that a query gave in the place of the plan's."""
        tickets, rows = trace_rows(self.opened.file, found)
        if not rows:
            return replace(subgraph, fallback=(*subgraph.fallback, NO_SECTION))
        shown = {row.ticket: tickets[row.ticket] for row in rows}
        asked = subgraph.asked or tuple(dict.fromkeys(row.section for row in rows))
        return Subgraph(dict(list(shown.items())[:MOST_TICKETS]), rows, asked, subgraph.plan)

    def _open_engine(self) -> CypherStore:
        if self._engine is None:
            workspace = self.opened.workspace
            self._engine = open_cypher_graph(
                self.opened.file,
                self.opened.index.template,
                workspace.folder,
                workspace.settings.graph,
                os.environ,
            )
            self.opened.held.callback(self._engine.close)
        return self._engine
