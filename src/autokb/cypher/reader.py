"""A question to past tickets as Cypher: a model writes the query where it may, and what it gave is the sub-graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.settings import GraphSettings
from autokb.core.ticket_plan import SubgraphPlan, SubgraphRow, name_graph
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import Ticket
from autokb.cypher.cypher_of_plan import cypher_of_plan
from autokb.cypher.ladybug import LadybugGraph
from autokb.cypher.neo4j import Neo4jGraph
from autokb.cypher.port import CypherEngine
from autokb.cypher.run import run_cypher, trace_rows
from autokb.stores.ticket_tables import read_link_types
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.tickets.write_cypher.task import cypher_request
from autokb.tickets.cypher_port import RanCypher, Write

NOTHING_WRITTEN = "The model wrote no query."


@dataclass
class EngineReader:
    """Asks the engine of the settings; it is opened when a model is first to write a query, and stays open."""

    file: WorkspaceFile
    template: TicketTemplate
    folder: Path
    settings: GraphSettings
    environment: Mapping[str, str]
    _engine: CypherEngine | None = None

    def read(
        self, question: str, best: Ticket, plan: SubgraphPlan, write: Write | None
    ) -> tuple[RanCypher, Sequence[SubgraphRow] | None]:
        """Return what is asked of the graph, and which sections a model's query gave; None where the plan answers.

        A query that does not pass the guard, or that the engine cannot run, gives nothing. Without an engine nothing is
        written: the plan is shown as Cypher.
        """
        names = name_graph(self.template, read_link_types(self.file))
        compiled = cypher_of_plan(plan, self.template, names).text
        if write is None or not self._has_engine():
            return RanCypher(compiled), None
        if self._engine is None:
            self._engine = open_engine(self.file, self.template, self.folder, self.settings, self.environment)
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

    def _has_engine(self) -> bool:
        """Return whether there is an engine to ask: the default one is installed, or a person has set another."""
        return self.settings.store != "ladybug" or find_spec("ladybug") is not None


def open_engine(
    file: WorkspaceFile, template: TicketTemplate, folder: Path, settings: GraphSettings, environment: Mapping[str, str]
) -> CypherEngine:
    """Return the engine of the settings (BadInputError where its extra is not installed)."""
    if settings.store == "ladybug":
        return LadybugGraph(file, template, folder)
    uri = environment.get("NEO4J_URI") or settings.uri
    if not uri:
        raise BadInputError("settings.yaml: graph needs a uri for Neo4j, or NEO4J_URI in the environment.")
    user = environment.get("NEO4J_USERNAME") or environment.get("NEO4J_USER", "")
    return Neo4jGraph(file, template, uri, user, environment.get("NEO4J_PASSWORD", ""), settings.database or None)
