"""Hostile Cypher against the guard: what passes really runs on a ladybug projection, in a sandbox that is watched."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from autokb.core.errors import AutokbError
from autokb.core.property_graph import CheckedCypher
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import SIMILAR_TO, Edge, Ticket
from autokb.domains.ticket_templates import shipped_template
from autokb.plugins.tickets.cypher.guard import RefusedCypherError, check_cypher
from autokb.plugins.tickets.cypher.ladybug import GRACE, LadybugGraph
from autokb.plugins.tickets.cypher.projection import Projection
from autokb.plugins.tickets.heuristics.parse_sections import tree_of
from autokb.stores.ticket_tables import PublishedTicket, count_generation, publish_edges, publish_tickets
from autokb.stores.workspace_file import WorkspaceFile
from benchmarks.cypher_queries import CANARY, HONEST, hostile
from benchmarks.figures import Figure, Result
from benchmarks.running import folder as temporary_folder

QUERIES = 10_000
SEED = 14
TICKETS = 1_500
SECONDS = 1.0  # that a query has here; it is what the store is told, and GRACE comes on top of it
SLACK = 1.0  # seconds that a machine under load may take to notice that the time is over, and to end a process
TYPES = ("Duplicate", "Relates", "Blocks", "Depends", "Parent-Subtask", "Cloners")
_TOUCHING = (
    "open openat creat unlink unlinkat mkdir mkdirat rename renameat renameat2 symlink link truncate connect bind "
    "execve chmod"
)
_TOUCHED = re.compile(rf"\d+\s+(?:{'|'.join(_TOUCHING.split())})\((.*)")
_OF_THE_SYSTEM = "/proc/sys/vm/overcommit_memory"  # glibc reads it when it gives memory back


@dataclass
class Counts:
    """What became of the queries."""

    made: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    ran: int = 0
    failed: int = 0
    late: int = 0
    seen: int = 0
    slowest: float = 0.0
    overdue: list[str] = field(default_factory=list)
    honest_refused: list[str] = field(default_factory=list)
    honest_failed: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    watched: bool = False


def run(options: argparse.Namespace) -> Result:
    """Ask hostile and honest queries and count what they did."""
    with temporary_folder() as sandbox:
        counts = measure(sandbox, QUERIES // 10 if options.quick else QUERIES)
    for note in (*counts.overdue, *counts.changed, *counts.touched, *counts.honest_refused, *counts.honest_failed):
        print(note)
    figures = (
        Figure("hostile", sum(counts.made.values()), "queries"),
        Figure("hostile_passed", sum(counts.passed.values()), "queries"),
        Figure("hostile_ran", counts.ran, "queries"),
        Figure("hostile_refused_by_engine", counts.failed, "queries"),
        Figure("hostile_stopped_at_time_out", counts.late, "queries"),
        Figure("writes", len(counts.changed), "files", at_most=0),
        Figure("files_opened", len(counts.touched) if counts.watched else None, "files", at_most=0),
        Figure("canaries_seen", counts.seen, "rows", at_most=0),
        Figure("beyond_time_out", len(counts.overdue), "queries", at_most=0),
        Figure("slowest", counts.slowest, "s", at_most=SECONDS + GRACE + SLACK),
        Figure("honest", len(HONEST), "queries", at_least=60),
        Figure("honest_refused", len(counts.honest_refused), "queries", at_most=0),
        Figure("honest_failed", len(counts.honest_failed), "queries", at_most=0),
        *(Figure(f"passed.{kind}", counts.passed[kind] / n, "share") for kind, n in sorted(counts.made.items())),
    )
    return Result("cypher_guard", figures)


def measure(sandbox: Path, queries: int, tickets: int = TICKETS) -> Counts:
    """Run the measure in an empty folder."""
    counts = Counts()
    template = shipped_template("en")
    with closing(make_workspace(sandbox, template, tickets)) as file:
        names = Projection(file, template).names()
        with closing(LadybugGraph(file, template, sandbox, SECONDS)) as graph:
            graph.cypher(CheckedCypher("MATCH (t:Ticket) RETURN count(*)", 1))  # makes the projection
            before = contents(sandbox)
            with watching(sandbox.parent / f"{sandbox.name}-trace", counts) as watch:
                for text in HONEST:
                    try:
                        watch(graph)
                        graph.cypher(check_cypher(text, names))
                    except RefusedCypherError as error:
                        counts.honest_refused.append(f"refused: {text}: {error}")
                    except AutokbError as error:
                        counts.honest_failed.append(f"failed: {text}: {error}")
                for kind, text in hostile(Random(SEED), str(sandbox), queries):
                    counts.made[kind] += 1
                    try:
                        query = check_cypher(text, names)
                    except RefusedCypherError:
                        continue
                    counts.passed[kind] += 1
                    watch(graph)
                    _ask(graph, query, text, counts)
            after = contents(sandbox)
            names_of_files = sorted({*before, *after})
            counts.changed = [f"written: {name}" for name in names_of_files if before.get(name) != after.get(name)]
    return counts


def _ask(graph: LadybugGraph, query: CheckedCypher, text: str, counts: Counts) -> None:
    started = time.perf_counter()
    try:
        rows = graph.cypher(query).rows
        counts.ran += 1
        counts.seen += CANARY in json.dumps(rows)
    except AutokbError as error:
        late = "longer than" in str(error)
        counts.late += late
        counts.failed += not late
    seconds = time.perf_counter() - started
    counts.slowest = max(counts.slowest, seconds)
    if seconds > SECONDS + GRACE + SLACK:
        counts.overdue.append(f"{seconds:.1f} s: {text[:300]}")


def make_workspace(sandbox: Path, template: TicketTemplate, count: int) -> WorkspaceFile:
    """A workspace file with tickets that say little and link much, beside files that no query may show."""
    random = Random(SEED)
    (sandbox / "canary.csv").write_text(f"{CANARY},1\n{CANARY},2\n", encoding="utf-8")
    ids = [f"TIMOB-{number}" for number in range(count)]
    tickets = []
    for ident in ids:
        ticket = Ticket(
            ident,
            f"Crash {ident} of the {random.choice(['camera', 'map', 'list'])}",
            project="TIMOB",
            status=random.choice(["Open", "Closed"]),
            priority=random.choice(["High", "Low"]),
            components=tuple(random.sample(["Android", "iOS", "CLI"], k=random.randrange(3))),
            created="2014-05-01T12:00:00Z",
        )
        texts = {rule.name: f"{rule.name} of {ident} " * 20 for rule in template.sections if random.random() < 0.5}
        tickets.append(PublishedTicket(ticket, tree_of(ident, template, texts), ident))
    edges = {Edge(*random.sample(ids, 2)[:1], random.choice(TYPES), random.choice(ids)) for _ in range(2 * count)}
    edges |= {Edge(i, SIMILAR_TO, random.choice(ids), "similarity", score=0.7) for i in ids for _ in range(4)}
    file = WorkspaceFile(sandbox / "knowledge.db", create=True)
    with file.transaction():
        publish_tickets(file, tickets, (), template)
        publish_edges(file, {(e.source, e.type, e.target): e for e in edges}.values())
        count_generation(file)
    return file


def contents(folder: Path) -> dict[str, str]:
    """The hash of each file of a folder, '' for a folder inside, without SQLite's own files beside ours."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in folder.rglob("*")
        if not path.name.endswith(("-wal", "-shm"))
    }


