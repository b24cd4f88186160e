"""Runs ``autokb serve`` in processes of its own for the length of a block."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2

MOST_SECONDS = 120.0  # until it is ready, and until it has stopped


@dataclass(frozen=True)
class Served:
    """A running service: its process (whose group its workers are of), its address, and when it was ready."""

    process: subprocess.Popen[str]
    url: str
    ready_seconds: float

    def kill(self) -> None:
        """Kill it and its workers at once, as kill -9 does."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(MOST_SECONDS)


@contextmanager
def served(workspace: Path, *words: str, key: str = "", port: int = 0) -> Iterator[Served]:
    """Give a service that is ready; what it logs is left out."""
    command = [sys.executable, "-m", "autokb", "serve", str(workspace), "--port", str(port), "--json", *words]
    started = time.perf_counter()
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True) as process,
    ):
        try:
            assert process.stdout is not None
            url = json.loads(process.stdout.readline() or "{}").get("url")
            if url is None:
                log.seek(0)
                raise SystemExit(f"The service did not start: {log.read().decode()[-2000:]}")
            wait_until_ready(url, key, process)
            yield Served(process, url, time.perf_counter() - started)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(MOST_SECONDS)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def wait_until_ready(url: str, key: str, process: subprocess.Popen[str]) -> None:
    """Ask ``/v1/ready`` until it says so."""
    headers = {"authorization": f"Bearer {key}"} if key else {}
    end = time.monotonic() + MOST_SECONDS
    while time.monotonic() < end and process.poll() is None:
        with suppress(httpx2.TransportError):
            if httpx2.get(f"{url}/v1/ready", headers=headers, timeout=MOST_SECONDS).status_code == 200:
                return
        time.sleep(0.01)
    raise SystemExit("The service did not become ready.")
