"""Many workspaces in one process: the hot ones stay open, the others open at their first question."""

from __future__ import annotations

import gc
import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Protocol

from autokb.app.process_memory import give_back_memory, resident_bytes
from autokb.app.support_kb import SupportKB
from autokb.core.errors import AutokbError, BadInputError, UnknownIdError
from autokb.core.settings import Settings
from autokb.stores.workspace import DOMAIN_FILE, KNOWLEDGE_FILE, SETTINGS_FILE, settings_from

NAME_CHARACTERS = 64
# A name stands in addresses, in logs and in a folder: no dots alone, no space, nothing that is written in two ways.
NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{NAME_CHARACTERS - 1}}}")
CANDIDATE = "candidate"
BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class WorkspacePlaces(Protocol):
    """Where workspaces are kept: a folder of them, or anything else that has names."""

    def names(self) -> list[str]:
        """Return the names of all workspaces, sorted."""
        ...

    def place(self, name: str) -> Path | None:
        """Return what ``SupportKB.open`` takes; None where there is no workspace of the name."""
        ...


@dataclass(frozen=True, slots=True)
class FolderOfWorkspaces:
    """Workspaces that lie side by side in a folder; one that is added later is there at once."""

    folder: Path

    def names(self) -> list[str]:
        """Return the names of the sub-folders that are workspaces and whose names can stand in an address."""
        return sorted(one.name for one in self._workspaces() if NAME.fullmatch(one.name))

    def unserved(self) -> list[str]:
        """Return the names of workspaces that cannot stand in an address, sorted."""
        return sorted(one.name for one in self._workspaces() if not NAME.fullmatch(one.name))

    def place(self, name: str) -> Path | None:
        """Return the folder of a workspace; a name that could lead out of here is never looked for."""
        if not NAME.fullmatch(name):
            return None
        folder = self.folder / name
        return folder if is_workspace(folder) else None

    def _workspaces(self) -> Iterator[Path]:
        return (one for one in self.folder.iterdir() if is_workspace(one))


ONLY = ""  # the name of a workspace that is served alone


@dataclass(frozen=True, slots=True)
class OnlyWorkspace:
    """A folder that is a workspace, as a folder of one; whether it is one is seen when it is opened."""

    folder: Path

    def names(self) -> list[str]:
        """Return the name of the only one."""
        return [ONLY]

    def place(self, name: str) -> Path | None:
        """Return its folder."""
        return self.folder if name == ONLY else None


def is_workspace(folder: Path) -> bool:
    """Return whether a folder is a workspace, be it a damaged one: whether it can be opened is not asked."""
    try:
        return any((folder / name).exists() for name in (DOMAIN_FILE, KNOWLEDGE_FILE))
    except OSError:  # a folder that may not be looked into is nobody's to serve
        return False


def holds_workspaces(folder: Path) -> bool:
    """Return whether a folder is no workspace itself and has some in it."""
    if is_workspace(folder) or not folder.is_dir():
        return False
    found = FolderOfWorkspaces(folder)
    return bool(found.names() or found.unserved())


