"""Cypher on one's own machine: a ladybug projection of the tickets, made when it is asked and they have changed."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from filelock import FileLock

from autokb.core.errors import AutokbError
from autokb.core.files import PRIVATE
from autokb.core.property_graph import TICKET_LABEL, TICKET_PROPERTIES, CheckedCypher
from autokb.core.ticket_template import TicketTemplate
from autokb.plugins.tickets.cypher.projection import Projection, label_above, ladybug_schema
from autokb.stores.workspace_file import WorkspaceFile

PROJECTION_FILE = "tickets.ladybug"
MAKING_FOLDER = ".tickets.ladybug"  # where projections are made; what a killed process left there is thrown away
LOCK_FILE = ".tickets.ladybug.lock"
SECONDS = 5.0  # that a query may take
GRACE = 0.5  # seconds more until a process that does not end its query is killed
STARTING = 60.0  # seconds for a process to start and open a graph; a machine under load takes long
SCRIPT = Path(__file__).with_name("ladybug_process.py")
_NEEDED = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "LANG", "TMPDIR")  # of the environment; keys stay here


@dataclass(frozen=True, slots=True)
class CypherRows:
    """What a Cypher query gave."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass
class LadybugGraph:
    """The tickets of a workspace file in ``folder/tickets.ladybug``, read by a process that can write nothing."""

    file: WorkspaceFile
    template: TicketTemplate
    folder: Path
    seconds: float = SECONDS
    _process: _Process | None = field(default=None, init=False, repr=False)
    _one: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def cypher(self, query: CheckedCypher) -> CypherRows:
        """Return what a query gives (AutokbError where it fails or takes too long)."""
        with self._one:
            reply = self._opened().ask(query.text, query.most, self.seconds)
        if "error" in reply:
            why = reply["error"].strip().split("\n")[0].rstrip(".")
            raise AutokbError(f"The Cypher could not be run: {why}.")
        return CypherRows(tuple(reply["columns"]), tuple(tuple(row) for row in reply["rows"]))

    def process_id(self) -> int:
        """Return the id of the process that is asked; it is another one after a query that did not end."""
        with self._one:
            return self._opened().number

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _opened(self) -> _Process:
        """Return a process that has the graph of the tickets as they are."""
        stamp = Projection(self.file, self.template).stamp()
        if self._process is None or not self._process.is_alive() or self._process.stamp != stamp:
            self.close()
            self._process = self._serve(stamp) or self._make(stamp)
        return self._process

    def _serve(self, stamp: str) -> _Process | None:
        """Return a process with the projection in service, None where there is none of this stamp."""
        path = self.folder / PROJECTION_FILE
        if path.exists():
            with suppress(AutokbError):  # damaged, or of another version of ladybug: it is made anew
                process = _Process(path)
                if process.stamp == stamp:
                    return process
                process.end()
        return None

    def _make(self, stamp: str) -> _Process:
        """Make the projection beside the one in service, put it in its place, and return a process with it."""
        path, making = self.folder / PROJECTION_FILE, self.folder / MAKING_FOLDER
        own = making / uuid4().hex  # the engine of a killed process may still write into the folder that it began
        try:
            with FileLock(self.folder / LOCK_FILE):
                if (process := self._serve(stamp)) is not None:  # another process was faster
                    return process
                shutil.rmtree(making, ignore_errors=True)
                making.mkdir(mode=0o700, exist_ok=True)
                own.mkdir(mode=0o700)
                try:
                    made = make_projection(Projection(self.file, self.template), own)
                    made.chmod(PRIVATE)
                    made.replace(path)
                finally:
                    shutil.rmtree(making, ignore_errors=True)
        except OSError as error:
            raise AutokbError(
                f"The graph for Cypher cannot be made in {self.folder} ({error.strerror}); free some disk space or "
                "make the folder writable. Questions without Cypher need no such graph."
            ) from error
        return _Process(path)


