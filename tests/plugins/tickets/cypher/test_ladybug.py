"""The ladybug projection: made when tickets changed, whole or not at all, and read by a process that can be killed."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

import ticket_graphs
from autokb.core.errors import AutokbError
from autokb.core.property_graph import CheckedCypher, quote_name
from autokb.core.tickets import Ticket
from autokb.domains.ticket_templates import shipped_template
from autokb.plugins.tickets.cypher import ladybug
from autokb.plugins.tickets.cypher.ladybug import MAKING_FOLDER, PROJECTION_FILE, LadybugGraph
from autokb.plugins.tickets.cypher.projection import Projection
from autokb.plugins.tickets.heuristics.parse_sections import tree_of
from autokb.stores.ticket_tables import PublishedTicket
from autokb.stores.workspace_file import WorkspaceFile

pytestmark = [
    pytest.mark.skipif(find_spec("ladybug") is None, reason="ladybug is missing (extra: cypher)"),
    pytest.mark.slow,  # each test starts the engine's process
]

TITLES = CheckedCypher("MATCH (t:Ticket) RETURN t.title ORDER BY t.title", 10)
ENDLESS = (
    "MATCH (a:Ticket), (b:Ticket), (c:Ticket), (d:Ticket), (e:Ticket) "
    "WHERE a.title + b.title <> c.title + d.title + e.id RETURN count(*)"
)
ASK = """
import sys, time
from contextlib import contextmanager
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import ticket_graphs
from autokb.core.property_graph import CheckedCypher
from autokb.plugins.tickets.cypher import ladybug
from autokb.stores.workspace_file import WorkspaceFile
folder, left, make = Path(sys.argv[1]), int(sys.argv[3]), ladybug._maker

@contextmanager
def making(path):
    with make(path) as execute:
        def execute_and_hold(query, rows):
            global left
            execute(query, rows)
            left -= 1
            if left == 0:
                print("holds", flush=True)
                time.sleep(600)
        yield execute_and_hold

