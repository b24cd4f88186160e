"""``autokb serve`` in a process of its own, for tests."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from autokb.stores.workspace import Workspace

SECONDS = 60  # that anything here may take before it is given up


class Serving(subprocess.Popen[str]):
    """A running service whose log goes to a file: a pipe that nobody reads fills up and holds it."""

    log: IO[str]


@contextmanager
def served(
    workspace: Workspace | Path, *words: str, command: str = "serve"
) -> Iterator[tuple[Serving, dict[str, Any]]]:
    """Give a running service and what it said of itself; it is ended by its process."""
    folder = workspace if isinstance(workspace, Path) else workspace.folder
    run = [sys.executable, "-m", "autokb", command, str(folder), "--port", "0", "--json", *words]
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as log,
        Serving(run, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        process.log = log
        try:
            assert process.stdout is not None
            yield process, json.loads(process.stdout.readline() or "{}")
        finally:
            process.kill()


def stopped(process: Serving, by: signal.Signals = signal.SIGTERM) -> tuple[int, list[dict[str, Any]]]:
    """Stop a service; returns its exit status and its log."""
    process.send_signal(by)
    out, _ = process.communicate(timeout=SECONDS)
    assert out == ""
    process.log.seek(0)
    return process.returncode, [json.loads(line) for line in process.log]


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so; what is published is loaded beside, which takes a moment."""
    end = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)
