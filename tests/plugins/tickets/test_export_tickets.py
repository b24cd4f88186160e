"""The ticket graph as GraphML and as Cypher."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest

import ticket_graphs
from autokb.cli import main
from autokb.core.errors import BadInputError
from autokb.core.tickets import TICKET, Edge
from autokb.exchange.export_kb import export_kb
from autokb.stores.ticket_tables import PublishedTicket
from autokb.stores.workspace import Workspace, create_workspace

SPACE = "{http://graphml.graphdrawing.org/xmlns}"
DOMAIN = """\
name: odd
tickets:
  sections:
    - {name: summary, fields: [title]}
    - description
    - {name: steps_to_reproduce, parent: description}
    - {name: order, relation: HAS_PART}
    - {name: match, relation: HAS_PART, parent: steps_to_reproduce}
    - a_b
    - {name: ab, relation: CONTAINS}
    - fix
    - {name: comments, fields: [comments]}
"""
# Runs statements on a ladybug database of its own and prints what is there then.
LOAD = """
import json, sys, ladybug
lines = open(sys.argv[1], encoding="utf-8").read().split("\\n")
with ladybug.Database(":memory:", buffer_pool_size=1 << 28, max_db_size=1 << 30) as db, ladybug.Connection(db) as c:
    for line in lines:
        line = line.removeprefix("// ") if line.startswith("// CREATE") else line
        if line and not line.startswith("//"):
            c.execute(line)
    ask = lambda text: c.execute(text).get_all()
    print(json.dumps([ask("MATCH (t:Ticket) RETURN t.id, t.title, t.components"),
        ask("MATCH (f:Fix) RETURN f.ticket, f.text"),
        ask("MATCH (t)-[:HAS_DESCRIPTION]->()-[:HAS_STEPS_TO_REPRODUCE]->(s) RETURN t.id, s.text"),
        ask("MATCH (a:Ticket)-[r]->(b:Ticket) RETURN a.id, b.id, r.origin")]))
"""


@pytest.fixture
def graph(tmp_path: Path) -> tuple[Workspace, list[PublishedTicket], list[Edge]]:
    random = Random(11)
    tickets = ticket_graphs.make_tickets(random)
    edges = ticket_graphs.make_edges(random, tickets)
    workspace = create_workspace(tmp_path / "kb", DOMAIN)
    ticket_graphs.publish(workspace.knowledge_path, tickets, edges).close()
    return workspace, tickets, edges


def test_graphml_has_every_ticket_section_and_link(
    graph: tuple[Workspace, list[PublishedTicket], list[Edge]], tmp_path: Path
) -> None:
    workspace, tickets, edges = graph
    done = export_kb(workspace, tmp_path / "tickets.graphml")
    assert done.tickets == len(tickets)
    root = ElementTree.parse(tmp_path / "tickets.graphml").getroot()
    nodes = {node.get("id"): _data(node) for node in root.iter(f"{SPACE}node")}
    relations = [(e.get("source"), e.get("target"), _data(e)) for e in root.iter(f"{SPACE}edge")]
    assert len(nodes) == len(list(root.iter(f"{SPACE}node")))
    for one in tickets:
        assert nodes[one.ticket.id]["title"] == one.ticket.title
        for section in one.sections:
            if section.section != TICKET:
                assert nodes[section.id].get("text", "") == section.text
    assert nodes["gone-1"]["dangling"] == "true"
    links = sorted((s, d["type"], t, d["origin"]) for s, t, d in relations if "type" in d)
    assert links == sorted((e.source, e.type, e.target, e.origin) for e in edges)
    assert {s for s, _, _ in relations} | {t for _, t, _ in relations} <= set(nodes)


def _data(element: ElementTree.Element) -> dict[str, str]:
    return {(one.get("key") or "").partition(".")[2]: one.text or "" for one in element}


@pytest.mark.skipif(find_spec("ladybug") is None, reason="ladybug is missing (extra: cypher)")
def test_cypher_loads_into_an_engine(
    graph: tuple[Workspace, list[PublishedTicket], list[Edge]], tmp_path: Path
) -> None:
    workspace, tickets, edges = graph
    export_kb(workspace, tmp_path / "tickets.cypher")
    ran = subprocess.run(
        [sys.executable, "-c", LOAD, str(tmp_path / "tickets.cypher")], capture_output=True, text=True, check=True
    )
    found, fixes, steps, links = json.loads(ran.stdout)
    assert sorted(found) == sorted([t.ticket.id, t.ticket.title, list(t.ticket.components) or None] for t in tickets)
    texts = [(s.ticket, s.section, s.text) for one in tickets for s in one.sections]
    assert sorted(fixes) == sorted([t, text] for t, section, text in texts if section == "fix")
    assert sorted(steps) == sorted([t, text] for t, section, text in texts if section == "steps_to_reproduce")
    known = {one.ticket.id for one in tickets}
    there = [[e.source, e.target, e.origin] for e in edges if {e.source, e.target} <= known]
    assert sorted(links) == sorted(there)


def test_without_tickets_there_is_nothing_to_export(tmp_path: Path) -> None:
    workspace = create_workspace(tmp_path / "kb", "name: empty\n")
    with pytest.raises(BadInputError, match="no published ticket"):
        export_kb(workspace, tmp_path / "tickets.graphml")
    assert not (tmp_path / "tickets.graphml").exists()


def test_the_command_writes_both(
    graph: tuple[Workspace, list[PublishedTicket], list[Edge]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace, tickets, _ = graph
    for name in ("out.graphml", "out.cypher"):
        assert main(["export", str(workspace.folder), str(tmp_path / name), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["tickets"] == len(tickets)
    assert main(["export", str(workspace.folder), str(tmp_path / "out.graphml")]) == 0
    assert f"Wrote {len(tickets)} tickets to " in capsys.readouterr().out
