"""Files that people name are read only where regular, and files that hold customers' texts are their owner's alone."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path
from typing import IO, Any

from autokb.core.errors import AutokbError

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


def write_file(path: Path, text: str, then: str = "") -> None:
    """Write a text as ``replace_private`` does; an AutokbError, whose sentence says what ``then``, where it cannot."""
    try:
        replace_private(path, text.encode("utf-8"))
    except OSError as error:
        raise AutokbError(f"{path} cannot be written ({error.strerror}){then}.") from error


def _open(path: str | Path, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_CLOEXEC", 0), PRIVATE)


def read_regular_file(path: Path, most: int) -> bytes | None:
    """Return the bytes of a file, None for one of more than ``most``; OSError for what is no regular file too."""
    # A pipe would let an opening without O_NONBLOCK wait for ever.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            folder = stat.S_ISDIR(status.st_mode)
            problem = os.strerror(errno.EISDIR) if folder else "it is a pipe, a socket or a device, no file"
            raise OSError(errno.EISDIR if folder else errno.EINVAL, problem, str(path))
        if status.st_size > most:
            return None
        data = file.read(most + 1)
    return None if len(data) > most else data