def read_size(text: str) -> int:
    """Read a size such as 700M or 1.5G as bytes (BadInputError)."""
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)([KMG]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    size = int(float(found[1]) * BYTES[found[2].upper()]) if found else 0
    if not size:
        raise BadInputError(f"A size is a number with K, M or G, such as 700M, not {text[:40]!r}.")
    return size


class OpenedWorkspace:
    """A workspace that is open, and how many use it; its ``Workspaces`` closes it when nobody does."""

    def __init__(self, name: str, folder: Path, kb: SupportKB) -> None:
        self.name, self.folder, self.kb = name, folder, kb
        self.users = 0  # under the lock of its Workspaces, as is_closed
        self.is_closed = False
        self._candidate: SupportKB | None = None
        self._opening = Lock()

    def candidate(self) -> SupportKB:
        """Return what answers and shows the candidate (BadInputError where there is none); it stays open."""
        with self._opening:
            if self._candidate is None:
                self._candidate = SupportKB.open(self.folder, shows=CANDIDATE)
            return self._candidate

    def close(self) -> None:
        """Close it, whoever uses it."""
        self.is_closed = True
        self.kb.close()
        with self._opening:
            if self._candidate is not None:
                self._candidate.close()
            self._candidate = None


class Workspaces:
    """The workspaces of a service (thread-safe).

    ``memory`` is how many bytes of memory the process may have, as the system counts them, 0 for any number: above it
    the workspace that was used longest ago is closed, then the next, but never one that is in use, and never the one
    that was used last. ``tend`` looks after that; who serves calls it several times a second.
    """

    def __init__(self, places: WorkspacePlaces, *, memory: int = 0, keep_log: bool = False) -> None:
        if memory and not resident_bytes():
            raise BadInputError("This system does not tell how much memory a process has; leave --memory out.")
        self.places = places
        self.memory = memory
        self._keep_log = keep_log
        self._opened: OrderedDict[str, OpenedWorkspace] = OrderedDict()  # the one used last is the last
        self._lock = Lock()  # held for microseconds: never while something is opened or closed
        self._opening: dict[str, Lock] = {}  # by name, so that one that opens slowly holds up no other
        self._tending = Lock()

    @property
    def opened(self) -> Sequence[OpenedWorkspace]:
        """Those that are open, the one used longest ago first."""
        with self._lock:
            return tuple(self._opened.values())

    def settings(self) -> dict[str, Settings]:
        """Return the settings of those that have some by their names; what cannot be read is none of them."""
        found = {}
        for name in self.places.names():
            with suppress(AutokbError, OSError):
                place = self.places.place(name)
                settings = None if place is None else place / SETTINGS_FILE
                if settings is not None and settings.exists():
                    found[name] = settings_from(settings)
        return found

    def take_open(self, name: str) -> OpenedWorkspace | None:
        """Return a workspace for use where it is open, without waiting; ``let_go`` it after that."""
        with self._lock:
            found = self._opened.get(name)
            if found is not None:
                found.users += 1
                self._opened.move_to_end(name)
            return found

    def take(self, name: str) -> OpenedWorkspace:
        """Return a workspace for use, opened where it is not; ``let_go`` it after that.

        UnknownIdError where there is none of the name, AutokbError where it cannot be opened.
        """
        place = self.places.place(name)
        if place is None:
            raise UnknownIdError(f"There is no workspace {name[:NAME_CHARACTERS]!r} here.")
        if (found := self.take_open(name)) is not None:
            return found
        with self._lock:
            opening = self._opening.setdefault(name, Lock())
        with opening:
            if (found := self.take_open(name)) is not None:  # who held the lock before has opened it
                return found
            self.tend()
            opened = OpenedWorkspace(name, place, SupportKB.open(place, keep_log=self._keep_log))
            opened.users = 1
            with self._lock:
                self._opened[name] = opened
            return opened

    def let_go(self, opened: OpenedWorkspace) -> None:
        """End a use that ``take`` began."""
        with self._lock:
            opened.users -= 1
            is_last = opened.is_closed and not opened.users
        if is_last:  # it was taken out of the folder while it was in use
            opened.close()

    @contextmanager
    def use(self, name: str) -> Iterator[OpenedWorkspace]:
        """Give a workspace for the length of a block, as ``take`` does."""
        opened = self.take(name)
        try:
            yield opened
        finally:
            self.let_go(opened)
            self.tend()

    @contextmanager
    def held(self, opened: OpenedWorkspace) -> Iterator[bool]:
        """Keep an open workspace open for the length of a block; gives False where it is closed already."""
        with self._lock:
            is_open = not opened.is_closed
            opened.users += is_open
        try:
            yield is_open
        finally:
            if is_open:
                self.let_go(opened)

    def tend(self) -> int:
        """Close what is gone, and what was used longest ago while the process has more memory than it may.

        Returns how many were closed for memory.
        """
        for one in self.opened:
            if self.places.place(one.name) is None:
                self._forget(one.name)
        if not self.memory or not self._tending.acquire(blocking=False):
            return 0
        closed = 0
        try:
            while resident_bytes() > self.memory and (idle := self._take_out_idle()) is not None:
                idle.close()
                del idle  # before the memory is measured again
                gc.collect()
                give_back_memory()
                closed += 1
        finally:
            self._tending.release()
        return closed

    def close(self) -> None:
        """Close all, whoever uses them."""
        with self._lock:
            opened = list(self._opened.values())
            self._opened.clear()
            for one in opened:
                one.is_closed = True
        for one in opened:
            one.close()

    def _take_out_idle(self) -> OpenedWorkspace | None:
        """Take out what was used longest ago and is in no use now; the one used last stays."""
        with self._lock:
            for one in list(self._opened.values())[:-1]:
                if not one.users:
                    one.is_closed = True
                    return self._opened.pop(one.name)
        return None

    def _forget(self, name: str) -> None:
        """Close a workspace that is no more, when nobody uses it any longer."""
        with self._lock:
            gone = self._opened.pop(name, None)
            self._opening.pop(name, None)
            if gone is None:
                return
            gone.is_closed = True
            is_idle = not gone.users
        if is_idle:
            gone.close()
