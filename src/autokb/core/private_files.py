"""Files that only their owner can read, whatever the umask: they hold customers' texts and what was paid for."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import IO, Any

PRIVATE = 0o600  # read and written by the owner alone


def make_private(path: Path) -> None:
    """Make an empty private file for a library that opens it by its name; one that is there stays as it is."""
    os.close(_open(path, os.O_WRONLY | os.O_CREAT))


def open_private(path: Path, mode: str = "w", encoding: str | None = None, newline: str | None = None) -> IO[Any]:
    """Open a file as ``open`` does; one that this makes is private, one that is there keeps its permissions."""
    return open(path, mode, encoding=encoding, newline=newline, opener=_open)


def replace_private(path: Path, data: bytes) -> None:
    """Write a file so that its readers see the old content or the new, never a part, whoever else writes it.

    A file that this makes is private; one that it replaces keeps its permissions.
    """
    number, name = tempfile.mkstemp(prefix=".autokb-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
        if path.exists():
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        temporary.replace(path)
    except BaseException:  # Ctrl-C too
        temporary.unlink(missing_ok=True)
        raise


def _open(path: str | Path, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_CLOEXEC", 0), PRIVATE)
