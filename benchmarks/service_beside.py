"""The service of this checkout beside that of another one, in turns: ready, decisions, many workspaces, one command.

``python -m benchmarks.service_beside FOLDER [--turns N] [--solutions N]``: FOLDER is a clone at the commit to compare
with. Both run by this interpreter and its packages. While a decision of a person, then a publication, is loaded,
``/v1/ready`` is asked fifty times a second; a decision is live when the next question is answered by it. Of each figure
the medians of all turns are printed, and the worst.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import numpy as np
import psutil

from autokb.app import SupportKB
from autokb.core.ids import canonical_json
from autokb.pipeline.steps.publish import KINDS
from benchmarks.ask import import_workspace
from benchmarks.running import folder
from benchmarks.served import Served, served
from benchmarks.two_checkouts import program

SOLUTIONS, COPIES = 3_000, 60
SECONDS, PAUSE = 120.0, 0.02  # that a request may take; between two looks whether it is ready
SETTLE = 12.0  # in which what is loaded at the start is done
REQUESTS, COMMANDS = 6, 5
FROM_OUTSIDE = {"forwarded": "for=203.0.113.7"}
WRONG = {**FROM_OUTSIDE, "authorization": "Bearer akb_wrong"}


def main() -> None:
    """Measure in turns, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--solutions", type=int, default=SOLUTIONS)
    options = parser.parse_args()
    sources = {"other": options.other.resolve() / "src", "this": Path(__file__).resolve().parents[1] / "src"}
    found: dict[str, dict[str, list[float]]] = {name: {} for name in sources}
    with folder() as place:
        import_workspace(place, options.solutions)
        for number in range(COPIES):
            small = SupportKB.create(place / "many" / f"kb-{number:02}", "headphones")
            small.keys.create("reader")
            small.close()
        for turn in range(options.turns):
            for name in [*sources][:: -1 if turn % 2 else 1]:
                with program(sources[name]):
                    for figure, value in _measure(place):
                        found[name].setdefault(figure, []).append(value)
    for figure in found["this"]:
        told = "  ".join(
            f"{name} {statistics.median(found[name][figure]):9.3f} (most {max(found[name][figure]):.3f})"
            for name in sources
        )
        print(f"{figure:34} {told}")


def _measure(place: Path) -> Iterator[tuple[str, float]]:
    shutil.rmtree(place / "served", ignore_errors=True)
    shutil.copytree(place / "kb", place / "served")
    with (
        served(place / "served", "--rate", "0") as service,
        httpx2.Client(base_url=service.url, timeout=SECONDS) as client,
    ):
        yield "first ready s", service.ready_seconds
        time.sleep(SETTLE)
        answered = _find_answered(client)
        yield from _decisions(client, service, *answered)
        yield from _publication(place / "served", client, service, *answered)
    with served(place / "many") as service, httpx2.Client(base_url=service.url, timeout=SECONDS) as client:
        for name, headers in (("no key", FROM_OUTSIDE), ("a wrong key", WRONG)):
            took = [_took(lambda headers=headers: client.get("/v1/health", headers=headers)) for _ in range(REQUESTS)]
            yield f"{COPIES} workspaces, health, {name} ms", 1000 * statistics.median(took)
    for _ in range(COMMANDS):
        yield (
            "autokb show, processor s",
            _processor_seconds([sys.executable, "-m", "autokb", "show", str(place / "many" / "kb-00")]),
        )


def _find_answered(client: httpx2.Client) -> tuple[str, str]:
    """Return the text of a node that a solution of it answers, and the solution's id."""
    asked = [one["text"] for one in client.get("/v1/issues", params={"limit": 50}).json()["items"]]
    answers = ((text, client.post("/v1/ask", json={"text": text}).json()["matches"]) for text in asked)
    return next((text, found[0]["solutions"][0]["id"]) for text, found in answers if found)


def _decisions(client: httpx2.Client, service: Served, text: str, solution: str) -> Iterator[tuple[str, float]]:
    """Hide what a question is answered by, and take that back."""

    def shown() -> bool:
        return f'"{solution}"' in client.post("/v1/ask", json={"text": text}).text

    for verb in ("hide", "undo"):
        before, started = _used(service), time.perf_counter()
        with _ready_meanwhile(service) as took:
            client.post(f"/v1/solutions/{solution}/{verb}").raise_for_status()
            while shown() != (verb == "undo"):
                time.sleep(0.05)
            live = time.perf_counter() - started
            time.sleep(min(SETTLE, 2 * live))
        yield "a decision is live s", live
        yield "a decision, processor s", _used(service) - before
        yield from _of("ready while it is loaded", took)


def _publication(
    workspace: Path, client: httpx2.Client, service: Served, text: str, solution: str
) -> Iterator[tuple[str, float]]:
    """Publish another text for one solution, as a build does."""
    kb = SupportKB.open(workspace)
    with kb.workspace.file() as file:
        records = {(kind, i): body for kind, i, body in file.lines() if kind in KINDS}
        body = dict(file.record("solution", solution) or {}, text="Polish the copper tongues.", steps=[])
        records["solution", solution] = canonical_json(body)
        started = time.perf_counter()
        with _ready_meanwhile(service) as took:
            with file.transaction():
                file.publish(records, KINDS)
            while "copper tongues" not in client.post("/v1/ask", json={"text": text}).text:
                time.sleep(0.1)
            live = time.perf_counter() - started
    yield "a publication is live s", live
    yield from _of("ready while a publication is", took)
    kb.close()


def _of(name: str, took: list[float]) -> Iterator[tuple[str, float]]:
    yield f"{name}, p50 ms", 1000 * float(np.percentile(took, 50))
    yield f"{name}, p95 ms", 1000 * float(np.percentile(took, 95))
    yield f"{name}, most ms", 1000 * max(took)


@contextmanager
def _ready_meanwhile(service: Served) -> Iterator[list[float]]:
    """Ask whether it is ready all the time; gives the seconds that each answer took, at the end of the block."""
    took: list[float] = []
    is_over = threading.Event()

    def ask() -> None:
        with httpx2.Client(base_url=service.url, timeout=SECONDS) as client:
            while not is_over.wait(PAUSE):
                took.append(_took(lambda: client.get("/v1/ready").raise_for_status()))

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield took
    finally:
        is_over.set()
        thread.join()


def _took(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _used(service: Served) -> float:
    return float(sum(psutil.Process(service.process.pid).cpu_times()[:2]))


def _processor_seconds(command: list[str]) -> float:
    """Return the processor seconds of a command, those of the system for it included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    main()
