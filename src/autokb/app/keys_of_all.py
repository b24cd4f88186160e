"""The keys of many workspaces in memory, so that a key's workspaces are found without opening any."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from autokb.app.api_keys import hash_of
from autokb.app.held_keys import HELD_SECONDS
from autokb.app.workspaces import WorkspacePlaces
from autokb.core.api_keys import ApiKey
from autokb.core.errors import AutokbError
from autokb.stores.api_keys import read_keys_by_hash
from autokb.stores.workspace import DOMAIN_FILE, KNOWLEDGE_FILE, SETTINGS_FILE, Workspace, open_workspace

SAME_MOMENT = 100_000_000  # nanoseconds: a file that changed so lately may change again and keep its time
Stamp = tuple[tuple[int, int, int] | None, ...]


@dataclass
class _Known:
    """What was read of one workspace: None while it cannot be opened, or its keys cannot be read."""

    workspace: Workspace | None = None
    by_hash: Mapping[str, ApiKey] | None = None
    settings: Stamp = ()  # of the files that were read
    stored: Stamp = ()
    read_at: float = 0.0  # seconds of a clock that only goes on


class KeysOfAll:
    """Which keys count in which workspaces (thread-safe).

    A file of keys is read when it is first seen and again when it has changed, however many ask. Nobody waits for a
    server that keeps a workspace: its keys are those that ``read_servers`` read last, for 15 minutes at most. A
    workspace that cannot be opened has nothing for anybody.
    """

    def __init__(self, places: WorkspacePlaces) -> None:
        self._places = places
        self._known: dict[str, _Known] = {}
        self._reading = Lock()

    def find(self, secret: str) -> dict[str, ApiKey]:
        """Return the key that was shown, by the names of the workspaces in which it counts."""
        shown = hash_of(secret)
        found = ((name, known.by_hash.get(shown)) for name, known in self._read().items() if known.by_hash)
        return {name: key for name, key in found if key is not None and key.revoked is None}

    def without(self) -> list[str]:
        """Return the names of the workspaces for which no key was ever made."""
        return [name for name, known in self._read().items() if known.by_hash is not None and not known.by_hash]

    def read_servers(self, opened: Container[str] = ()) -> None:
        """Read the keys that servers keep; who serves calls this every second or so, where it may take its time.

        Connections are kept to the servers of workspaces that are ``opened`` alone.
        """
        for name, known in self._read().items():
            if known.workspace is not None and known.workspace.is_on_server:
                known.workspace.store.answer_or_fail()
                _read_keys(known, known.workspace)
                if name not in opened:
                    known.workspace.let_go()

    def _read(self) -> dict[str, _Known]:
        """Return what is known of all workspaces, in the order of their names, after what has changed was read."""
        with self._reading:
            places = {name: self._places.place(name) for name in self._places.names()}
            self._known = {name: self._known.get(name) or _Known() for name in places}
            for name, place in places.items():
                if place is not None:
                    _look(self._known[name], place)
            return self._known


def _look(known: _Known, place: Path) -> None:
    """Read what has changed of one workspace."""
    settings = _stamp(place, (DOMAIN_FILE, SETTINGS_FILE))
    if settings != known.settings:
        known.workspace, known.by_hash, known.settings, known.stored = None, None, settings, ()
        with suppress(AutokbError, OSError):
            known.workspace = open_workspace(place)
    if known.workspace is None or known.workspace.is_on_server:
        return
    stored, now = _stamp(place, (KNOWLEDGE_FILE, f"{KNOWLEDGE_FILE}-wal")), time.time_ns()
    if stored != known.stored:
        _read_keys(known, known.workspace)
        is_settled = all(one is None or one[1] < now - SAME_MOMENT for one in stored)
        known.stored = stored if is_settled else ()


def _read_keys(known: _Known, workspace: Workspace) -> None:
    try:
        with workspace.file() as file:
            known.by_hash, known.read_at = read_keys_by_hash(file), time.monotonic()
    except (AutokbError, OSError):
        if not workspace.is_on_server or time.monotonic() - known.read_at > HELD_SECONDS:
            known.by_hash = None


def _stamp(folder: Path, names: Iterable[str]) -> Stamp:
    """Return what changes when one of these files is written, or another is put in its place."""
    found: list[tuple[int, int, int] | None] = []
    for name in names:
        try:
            stat = (folder / name).stat()
            found.append((stat.st_ino, stat.st_mtime_ns, stat.st_size))
        except OSError:
            found.append(None)
    return tuple(found)
