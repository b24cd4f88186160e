"""Reading a file that a person named: no pipe that never ends, no device, and never more than the memory holds."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


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
