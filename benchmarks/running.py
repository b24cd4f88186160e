"""Runs the real command line in a process of its own and measures its time and the memory of all its processes."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

LOOK_EVERY = 0.05  # seconds between two looks at the memory
MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Ran:
    """One command: its answer, its seconds and the most memory its processes held at once (MiB, resident)."""

    answer: dict[str, Any]
    seconds: float
    megabytes: float


def autokb(*words: str | Path, without: str = "") -> Ran:
    """Run one command with ``--json``; a command that fails ends the benchmark with what it said.

    ``without`` names a module that the command shall not find, as where an extra is not installed.
    """
    start = ["-m", "autokb.cli"]
    if without:
        start = ["-c", f"import sys; sys.modules[{without!r}] = None; from autokb.cli import entry; entry()"]
    command = [sys.executable, *start, *map(str, words), "--json"]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        peak = _watch(process)
        seconds = time.perf_counter() - started
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            said = err.read().decode(errors="replace").strip()[-2000:]
            raise SystemExit(f"autokb {words[0]} ended with {process.returncode}: {said}")
        return Ran(json.loads(out.read()), seconds, peak / MEGABYTE)


def _watch(process: subprocess.Popen[bytes]) -> int:
    peak = 0
    watched = psutil.Process(process.pid)
    while process.poll() is None:
        peak = max(peak, _resident(watched))
        try:
            process.wait(LOOK_EVERY)
        except subprocess.TimeoutExpired:
            continue
    return peak


def _resident(process: psutil.Process) -> int:
    total = 0
    try:
        for one in (process, *process.children(recursive=True)):
            total += one.memory_info().rss
    except psutil.Error:
        return total  # it ended while we looked
    return total


@contextmanager
def folder() -> Iterator[Path]:
    """Give a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="autokb-bench-") as name:
        yield Path(name)


def write_jsonl(path: Path, records: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> Path:
    """Write one record a line."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return path
