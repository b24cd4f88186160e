"""The service on several machines: how soon an edit is live at the other, and what a restart and a death cost.

Two services with folders of their own share a store on a Postgres server. Under load the server is killed and started
again; then one that holds the lock of a build is killed.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from autokb.app import SupportKB
from autokb.core.errors import WorkspaceBusyError
from autokb.sources import Fields
from autokb.stores.workspace import DOMAIN_FILE, KNOWLEDGE_FILE, SETTINGS_FILE, open_workspace
from benchmarks.figures import Figure, Result
from benchmarks.killed_builds import DOMAIN
from benchmarks.postgres_server import PostgresServer, postgres_server
from benchmarks.running import folder
from benchmarks.served import served

EDITS, RESTARTS = 20, 3
FIELDS = Fields(text="text", title="title", id="id", date="date", resolved_by="resolved_by")
QUESTION = "my earbuds do not pair with my iPhone"
SECONDS = 60.0  # that anything may take before the benchmark is given up
LIVE, AWAY = 5.0, 1.0  # s, aims: until an edit is live elsewhere; s that the server is away
HOLDS = (
    "import sys, time; from pathlib import Path; from autokb.stores.workspace import open_workspace\n"
    "with open_workspace(Path(sys.argv[1])).build_lock(): print('held', flush=True); time.sleep(600)"
)


@dataclass
class Load:
    """What clients sent, and what they were told."""

    kept: dict[str, str] = field(default_factory=dict)  # acknowledged feedback: id to question
    longest: float = 0.0  # seconds of a request
    refused: int = 0  # 503 with Retry-After
    wrong: int = 0  # anything else but 200
    asked: int = 0  # questions that were answered
    last_kept: float = 0.0  # moment of the last acknowledgement


def run(options: argparse.Namespace) -> Result:
    """Build into the server, serve from two folders, and measure."""
    edits, restarts = (5, 1) if options.quick else (EDITS, RESTARTS)
    with folder() as place, postgres_server() as server:
        one, two = (machine(place / name, server.url("machines")) for name in ("one", "two"))
        kb = SupportKB.open(one)
        kb.add([DOMAIN / "documents"])
        kb.add([DOMAIN / "issues" / "issues.csv"], "issues", FIELDS)
        kb.build()
        with served(one) as first, served(two) as second:
            live = list(_edits(first.url, second.url, edits))
            back, load = _restarts(server, (first.url, second.url), restarts)
            gone = sum(_feedback(second.url).get(i) != query for i, query in load.kept.items())
        free = _free_after_death(one, two)
    return Result(
        "service_machines",
        [
            Figure("edit_live_at_the_other.median", statistics.median(live), "s", at_most=LIVE),
            Figure("edit_live_at_the_other.longest", max(live), "s", at_most=LIVE),
            Figure("restart.back_after.median", statistics.median(back), "s"),
            Figure("restart.back_after.longest", max(back), "s"),
            Figure("restart.longest_request", load.longest, "s"),
            Figure("restart.refused_with_retry_after", load.refused, "requests"),
            Figure("restart.other_errors", load.wrong, "requests", at_most=0),
            Figure("restart.questions_answered", load.asked, "requests"),
            Figure("restart.feedback_acknowledged", len(load.kept), ""),
            Figure("restart.feedback_gone", gone, "", at_most=0),
            Figure("lock_free_after_death", free, "s"),
        ],
    )


def machine(place: Path, url: str) -> Path:
    """Make the folder of a machine that works on a store by its URL."""
    SupportKB.create(place, "headphones").close()
    (place / KNOWLEDGE_FILE).unlink()
    (place / SETTINGS_FILE).write_text(f"store: {url}\n", encoding="utf-8")
    assert (place / DOMAIN_FILE).exists()
    return place


def _edits(first: str, second: str, count: int) -> Iterator[float]:
    """Yield how long it takes until what is hidden at one machine is gone from the answers of the other."""
    with httpx2.Client(base_url=first, timeout=SECONDS) as one, httpx2.Client(base_url=second, timeout=SECONDS) as two:

        def shown() -> list[str]:
            matches = two.post("/v1/ask", json={"text": QUESTION}).json()["matches"]
            return [solution["id"] for match in matches for solution in match["solutions"]]

        solution = shown()[0]
        dice = random.Random(1)
        for number in range(count):
            time.sleep(0.5 + dice.random())
            started = time.perf_counter()
            one.post(f"/v1/solutions/{solution}/{('hide', 'approve')[number % 2]}").raise_for_status()
            _wait_until(lambda hidden=number % 2 == 0: (solution in shown()) != hidden)  # type: ignore[misc]
            yield time.perf_counter() - started


def _restarts(server: PostgresServer, urls: tuple[str, ...], count: int) -> tuple[list[float], Load]:
    """Kill the server under load and start it; returns how long after it answers feedback is taken again, and all."""
    back: list[float] = []
    with _loaded(urls) as load:
        for _ in range(count):
            time.sleep(2.0)
            server.stop(kill=True)
            time.sleep(AWAY)
            server.start()
            started = time.perf_counter()
            _wait_until(lambda since=started: load.last_kept > since)  # type: ignore[misc]
            back.append(load.last_kept - started)
        time.sleep(1.0)
    return back, load


@contextmanager
def _loaded(urls: tuple[str, ...]) -> Iterator[Load]:
    load, ended = Load(), threading.Event()

    def use(url: str, number: int) -> None:
        with httpx2.Client(base_url=url, timeout=SECONDS) as client:
            count = 0
            while not ended.is_set():
                count += 1
                started, query = time.perf_counter(), f"question {count} of {number} to {url}"
                try:
                    if number == 0:
                        answer = client.post("/v1/ask", json={"text": QUESTION})
                        load.asked += answer.status_code == 200
                    else:
                        answer = client.post("/v1/feedback", json={"query": query, "verdict": "helpful"})
                        if answer.status_code == 200:
                            load.kept[answer.json()["id"]], load.last_kept = query, time.perf_counter()
                    is_refused = answer.status_code == 503 and "retry-after" in answer.headers
                    load.refused += is_refused
                    load.wrong += answer.status_code != 200 and not is_refused
                except httpx2.TransportError:
                    load.wrong += 1
                load.longest = max(load.longest, time.perf_counter() - started)
                time.sleep(0.02)

    threads = [threading.Thread(target=use, args=(url, number)) for url in urls for number in range(3)]
    for thread in threads:
        thread.start()
    try:
        yield load
    finally:
        ended.set()
        for thread in threads:
            thread.join(SECONDS)


def _feedback(url: str) -> dict[str, str]:
    found: dict[str, str] = {}
    with httpx2.Client(base_url=url, timeout=SECONDS) as client:
        after: str | None = ""
        while after is not None:
            page = client.get("/v1/feedback", params={"limit": 1000, **({"after": after} if after else {})}).json()
            found |= {one["id"]: one["query"] for one in page["items"]}
            after = page["next"]
    return found


def _free_after_death(one: Path, two: Path) -> float:
    """Return how long after the death of who builds at one machine another may build."""
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(one)], stdout=subprocess.PIPE, text=True) as builder:
        assert builder.stdout is not None and builder.stdout.readline() == "held\n"
        os.kill(builder.pid, signal.SIGKILL)
        started = time.perf_counter()
        builder.wait(SECONDS)
    workspace = open_workspace(two)

    def is_free() -> bool:
        try:
            with workspace.build_lock():
                return True
        except WorkspaceBusyError:
            return False

    _wait_until(is_free)
    return time.perf_counter() - started


def _wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise SystemExit(f"It did not come about within {SECONDS:.0f} seconds.")
        time.sleep(0.01)