@contextmanager
def watching(trace: Path, counts: Counts) -> Iterator[Callable[[LadybugGraph], None]]:
    """Give a function that watches the process of a graph for files and sockets that it opens, where strace can."""
    tracers: dict[int, subprocess.Popen[bytes]] = {}
    can_watch = shutil.which("strace") is not None

    def watch(graph: LadybugGraph) -> None:
        process = graph.process_id()
        if process in tracers or not can_watch:
            return
        log = trace.with_name(f"{trace.name}.{process}")
        command = ["strace", "-f", "-qq", "-e", "trace=%file,connect,bind,execve", "-o", str(log), "-p", str(process)]
        tracers[process] = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 5
        while not log.exists() and tracers[process].poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        while "TracerPid:\t0" in Path(f"/proc/{process}/status").read_text() and time.monotonic() < deadline:
            time.sleep(0.01)

    try:
        yield watch
    finally:
        for process, tracer in tracers.items():
            log = trace.with_name(f"{trace.name}.{process}")
            tracer.terminate()
            tracer.wait()
            if log.exists():
                counts.watched = True
                found = (_TOUCHED.match(line) for line in log.read_text(errors="replace").splitlines())
                lines = [match.group(1) for match in found if match]
                counts.touched += [f"touched: {line}" for line in lines if _OF_THE_SYSTEM not in line]
                log.unlink()
