"""kill -9 at 20 random points of a build with a slow scripted model: what is asked twice, and what comes out.

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
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder
from benchmarks.serving import ScriptedModel, set_model, stub

KILLS, ISSUES = 20, 60
SECONDS = 0.2  # a reply takes so long
BITS = 64
ROOT = Path(__file__).resolve().parents[1]
DOMAIN = ROOT / "src" / "autokb" / "domains" / "headphones"


def run(options: argparse.Namespace) -> Result:
    """Build once undisturbed, once with all the kills, and compare."""
    kills = 4 if options.quick else KILLS
    with folder() as place:
        make_workspace(place / "killed")
        shutil.copytree(place / "killed", place / "undisturbed")
        with _server(place / "undisturbed.log") as (url, asked):
            set_model(place / "undisturbed", url)
            autokb("build", place / "undisturbed")
            whole = asked()
        with _server(place / "killed.log") as (url, asked):
            set_model(place / "killed", url)
            told = _killed(place / "killed", asked, len(whole), kills)
        same = read_export(place / "killed") == read_export(place / "undisturbed")
    figures = (
        Figure("kills", len(told), "", at_least=kills),
        Figure("requests_undisturbed", len(whole), "requests"),
        Figure("finished_repeated", sum(t["finished_repeated"] for t in told), "requests", at_most=0),
        Figure("in_flight_at_a_kill", sum(t["in_flight"] for t in told), "requests"),
        Figure("in_flight_asked_again", sum(t["in_flight_again"] for t in told), "requests"),
        Figure("same_bytes_in_the_end", float(same), "", at_least=1),
    )
    return Result("killed_builds", figures, {"kills": told})


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
        before, stored = asked(), _stored(workspace)
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


def _stored(workspace: Path) -> set[str]:
    """Return the marks of all replies that are in the ledger on the disk."""
    with closing(sqlite3.connect(workspace / "knowledge.db")) as db:
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