def make_projection(projection: Projection, folder: Path) -> Path:
    """Make the graph of the tickets in an empty folder, whole and on the disk (AutokbError)."""
    path = folder / "graph"
    with projection.file.snapshot(), _maker(path) as execute:
        names = projection.names()
        for statement in ladybug_schema(projection.template, names):
            execute(statement, None)
        columns = ", ".join(f"`{name}`: r.`{name}`" for name in TICKET_PROPERTIES)
        for rows in projection.tickets():
            execute(f"UNWIND $rows AS r CREATE (:`{TICKET_LABEL}` {{{columns}}})", rows)
        above: dict[str, list[tuple[str, str]]] = {}
        for rule, nodes in projection.sections():
            label = names.labels[rule.name]
            above.setdefault(rule.name, []).extend((node.pop("above"), node["id"]) for node in nodes)
            execute(f"UNWIND $rows AS r CREATE (:`{label}` {{id: r.id, ticket: r.ticket, text: r.text}})", nodes)
        for number, rule in enumerate(one for one in projection.template.sections if one.name in above):
            ends = f"from = '{label_above(rule, names)}', to = '{names.labels[rule.name]}'"
            _copy(execute, folder / f"sections-{number}.csv", names.relations[rule.name], ends, above[rule.name])
        for number, (kind, links) in enumerate(projection.links().items()):
            _copy(execute, folder / f"links-{number}.csv", names.links[kind], "", links)
        execute("CREATE NODE TABLE `autokb projection`(stamp STRING, PRIMARY KEY(stamp))", None)
        execute("UNWIND $rows AS r CREATE (:`autokb projection` {stamp: r})", [projection.stamp()])
    return path


def _copy(execute: Any, path: Path, relation: str, ends: str, rows: Sequence[Sequence[Any]]) -> None:
    """Load relations from a file of their ends, many times as fast as one by one."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    options = f"header = false, parallel = false, quote = '\"', escape = '\"'{', ' if ends else ''}{ends}"
    execute(f"COPY `{relation}` FROM '{path.name}' ({options})", None)  # the process runs in that folder


@contextmanager
def _maker(path: Path) -> Iterator[Any]:
    """Give a function that sends statements to a process that makes a graph; it is whole when the block has ended."""
    child = _start("make", path)
    assert child.stdin is not None and child.stdout is not None
    send = child.stdin
    try:

        def execute(query: str, rows: Sequence[Any] | None) -> None:
            send.write(json.dumps({"query": query, "rows": rows}) + "\n")

        yield execute
        send.write('{"done": true}\n')
        send.close()
        said = child.stdout.read()
        if child.wait() or not said:
            raise BrokenPipeError
    except BrokenPipeError:
        child.wait()
        said = child.stderr.read() if child.stderr else ""
        why = said.strip().split("\n")[-1] or "its process was killed"
        raise AutokbError(f"The graph for Cypher could not be made ({why}).") from None
    finally:
        _end(child)


class _Process:
    """A process that has a graph open for reading."""

    def __init__(self, path: Path) -> None:
        self._child = _start("serve", path)
        self.number = self._child.pid
        self.stamp = str(self._read(STARTING).get("stamp", ""))

    def is_alive(self) -> bool:
        """Return whether it can be asked."""
        return self._child.poll() is None

    def ask(self, text: str, most: int, seconds: float) -> dict[str, Any]:
        """Return the reply to a query; a process that does not end in time is killed."""
        assert self._child.stdin is not None
        asked = {"text": text, "most": most, "milliseconds": max(1, int(seconds * 1000))}
        try:
            self._child.stdin.write(json.dumps(asked) + "\n")
            self._child.stdin.flush()
        except BrokenPipeError:
            return {"error": "its process has ended"}
        try:
            reply = self._read(seconds + GRACE)
        except AutokbError as error:
            return {"error": str(error)}
        if reply.get("error") == "Interrupted.":
            return {"error": f"it took longer than {seconds:g} s"}
        return reply

    def end(self) -> None:
        """End the process."""
        _end(self._child)

    def _read(self, seconds: float) -> dict[str, Any]:
        assert self._child.stdout is not None
        was_late = threading.Event()

        def kill() -> None:
            was_late.set()
            self._child.kill()

        late = threading.Timer(seconds, kill)
        late.start()
        try:
            line = self._child.stdout.readline()
        finally:
            late.cancel()
        if line.endswith("\n"):
            body: dict[str, Any] = json.loads(line)
            return body
        self.end()
        raise AutokbError(f"it took longer than {seconds - GRACE:g} s" if was_late.is_set() else "the engine crashed")


def _start(mode: str, path: Path) -> subprocess.Popen[str]:
    environment = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    return subprocess.Popen(
        [sys.executable, "-I", str(SCRIPT), mode, str(path.resolve())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if mode == "make" else subprocess.DEVNULL,
        env=environment,
        cwd=path.parent,
        text=True,
        encoding="utf-8",
    )


def _end(child: subprocess.Popen[str]) -> None:
    child.kill()
    for pipe in (child.stdin, child.stdout, child.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    child.wait()
