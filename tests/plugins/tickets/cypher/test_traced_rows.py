"""Which rows of a query are sections of published tickets."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import ticket_graphs
from autokb.plugins.tickets.cypher.ladybug import CypherRows
from autokb.plugins.tickets.cypher.reader import trace_rows
from autokb.stores.ticket_tables import PublishedTicket
from autokb.stores.workspace_file import WorkspaceFile


@pytest.fixture
def published(tmp_path: Path) -> tuple[WorkspaceFile, PublishedTicket, str]:
    """Return a file of tickets, one of them, and the name of a section of it whose text no other one has."""
    tickets = ticket_graphs.make_tickets(Random(8))
    file = ticket_graphs.publish(tmp_path / "knowledge.db", tickets, [])
    for one in tickets:
        texts = [s.text for s in one.sections]
        for section in one.sections:
            if section.text.strip() and texts.count(section.text) == 1:
                return file, one, section.section
    raise AssertionError("the tickets have no such section")


def test_a_whole_section_is_found_with_and_without_its_name(
    published: tuple[WorkspaceFile, PublishedTicket, str],
) -> None:
    file, one, name = published
    ticket, text = one.ticket.id, next(s.text for s in one.sections if s.section == name)
    right = [section for section in one.sections if section.section == name]
    assert trace_rows(file, CypherRows(("ticket", "section", "text"), ((ticket, name, text),) * 2)) == right
    assert trace_rows(file, CypherRows(("anything", "ticket"), ((text, ticket), (None, ticket)))) == right


def test_whatever_else_a_query_gives_is_no_section(published: tuple[WorkspaceFile, PublishedTicket, str]) -> None:
    file, one, name = published
    ticket, text = one.ticket.id, next(s.text for s in one.sections if s.section == name)
    cases: list[tuple[Any, Any, Any]] = [
        ("nobody", name, text),
        (ticket, "no section", text),
        (ticket, name, f"{text} "),
        (ticket, name, ""),
        (ticket, name, 7),
        (ticket, name, [text]),
        ({"id": ticket}, name, text),
        (None, name, text),
    ]
    assert trace_rows(file, CypherRows(("ticket", "section", "text"), tuple(cases))) == []
    assert trace_rows(file, CypherRows(("t.id", "text"), ((ticket, text),))) == []
