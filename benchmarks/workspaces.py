"""Many workspaces in one service: its memory with 1, 5 and 20 of them open, and how long a question takes.

``python -m benchmarks.workspaces``: twenty copies of the headphones' knowledge base, served by one process over HTTP,
first with room for all, then with room for five. A question is hot where its workspace is open, cold where it is the
first one to it. Copies share no memory but the encoder's and the word lists', as other workspaces would.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import httpx2
import psutil

from autokb.app import SupportKB
from benchmarks.served import served

COPIES, ROOM = 20, 5
QUESTIONS = (
    "my earbuds do not pair with my iPhone",
    "the left earbud is silent",
    "how do I reset the headphones",
    "the battery drains overnight",
)
TURNS = 200  # questions to open workspaces
SETTLE_SECONDS = 2.0  # in which what was asked first is warmed, and what there is no room for is closed
SECONDS = 60.0  # that a question may take
MIB = 1 << 20


def main() -> None:
    """Build, serve twice, and print."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as work:
        first = Path(work) / "first"
        kb = SupportKB.create(first, "headphones", examples=True)
        kb.build()
        kb.close()
        folder = Path(work) / "many"
        names = [f"kb-{number:02}" for number in range(1, COPIES + 1)]
        for name in names:
            shutil.copytree(first, folder / name)
        room = _with_room_for_all(folder, names)
        _with_room_for_five(folder, names, room)


def _with_room_for_all(folder: Path, names: list[str]) -> int:
    """Open one after the other; returns the bytes of the process with five open."""
    room = 0
    with served(folder) as service, httpx2.Client(base_url=service.url, timeout=SECONDS) as client:
        process = psutil.Process(service.process.pid)
        print(f"0 open: {process.memory_info().rss / MIB:.0f} MiB")
        cold = []
        for count, name in enumerate(names, 1):
            cold.append(_ask(client, name))
            if count in (1, ROOM, COPIES):
                time.sleep(SETTLE_SECONDS)
                used = process.memory_info().rss
                room = used if count == ROOM else room
                print(f"{count} open: {used / MIB:.0f} MiB")
        print(f"first question of the process: {cold[0]:.0f} ms; of another workspace, median: {_median(cold[1:])} ms")
        print(f"hot, {COPIES} open: median {_median(_some(client, names))} ms")
    return room


def _with_room_for_five(folder: Path, names: list[str], room: int) -> None:
    memory = ("--memory", f"{room // 1024}K")
    with served(folder, *memory) as service, httpx2.Client(base_url=service.url, timeout=SECONDS) as client:
        process = psutil.Process(service.process.pid)
        for name in names:
            _ask(client, name)
        time.sleep(SETTLE_SECONDS)
        print(f"{COPIES} asked, room for {ROOM} ({room / MIB:.0f} MiB): {process.memory_info().rss / MIB:.0f} MiB")
        print(f"hot, two of them: median {_median(_some(client, names[-2:]))} ms")
        cold = [_ask(client, name) for name in names[: COPIES - ROOM]]
        print(f"closed before, first question again: median {_median(cold)} ms, most {max(cold):.0f} ms")
        print(f"at the end: {process.memory_info().rss / MIB:.0f} MiB")


def _some(client: httpx2.Client, names: list[str]) -> list[float]:
    chance = random.Random(1)
    return [_ask(client, chance.choice(names)) for _ in range(TURNS)]


def _ask(client: httpx2.Client, name: str) -> float:
    """Ask a workspace something; returns milliseconds."""
    question = random.choice(QUESTIONS)
    started = time.perf_counter()
    client.post(f"/w/{name}/v1/ask", json={"text": question}).raise_for_status()
    return (time.perf_counter() - started) * 1000


def _median(found: list[float]) -> str:
    return f"{statistics.median(found):.0f}"


if __name__ == "__main__":
    main()
