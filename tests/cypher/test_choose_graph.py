"""The engine for Cypher by the settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import ticket_graphs
from autokb.core.errors import BadInputError
from autokb.core.settings import GraphSettings
from autokb.cypher import neo4j
from autokb.cypher.ladybug import LadybugGraph
from autokb.cypher.neo4j import Neo4jGraph
from autokb.cypher.reader import open_engine
from autokb.stores.workspace_file import WorkspaceFile

NEO4J = GraphSettings("neo4j", "bolt://graph:7687", "tickets")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[WorkspaceFile]:
    opened = ticket_graphs.publish(tmp_path / "knowledge.db", [], [])
    yield opened
    opened.close()


def test_ladybug_is_the_default(file: WorkspaceFile, tmp_path: Path) -> None:
    pytest.importorskip("ladybug", reason="ladybug is missing (extra: cypher)")
    graph = open_engine(file, ticket_graphs.TEMPLATE, tmp_path, GraphSettings(), {"NEO4J_URI": "bolt://other"})
    assert isinstance(graph, LadybugGraph)


def test_neo4j_is_opened_where_the_environment_says(
    file: WorkspaceFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neo4j, "find_spec", lambda name: object())  # nothing is imported before a query
    environment = {"NEO4J_URI": "neo4j://other", "NEO4J_USERNAME": "reader", "NEO4J_PASSWORD": "secret"}
    graph = open_engine(file, ticket_graphs.TEMPLATE, tmp_path, NEO4J, environment)
    assert isinstance(graph, Neo4jGraph)
    assert (graph.uri, graph.user, graph.password, graph.database) == ("neo4j://other", "reader", "secret", "tickets")
    assert "secret" not in repr(graph)
    assert isinstance(open_engine(file, ticket_graphs.TEMPLATE, tmp_path, NEO4J, {}), Neo4jGraph)


def test_what_is_missing_for_neo4j_is_named(
    file: WorkspaceFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadInputError, match="NEO4J_URI"):
        open_engine(file, ticket_graphs.TEMPLATE, tmp_path, GraphSettings("neo4j"), {})
    monkeypatch.setattr(neo4j, "find_spec", lambda name: None)
    with pytest.raises(BadInputError, match=r"pip install 'autokb\[neo4j\]'"):
        open_engine(file, ticket_graphs.TEMPLATE, tmp_path, NEO4J, {})
