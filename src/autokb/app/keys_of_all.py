"""The keys of many workspaces in memory, so that a key's workspaces are found without opening any."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from autokb.app.held_keys import HeldKeys
from autokb.app.workspaces import WorkspacePlaces
from autokb.core.api_keys import ApiKey
from autokb.core.errors import AutokbError
from autokb.core.settings import Settings
from autokb.stores.workspace import DOMAIN_FILE, KNOWLEDGE_FILE, SETTINGS_FILE, Workspace, open_workspace

SAME_MOMENT = 100_000_000  # nanoseconds: a file that changed so lately may change again and keep its time
Stamp = tuple[tuple[int, int, int] | None, ...]


@dataclass
class _Known:
    """What was read of one workspace: None while it cannot be opened, or its keys cannot be read."""

    workspace: Workspace | None = None
    keys: HeldKeys | None = None
    settings: Stamp = ()  # of the files that were read
    stored: Stamp = ()
    reading: Lock = field(default_factory=Lock)  # so that who reads one slowly holds up no other


class KeysOfAll:
    """Which keys count in which workspaces (thread-safe).

    A file of keys is read when it is first seen and again when it has changed, however many ask. The keys of a
    workspace on a server are those that ``read_servers`` read last, for 15 minutes at most. A workspace that cannot be
    opened has nothing for anybody; ``failures`` has the reason by its name.
    """

    def __init__(self, places: WorkspacePlaces) -> None:
        self._places = places
        self._known: dict[str, _Known] = {}
        self.failures: dict[str, Exception] = {}

    def find(self, secret: str) -> dict[str, ApiKey]:
        """Return the key that was shown, by the names of the workspaces in which it counts."""
        found = ((name, known.keys.find(secret)) for name, known in self._read().items() if known.keys is not None)
        return {name: key for name, key in found if key is not None}

    def without(self) -> list[str]:
        """Return the names of the workspaces for which no key was ever made."""
        held = ((name, known.keys) for name, known in self._read().items())
        return [name for name, keys in held if keys is not None and not keys.are_needed()]

    def of(self, name: str) -> HeldKeys | None:
        """Return the keys of one workspace, None where it cannot be opened or there is none of the name.

        Of a server that was not read yet they are read now.
        """
        known = self._look_at(name)
        if known.workspace is not None and known.workspace.is_on_server and known.keys is None:
            self._read_keys(name, known, known.workspace)
        return known.keys

    def settings_of(self, name: str) -> Settings | None:
        """Return the settings of one workspace, None where it cannot be opened or there is none of the name."""
        workspace = self._look_at(name).workspace
        return None if workspace is None else workspace.settings

    def read_servers(self, opened: Container[str] = ()) -> None:
        """Read the keys that servers keep; who serves calls this every second or so, where it may take its time.

        Connections are kept to the servers of workspaces that are ``opened`` alone.
        """
        for name, known in self._read().items():
            if known.workspace is not None and known.workspace.is_on_server:
                self._read_keys(name, known, known.workspace)
                if name not in opened:
                    known.workspace.let_go()

    def _read(self) -> dict[str, _Known]:
        """Return what is known of all workspaces, in the order of their names, after what has changed was read."""
        self._known = {name: self._look_at(name) for name in self._places.names()}
        return self._known

    def _look_at(self, name: str) -> _Known:
        """Return what is known of one workspace, after what has changed was read; nothing where it is none."""
        place = self._places.place(name)
        if place is None:
            self.failures.pop(name, None)
            return _Known()
        known = self._known.setdefault(name, _Known())
        with known.reading:
            self._read_changes(name, known, place)
        return known

    def _read_changes(self, name: str, known: _Known, place: Path) -> None:
        settings = _stamp(place, (DOMAIN_FILE, SETTINGS_FILE))
        if settings != known.settings:
            known.workspace, known.keys, known.settings, known.stored = None, None, settings, ()
            try:
                known.workspace = open_workspace(place)
            except (AutokbError, OSError) as error:
                self.failures[name] = error
        if known.workspace is None or known.workspace.is_on_server:
            return
        stored, now = _stamp(place, (KNOWLEDGE_FILE, f"{KNOWLEDGE_FILE}-wal")), time.time_ns()
        if stored != known.stored:
            self._read_keys(name, known, known.workspace)
            is_settled = all(one is None or one[1] < now - SAME_MOMENT for one in stored)
            known.stored = stored if is_settled else ()

    def _read_keys(self, name: str, known: _Known, workspace: Workspace) -> None:
        keys = known.keys or HeldKeys()
        try:
            if workspace.is_on_server:
                workspace.store.answer_or_fail()
            keys.read(workspace)
        except (AutokbError, OSError) as error:
            self.failures[name] = error
            known.keys = keys if workspace.is_on_server and keys.count_still else None
        else:
            self.failures.pop(name, None)
            known.keys = keys


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
