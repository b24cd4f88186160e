"""Reading a file whole while other programs may be writing it: what is read is one state of it, never half of one."""

from __future__ import annotations

import errno
import os
import stat
import time
from pathlib import Path

from autokb.core.errors import UnreadableFileError

# Seconds that a file must have been left alone before it is read, by what is known of those who write it.
_QUIET_SECONDS = {
    False: 0.02,  # nobody has it open for writing: two ticks of the clock that file systems date changes by
    None: 0.25,  # unknown (another's file, a network share, not Linux): programs write their next piece sooner
    True: 10.0,  # somebody has it open for writing: longer than a download that still goes on pauses
}
_PATIENCE_SECONDS = 2.0  # for one file; a person adds again what takes longer to be written
_POLL_SECONDS = 0.02  # between two looks at a file that is being written
_BEING_WRITTEN = "is being written by another program; add it again when that has ended."


class _ChangedError(Exception):
    """The file is being written."""


def read_whole(path: Path, most: int) -> bytes | None:
    """Return the bytes of a regular file, None for one of more than ``most``.

    A file that changes while it is read, was changed a moment ago or is open for writing is waited for and read again;
    UnreadableFileError says so when that does not end. A program that closes a half-written file and goes on later
    cannot be told from one that is done. Raises OSError where the file cannot be opened.
    """
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            return _read_once(path, most)
        except _ChangedError:
            if time.monotonic() > deadline:
                raise UnreadableFileError(_BEING_WRITTEN) from None
            time.sleep(_POLL_SECONDS)


def _read_once(path: Path, most: int) -> bytes | None:
    # A pipe that took the file's place would let an opening without O_NONBLOCK wait for ever.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as stream:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise UnreadableFileError("is no regular file (a pipe, socket or device); save it as a file.")
        age = time.time() - before.st_mtime  # negative where the file's clock is ahead of ours; then it says nothing
        if 0 <= age < _QUIET_SECONDS[True] and age < _QUIET_SECONDS[_is_open_for_writing(descriptor)]:
            raise _ChangedError
        data = b"" if before.st_size > most else stream.read(most + 1)
        after = os.fstat(descriptor)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise _ChangedError
    return None if max(before.st_size, len(data)) > most else data


def _is_open_for_writing(descriptor: int) -> bool | None:
    """Return whether any process has the file open for writing, None where the system does not say.

    Linux gives a read lease to the owner of a file that nobody has open for writing. It is given back at once, and
    should somebody open the file in between, the signal about it is one that is ignored.
    """
    try:
        import fcntl
        import signal

        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except (ImportError, AttributeError):
        return None
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    return False
