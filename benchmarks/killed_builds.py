"""kill -9 at 50 random points of builds with a slow scripted model: what is asked twice, and what comes out.

Half of the kills are of builds in a file, half of builds on a Postgres server.

``python -m benchmarks.killed_builds LOG`` is the server: it writes a line for each request into LOG as it comes in.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autokb.stores.workspace import open_workspace
from benchmarks.figures import Figure, Result
from benchmarks.postgres_server import PostgresServer, postgres_server
from benchmarks.running import autokb, folder
from benchmarks.serving import ScriptedModel, set_model, stub

STORES = ("sqlite", "postgres")
KILLS, ISSUES = 25, 60  # kills on each store
SECONDS = 0.2  # a reply takes so long
BITS = 64
ROOT = Path(__file__).resolve().parents[1]
DOMAIN = ROOT / "src" / "autokb" / "domains" / "headphones"


@dataclass(frozen=True, slots=True)
class Found:
    """What came of both builds on a store: requests of the undisturbed one, what each kill cost, both exports."""

    requests: int
    told: list[dict[str, Any]]
    export: bytes
    undisturbed: bytes

    def of(self, name: str) -> int:
        """Return the sum of something over all kills."""
        return sum(one[name] for one in self.told)


def run(options: argparse.Namespace) -> Result:
    """Build on each store once undisturbed and once with all the kills, and compare."""
    kills = 2 if options.quick else KILLS
    figures: list[Figure] = []
    detail: dict[str, Any] = {}
    exports: set[bytes] = set()
    with folder() as place, postgres_server() as server:
        make_workspace(place / "made")
        for store in STORES:
            found = _on_a_store(place, server if store == "postgres" else None, kills)
            detail[store] = {"kills": found.told}
            exports |= {found.export, found.undisturbed}
            figures += [
                Figure(f"{store}.kills", len(found.told), "", at_least=kills),
                Figure(f"{store}.requests_undisturbed", found.requests, "requests"),
                Figure(f"{store}.finished_repeated", found.of("finished_repeated"), "requests", at_most=0),
                Figure(f"{store}.in_flight_at_a_kill", found.of("in_flight"), "requests"),
                Figure(f"{store}.in_flight_asked_again", found.of("in_flight_again"), "requests"),
                Figure(f"{store}.same_bytes_in_the_end", found.export == found.undisturbed, "", at_least=1),
            ]
    figures.append(Figure("same_bytes_on_both_stores", len(exports) == 1, "", at_least=1))
    return Result("killed_builds", figures, detail)


def _on_a_store(place: Path, server: PostgresServer | None, kills: int) -> Found:
    """Build the workspace that was made, in a file or on a server, undisturbed and killed."""
    on = "postgres" if server else "sqlite"

    def asking(name: str, url: str) -> Path:
        workspace = shutil.copytree(place / "made", place / f"{name}-{on}")
        if server:
            autokb("move", workspace, "--to", server.url(name))
        set_model(workspace, url, f"store: {server.url(name)}\n" if server else "")
        return workspace

    with _server(place / f"undisturbed-{on}.log") as (url, asked):
        undisturbed = asking("undisturbed", url)
        autokb("build", undisturbed)
        whole = asked()
    with _server(place / f"killed-{on}.log") as (url, asked):
        killed = asking("killed", url)
        told = _killed(killed, asked, len(whole), kills)
    return Found(len(whole), told, read_export(killed), read_export(undisturbed))


def make_workspace(workspace: Path, count: int = ISSUES) -> None:
    """Make a workspace of the shipped headphones with the first issues."""
    autokb("init", workspace, "--domain", "headphones")
    autokb("add", workspace, DOMAIN / "documents")
    with (DOMAIN / "issues" / "issues.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[: count + 1]
    issues = workspace.parent / f"{workspace.name}.csv"
    with issues.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    fields = ("--text-field", "text", "--title-field", "title", "--id-field", "id", "--date-field", "date")
    autokb("add", workspace, issues, "--as", "issues", *fields, "--resolved-by-field", "resolved_by")


def read_export(workspace: Path) -> bytes:
    """Return the whole knowledge base as its export has it."""
    autokb("export", workspace, workspace / "kb.jsonl")
    return (workspace / "kb.jsonl").read_bytes()


def _killed(workspace: Path, asked: Callable[[], list[str]], whole: int, kills: int) -> list[dict[str, Any]]:
    """Kill the build at random points, let it end, and say for each kill what was asked again of what was there."""
    dice = random.Random(1)
    told: list[dict[str, Any]] = []
    for point in sorted(dice.sample(range(whole), kills)):
        process = _start(workspace)
        while process.poll() is None and len(set(asked())) < point:
            time.sleep(0.01)
        time.sleep(dice.random() * 2 * SECONDS)
        if process.poll() is not None:
            raise SystemExit(f"The build ended before it was killed, with {process.returncode}.")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        before, stored = asked(), stored_replies(workspace)
        told.append({"point": point, "asked": len(before), "stored": stored, "in_flight": set(before) - stored})
    autokb("build", workspace)
    everything = asked()
    for kill, after in zip(told, [*(t["asked"] for t in told[1:]), len(everything)], strict=True):
        since = everything[kill["asked"] : after]
        kill["finished_repeated"] = sum(mark in kill["stored"] for mark in since)
        kill["in_flight_again"] = len(set(since) & kill["in_flight"])
        kill["in_flight"], kill["stored"] = len(kill["in_flight"]), len(kill["stored"])
    return told


def _start(workspace: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "autokb", "build", str(workspace), "--json"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def stored_replies(workspace: Path) -> set[str]:
    """Return the marks of all replies that are in the ledger."""
    with open_workspace(workspace).file() as file, file.reading() as db:
        return {mark_in(text) for (text,) in db.execute("SELECT text FROM request WHERE text != ''")}


def mark_of(body: dict[str, Any]) -> str:
    """Return what tells a request from every other."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[: BITS // 4]


def marked(reply: str, mark: str) -> str:
    """Return a reply with the mark of its request behind it, in white space, which JSON does not mind."""
    return reply + f"{int(mark, 16):0{BITS}b}".replace("0", " ").replace("1", "\t")


def mark_in(reply: str) -> str:
    """Return the mark behind a reply."""
    bits = reply[-BITS:].replace(" ", "0").replace("\t", "1")
    return f"{int(bits, 2):0{BITS // 4}x}"


@contextmanager
def _server(log: Path) -> Iterator[tuple[str, Callable[[], list[str]]]]:
    """Serve in a process of its own; gives its address, and what says which requests came in so far."""
    os.environ.setdefault("OPENAI_API_KEY", "a key that nobody checks")
    log.touch()
    command = [sys.executable, "-m", "benchmarks.killed_builds", str(log)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), lambda: log.read_text(encoding="ascii").split()
        finally:
            process.kill()


def main() -> None:
    """Serve until the process is ended."""
    model = ScriptedModel()
    with Path(sys.argv[1]).open("a", encoding="ascii", buffering=1) as log:

        def reply(body: dict[str, Any]) -> Any:
            mark = mark_of(body)
            log.write(mark + "\n")
            return stub.slow(SECONDS, marked(model(body), mark))

        print(stub.StubServer(reply).start().url, flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main()
