"""Which engine answers Cypher, by the settings of a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from autokb.core.errors import BadInputError
from autokb.core.settings import GraphSettings
from autokb.core.ticket_template import TicketTemplate
from autokb.stores.graph.ladybug import LadybugGraph
from autokb.stores.graph.neo4j import Neo4jGraph
from autokb.stores.graph.port import CypherStore
from autokb.stores.workspace_file import WorkspaceFile


def has_cypher_engine(settings: GraphSettings) -> bool:
    """Return whether there is an engine to ask: the default one is installed, or a person has set another."""
    return settings.store != "ladybug" or find_spec("ladybug") is not None


def open_cypher_graph(
    file: WorkspaceFile,
    template: TicketTemplate,
    folder: Path,
    settings: GraphSettings,
    environment: Mapping[str, str],
) -> CypherStore:
    """Return the graph store that speaks Cypher (BadInputError where its extra is not installed)."""
    if settings.store == "ladybug":
        return LadybugGraph(file, template, folder)
    uri = environment.get("NEO4J_URI") or settings.uri
    if not uri:
        raise BadInputError("settings.yaml: graph needs a uri for Neo4j, or NEO4J_URI in the environment.")
    user = environment.get("NEO4J_USERNAME") or environment.get("NEO4J_USER", "")
    return Neo4jGraph(file, template, uri, user, environment.get("NEO4J_PASSWORD", ""), settings.database or None)
