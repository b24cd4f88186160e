"""Files that only their owner can read, whatever the umask: they hold customers' texts and what was paid for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any

PRIVATE = 0o600  # read and written by the owner alone


def make_private(path: Path) -> None:
    """Make an empty private file for a library that opens it by its name; one that is there stays as it is."""
    os.close(_open(path, os.O_WRONLY | os.O_CREAT))


def open_private(path: Path, mode: str = "w", encoding: str | None = None, newline: str | None = None) -> IO[Any]:
    """Open a file as ``open`` does; one that this makes is private, one that is there keeps its permissions."""
    return open(path, mode, encoding=encoding, newline=newline, opener=_open)


def _open(path: str | Path, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_CLOEXEC", 0), PRIVATE)
