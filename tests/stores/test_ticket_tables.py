"""The tables of published tickets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import ticket_graphs
from autokb.stores import ticket_tables
from autokb.stores.ticket_tables import publish_edges, read_link_types
from autokb.stores.workspace_file import WorkspaceFile


@pytest.fixture
def file(tmp_path: Path) -> Iterator[WorkspaceFile]:
    random = Random(5)
    tickets = ticket_graphs.make_tickets(random)
    opened = ticket_graphs.publish(tmp_path / "knowledge.db", tickets, ticket_graphs.make_edges(random, tickets))
    yield opened
    opened.close()


def of_all_edges(file: WorkspaceFile) -> tuple[str, ...]:
    return tuple(sorted({edge.type for edge in ticket_tables.read_edges(file)}))


def test_the_types_of_links_are_those_of_the_edges_in_order(file: WorkspaceFile) -> None:
    assert len(of_all_edges(file)) > 5
    assert read_link_types(file) == of_all_edges(file)
    with file.transaction():
        publish_edges(file, [e for e in ticket_tables.read_edges(file) if e.type != "Duplicate"])
    assert read_link_types(file) == of_all_edges(file)
    assert "Duplicate" not in read_link_types(file)
    with file.transaction():
        publish_edges(file, [])
    assert read_link_types(file) == ()


def test_the_types_of_links_are_looked_up_without_reading_the_edges(file: WorkspaceFile) -> None:
    with file.transaction(), file.reading() as db:
        db.execute("DROP INDEX ticket_edge_type")  # as in a file that was made before there was one
    with file.transaction():
        publish_edges(file, ticket_tables.read_edges(file))
    with file.reading() as db:
        steps = [detail for *_, detail in db.execute(f"EXPLAIN QUERY PLAN {ticket_tables.LINK_TYPES}")]
    of_edges = [step for step in steps if "ticket_edge" in step]
    assert len(of_edges) == 2
    assert all(step.startswith("SEARCH") and "ticket_edge_type" in step for step in of_edges)