ladybug._maker = making
graph = ladybug.LadybugGraph(WorkspaceFile(folder / "knowledge.db"), ticket_graphs.TEMPLATE, folder)
graph.cypher(CheckedCypher("MATCH (t:Ticket) RETURN t.id", 1))
print(-left)
"""


def publish(folder: Path, *titles: str) -> WorkspaceFile:
    tickets = [
        PublishedTicket(Ticket(f"T-{n}", title), tree_of(f"T-{n}", ticket_graphs.TEMPLATE, {"summary": title}), title)
        for n, title in enumerate(titles)
    ]
    return ticket_graphs.publish(folder / "knowledge.db", tickets, [])


def titles_of(graph: LadybugGraph) -> list[str]:
    return [title for (title,) in graph.cypher(TITLES).rows]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[LadybugGraph]:
    file = publish(tmp_path, "one", "two")
    graph = LadybugGraph(file, ticket_graphs.TEMPLATE, tmp_path)
    yield graph
    graph.close()
    file.close()


def test_it_is_made_when_first_asked_and_again_when_tickets_changed(opened: LadybugGraph, tmp_path: Path) -> None:
    path = tmp_path / PROJECTION_FILE
    assert not path.exists()
    assert titles_of(opened) == ["one", "two"]
    first = path.stat()
    assert stat.S_IMODE(first.st_mode) == 0o600
    other = LadybugGraph(opened.file, ticket_graphs.TEMPLATE, tmp_path)
    assert titles_of(other) == titles_of(opened) == ["one", "two"]
    assert path.stat().st_ino == first.st_ino
    publish(tmp_path, "three").close()
    assert titles_of(other) == ["three"]
    assert path.stat().st_ino != first.st_ino
    assert titles_of(opened) == ["three"]
    other.close()
    assert not (tmp_path / MAKING_FOLDER).exists()


def test_a_workspace_may_be_named_by_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path, "one").close()
    monkeypatch.chdir(tmp_path.parent)
    folder = Path(tmp_path.name)
    file = WorkspaceFile(folder / "knowledge.db")
    graph = LadybugGraph(file, ticket_graphs.TEMPLATE, folder)
    assert titles_of(graph) == ["one"]
    graph.close()
    file.close()


def test_another_template_is_another_graph(opened: LadybugGraph, tmp_path: Path) -> None:
    assert titles_of(opened) == ["one", "two"]
    other = LadybugGraph(opened.file, shipped_template("en"), tmp_path)
    assert other.cypher(CheckedCypher("MATCH (c:RootCause) RETURN count(c)", 1)).rows == ((0,),)
    other.close()


@pytest.mark.parametrize("content", [b"", b"no graph at all", b"\x00" * 10_000])
def test_a_damaged_projection_is_made_anew(opened: LadybugGraph, tmp_path: Path, content: bytes) -> None:
    (tmp_path / PROJECTION_FILE).write_bytes(content)
    assert titles_of(opened) == ["one", "two"]


def test_a_query_that_takes_too_long_is_ended_and_the_next_is_answered(tmp_path: Path) -> None:
    random = Random(4)
    tickets = ticket_graphs.make_tickets(random, 100)
    file = ticket_graphs.publish(tmp_path / "knowledge.db", tickets, ticket_graphs.make_edges(random, tickets, 500))
    graph = LadybugGraph(file, ticket_graphs.TEMPLATE, tmp_path, seconds=60.0)
    assert len(titles_of(graph)) == 10
    number, graph.seconds = graph.process_id(), 0.3
    with pytest.raises(AutokbError, match=r"The Cypher could not be run: it took longer than 0\.3 s\."):
        graph.cypher(CheckedCypher(ENDLESS, 1))
    graph.seconds = 60.0
    assert len(titles_of(graph)) == 10 and graph.process_id() == number  # the engine itself ended it
    graph.seconds = 0.3
    os.kill(number, signal.SIGSTOP)  # as one that ignores its time-out
    with pytest.raises(AutokbError, match=r"it took longer than 0\.3 s\."):
        titles_of(graph)
    graph.seconds = 60.0
    assert len(titles_of(graph)) == 10 and graph.process_id() != number
    graph.close()
    file.close()


def test_a_process_that_died_is_started_again(opened: LadybugGraph) -> None:
    number = opened.process_id()
    os.kill(number, signal.SIGKILL)
    os.waitid(os.P_PID, number, os.WEXITED | os.WNOWAIT)
    assert titles_of(opened) == ["one", "two"]
    assert opened.process_id() != number


def test_nothing_can_be_written(opened: LadybugGraph, tmp_path: Path) -> None:
    assert titles_of(opened) == ["one", "two"]
    before = (tmp_path / PROJECTION_FILE).read_bytes()
    for text in (
        "CREATE (:Ticket {id: 'x'})",
        "MATCH (t:Ticket) SET t.title = 'x'",
        "MATCH (t:Ticket) DETACH DELETE t",
    ):
        with pytest.raises(AutokbError, match="read-only"):
            opened.cypher(CheckedCypher(text, 1))
    with pytest.raises(AutokbError, match="more than one statement"):
        opened.cypher(CheckedCypher("MATCH (t:Ticket) RETURN t.id; MATCH (t:Ticket) RETURN t.id", 1))
    assert (tmp_path / PROJECTION_FILE).read_bytes() == before


def test_rows_that_are_too_large_are_refused(opened: LadybugGraph, tmp_path: Path) -> None:
    publish(tmp_path, "x" * 2_000_000, *("y" * 2_000_000 + str(n) for n in range(5))).close()
    with pytest.raises(AutokbError, match="larger than 8 MB"):
        opened.cypher(TITLES)


def test_names_of_the_shipped_templates_need_no_quotes() -> None:
    for language in ("en", "de"):
        for rule in shipped_template(language).sections:
            assert quote_name(rule.label) == rule.label and quote_name(rule.relation) == rule.relation


def test_a_folder_that_cannot_be_written_is_named(opened: LadybugGraph, tmp_path: Path) -> None:
    (tmp_path / MAKING_FOLDER).write_text("no folder")
    with pytest.raises(AutokbError, match="cannot be made in"):
        titles_of(opened)


def test_kill_9_while_it_is_made_leaves_the_old_one_and_the_next_question_makes_it(tmp_path: Path) -> None:
    random = Random(3)
    publish(tmp_path, "old").close()
    run = [sys.executable, "-c", ASK, str(tmp_path), str(Path(ticket_graphs.__file__).parent)]
    made = subprocess.run([*run, "0"], check=True, stdout=subprocess.PIPE)
    statements = int(made.stdout)
    assert statements > 10
    for attempt in range(6):
        before = (tmp_path / PROJECTION_FILE).read_bytes()
        tickets = ticket_graphs.make_tickets(random, 300 + attempt)
        edges = ticket_graphs.make_edges(random, tickets, 600)
        file = ticket_graphs.publish(tmp_path / "knowledge.db", tickets, edges)
        held = [*run, str(random.randint(1, statements))]  # what was sent before it, the engine still does
        with subprocess.Popen(held, stdout=subprocess.PIPE, text=True) as asking:
            assert asking.stdout is not None and asking.stdout.readline() == "holds\n"
            time.sleep(random.uniform(0.0, 0.6))
            asking.kill()
        assert (tmp_path / MAKING_FOLDER).exists() and (tmp_path / PROJECTION_FILE).read_bytes() == before
        graph = LadybugGraph(file, ticket_graphs.TEMPLATE, tmp_path)
        stamp = Projection(file, ticket_graphs.TEMPLATE).stamp()
        assert graph.cypher(CheckedCypher("MATCH (p:`autokb projection`) RETURN p.stamp", 1)).rows == ((stamp,),)
        found = {ident for (ident,) in graph.cypher(CheckedCypher("MATCH (t:Ticket) RETURN t.id", 10_000)).rows}
        assert found == {one.ticket.id for one in tickets}
        assert not (tmp_path / MAKING_FOLDER).exists()
        graph.close()
        file.close()


def test_what_the_engine_of_a_killed_process_still_writes_is_not_where_the_next_one_makes_its_graph(
    opened: LadybugGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, begun = ladybug._start, list[Path]()

    def start_and_write(mode: str, path: Path) -> subprocess.Popen[str]:
        if mode == "make":
            for earlier in begun:
                with suppress(FileNotFoundError):  # what ladybug 0.22 does at the end of a COPY, whoever asked for it
                    earlier.with_name("graph.wal.checkpoint").write_bytes(b"of the one that was killed")
            begun.append(path)
        return start(mode, path)

    monkeypatch.setattr(ladybug, "_start", start_and_write)
    assert titles_of(opened) == ["one", "two"]
    publish(tmp_path, "three").close()
    assert titles_of(opened) == ["three"]
    assert len(begun) == 2
