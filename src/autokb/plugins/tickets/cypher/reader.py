"""A question to past tickets as Cypher: a model writes the query where it may, and what it gave is the sub-graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from autokb.core.errors import AutokbError
from autokb.core.ticket_answer import RanCypher
from autokb.core.ticket_plan import SubgraphPlan, SubgraphRow, check_plan, name_graph
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import Ticket
from autokb.plugins.tickets.cypher.cypher_of_plan import cypher_of_plan, rows_of_plan
from autokb.plugins.tickets.cypher.guard import RefusedCypherError, check_cypher
from autokb.plugins.tickets.cypher.ladybug import CypherRows, LadybugGraph
from autokb.plugins.tickets.graph.cypher_port import Write
from autokb.plugins.tickets.tasks.write_cypher.task import cypher_request
from autokb.stores.ticket_tables import read_link_types, read_tickets
from autokb.stores.workspace_file import WorkspaceFile


@dataclass(frozen=True, slots=True)
class CypherRun:
    """The query that ran and what it gave; ``refused`` says why the one that was written did not run."""

    text: str
    found: CypherRows
    refused: str | None = None


def run_cypher(engine: LadybugGraph, plan: SubgraphPlan, written: str = "") -> CypherRun:
    """Run what was written, or the plan where nothing was or it cannot run (AutokbError where the plan cannot either).

    The rows of a plan are those that every graph store gives, in the same order.
    """
    template, link_types = engine.template, read_link_types(engine.file)
    names = name_graph(template, link_types)
    refused = None
    if written.strip():
        try:
            query = check_cypher(written, names)
            return CypherRun(query.text, engine.cypher(query))
        except RefusedCypherError as error:
            refused = str(error)
        except AutokbError as error:  # it passed and the engine failed: a wrong column, too long, too large
            refused = str(error)
    check_plan(plan, template, link_types)
    query = cypher_of_plan(plan, template, names)
    found = engine.cypher(query)
    rows = tuple((row.ticket, row.section, row.text) for row in rows_of_plan(plan, template, found.rows))
    return CypherRun(query.text, CypherRows(found.columns, rows), refused)


# Complex: a row counts only with its ticket, its section and the exact text, which are known together.
def trace_rows(file: WorkspaceFile, found: CypherRows) -> list[SubgraphRow]:
    """Return the sections that a query gave, in its order, as they are published.

    A row names its ticket in the column ``ticket``. Each other value of it that is, letter by letter, the text of a
    section of that ticket is that section (of the one in the column ``section``, where the query has it); whatever
    else a query gives, counts and parts of texts among them, is no section.
    """
    if "ticket" not in found.columns:
        return []
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
    tickets = read_tickets(file, sorted({row["ticket"] for row in rows if isinstance(row["ticket"], str)}))
    traced: dict[SubgraphRow, None] = {}
    for row in rows:
        ticket, only = row.pop("ticket"), row.pop("section", None)
        if not isinstance(ticket, str) or ticket not in tickets:
            continue
        texts = {s.text: s.section for s in reversed(tickets[ticket].sections) if only in (None, s.section)}
        for value in row.values():
            if isinstance(value, str) and value.strip() and value in texts:
                traced.setdefault(SubgraphRow(ticket, texts[value], value))
    return list(traced)


NOTHING_WRITTEN = "The model wrote no query."


@dataclass
class EngineReader:
    """Asks ladybug; it is opened when a model is first to write a query, and stays open."""

    file: WorkspaceFile
    template: TicketTemplate
    folder: Path
    _engine: LadybugGraph | None = None

    def read(
        self, question: str, best: Ticket, plan: SubgraphPlan, write: Write | None
    ) -> tuple[RanCypher, Sequence[SubgraphRow] | None]:
        """Return what is asked of the graph, and which sections a model's query gave; None where the plan answers.

        A query that does not pass the guard, or that the engine cannot run, gives nothing. Without an engine nothing is
        written: the plan is shown as Cypher.
        """
        names = name_graph(self.template, read_link_types(self.file))
        compiled = cypher_of_plan(plan, self.template, names).text
        if write is None or find_spec("ladybug") is None:
            return RanCypher(compiled), None
        if self._engine is None:
            self._engine = LadybugGraph(self.file, self.template, self.folder)
        written = write(cypher_request(question, best.id, best.title, self.template, names))
        if written is None or not written.cypher.strip():
            return RanCypher(compiled, NOTHING_WRITTEN), None
        try:
            ran = run_cypher(self._engine, plan, written.cypher)
        except AutokbError as error:  # nor could the engine run the plan, which SQLite has run
            return RanCypher(compiled, str(error)), None
        return RanCypher(ran.text, ran.refused), trace_rows(self.file, ran.found) if ran.refused is None else None

    def close(self) -> None:
        """Let go of the engine."""
        if self._engine is not None:
            self._engine.close()
