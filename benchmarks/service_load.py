"""Suggestions over HTTP under load: locust on loopback, 7,000 solutions, no model; also while a rebuild runs.

The users (``service_users``) run on the same processors. Each figure has the load average of the machine beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from autokb.app import SupportKB
from benchmarks.ask import import_workspace
from benchmarks.figures import Figure, Result
from benchmarks.running import folder
from benchmarks.served import Served, served

SIZE = 7_000
SHORT, LONG = 12, 150  # words of a message
RATE, SECONDS = 50, 60  # requests a second, and for how long
LONG_RATE = 10
STEPS = (RATE, 60, 70, 80, 90, 100, 120, 140, 160, 200)  # requests a second, until p95 passes FAR
FAR = 100.0  # ms
SETTLE = 3.0  # seconds at the beginning that are not counted: users connect
SWAPS = 3
IDLE = 12.0  # seconds; a load of 7,000 solutions under load takes some 8
AIMS = {95: 50, 99: 100}  # ms, at RATE with short messages
PAPER = {"p95": 0.885, "p99": 1.168}  # seconds; response prediction, table 6: retrieval and a hosted model
WORKERS = 2  # one for each of the two cores, each with one thread of the encoder, as serve has it


@dataclass(frozen=True)
class Measured:
    """What the users measured: when each request was due, its seconds from then, its status."""

    due: Any
    seconds: Any
    statuses: Any
    failures: dict[str, int]
    load: float

    def percentile(self, percent: float, *, between: tuple[float, float] = (SETTLE, float("inf"))) -> float:
        """Return milliseconds of the requests that were due between two moments."""
        kept = (self.due >= between[0]) & (self.due <= between[1])
        return float(np.percentile(self.seconds[kept], percent)) * 1000

    @property
    def errors(self) -> int:
        """How many were not answered with 200, those that had no answer included."""
        return int((self.statuses != 200).sum())


def run(options: argparse.Namespace) -> Result:
    """Serve and measure; the quick form takes some seconds each."""
    seconds = 10 if options.quick else SECONDS
    found: list[Figure] = []
    detail: dict[str, Any] = {"paper, through a model": PAPER}
    with folder() as place:
        make_workspace(place)
        with served(place / "kb", "--workers", str(WORKERS)) as service:
            found.append(Figure("ready", service.ready_seconds, "s"))
            wait_until_idle(service)
            short = use(service, RATE, seconds, SHORT)
            found += list(figures(f"{RATE}_a_second.{SHORT}_words", short, AIMS))
            found += list(figures(f"{LONG_RATE}_a_second.{LONG}_words", use(service, LONG_RATE, seconds, LONG)))
            found += list(swaps(place / "kb", service, seconds))
            found += list(how_far(service, min(20, seconds), detail))
            with building(place / "kb", place / "build.log") as builds:
                time.sleep(2.0)
                rebuilt = use(service, RATE, seconds, SHORT)
                found.append(Figure("rebuild.still_at_work_at_the_end", float(builds()), ""))
            found += list(figures(f"rebuild.{RATE}_a_second.{SHORT}_words", rebuilt))
            found.append(Figure("memory", resident(service), "MiB"))
    return Result("service_load", found, detail)


def make_workspace(place: Path) -> None:
    """Make ``place/kb``, or copy one that was made before."""
    if made := os.environ.get("AUTOKB_SERVED_7000"):
        shutil.copytree(made, place / "kb")
    else:
        import_workspace(place, SIZE)


def figures(name: str, measured: Measured, aims: dict[int, int] | None = None) -> Iterator[Figure]:
    """Yield the latencies and errors of a run."""
    yield Figure(f"{name}.requests", float(len(measured.due)), "")
    for percent in (50, 95, 99, 100):
        yield Figure(f"{name}.p{percent}", measured.percentile(percent), "ms", at_most=(aims or {}).get(percent))
    yield Figure(f"{name}.errors", float(measured.errors), "", at_most=0)
    yield Figure(f"{name}.load_average", measured.load, "")


def use(service: Served, rate: float, seconds: float, words: int, key: str = "") -> Measured:
    """Send messages of so many words at a rate."""
    wanted = ("--rate", str(rate), "--seconds", str(seconds), "--words", str(words), "--key", key)
    command = [sys.executable, "-m", "benchmarks.service_users", service.url, *wanted]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"The users failed: {ran.stderr[-2000:]}")
    told = json.loads(ran.stdout)
    due, took, statuses = np.array(told["measured"]).T
    return Measured(due, took, statuses, told["failures"], told["load_average"])


def how_far(service: Served, seconds: float, detail: dict[str, Any]) -> Iterator[Figure]:
    """Yield the highest rate at which p95 stays below FAR and nothing fails."""
    reached, steps = 0.0, {}
    for rate in STEPS:
        measured = use(service, rate, seconds, SHORT)
        steps[str(rate)] = {"p95": round(measured.percentile(95), 1), "errors": measured.errors, "load": measured.load}
        if measured.percentile(95) > FAR or measured.errors:
            break
        reached = float(rate)
        wait_until_idle(service)
    detail["steps"] = steps
    yield Figure(f"p95_below_{FAR:.0f}_ms_up_to", reached, "requests/s")
    wait_until_idle(service)


def swaps(workspace: Path, service: Served, seconds: float) -> Iterator[Figure]:
    """Hide a solution and show it again under load, each of which is loaded as a new build is; yield p99 meanwhile."""
    kb = SupportKB.open(workspace)
    solution = kb.views.solutions(1).items[0].id
    started = time.perf_counter()
    done: list[float] = []

    def publish() -> None:
        for number in range(SWAPS):
            time.sleep(seconds / (SWAPS + 1))
            kb.curation.hide([solution], undo=bool(number % 2))
            done.append(time.perf_counter() - started)

    publishing = threading.Thread(target=publish)
    publishing.start()
    measured = use(service, RATE, seconds, SHORT)
    publishing.join()
    yield from figures(f"new_builds.{RATE}_a_second.{SHORT}_words", measured)
    wait_until_idle(service)


@contextmanager
def building(workspace: Path, log: Path) -> Iterator[Callable[[], bool]]:
    """Build in another process meanwhile; gives whether it is still at work. It is ended with the block."""
    command = [sys.executable, "-m", "autokb", "build", str(workspace), "--rethink", "--yes", "--json"]
    with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            yield lambda: process.poll() is None
            if process.poll() not in (None, 0):
                raise SystemExit(f"The build failed: {log.read_text()[-2000:]}")
        finally:
            process.kill()


def wait_until_idle(service: Served) -> None:
    """Wait until the service has computed nothing for a while, so that what it still has to load is not measured.

    After a load it rests as long as that took before it looks for the next, so one idle second says nothing.
    """
    idle = 0.0
    while idle < IDLE:
        before = _processor_seconds(service)
        time.sleep(1.0)
        idle = idle + 1.0 if _processor_seconds(service) - before < 0.1 else 0.0


def _processes(service: Served) -> list[psutil.Process]:
    first = psutil.Process(service.process.pid)
    return [first, *first.children(recursive=True)]


def _processor_seconds(service: Served) -> float:
    return float(sum(sum(one.cpu_times()[:2]) for one in _processes(service)))


def resident(service: Served) -> float:
    """Return the resident memory of all processes in MiB."""
    return float(sum(one.memory_info().rss for one in _processes(service))) / (1 << 20)
