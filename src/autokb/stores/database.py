"""The SQLite database under a workspace: made whole, opened only if autokb made it, its failures one sentence each."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import tempfile
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import finalize

from autokb import __version__
from autokb.core.errors import AutokbError, AutokbWarning, BadInputError, WorkspaceBusyError
from autokb.core.files import make_private
from autokb.stores.schema import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    TABLES_OF_VERSION_1,
    WRITTEN_BY,
    make_schema,
    migrate,
    read_meta,
    readable,
)

BUSY_SECONDS = 30.0  # that a connection waits for another one's transaction to end
MAGIC = b"SQLite format 3\x00"  # the first bytes of the file format, https://www.sqlite.org/fileformat2.html
APPLICATION_ID_AT = slice(68, 72)  # where that format has the id of the application, big-endian
RESTORE = (
    "restore your backup of it, or import your last export into a new workspace: autokb init NEW, then "
    "autokb import NEW FILE.jsonl"
)
# Result codes of SQLite (https://www.sqlite.org/rescode.html) whose cause is not the content of the file.
BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
DISK = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
}


UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, RecursionError)  # what readers of damaged rows raise


# Files that connections of this process have open, by device and inode. To open such a file beside SQLite and close it
# again would drop the locks that the process holds on it (https://www.sqlite.org/howtocorrupt.html, section 2.2), and
# the next process that closes the file would take its write-ahead log away under a connection here.
_in_use: Counter[tuple[int, int]] = Counter()
_opening = threading.RLock()


class _Connection(sqlite3.Connection):
    """A connection that is counted among those of its file until it is closed."""

    def count(self, path: Path) -> None:
        """Count it from now on."""
        place = _place(path)
        _in_use[place] += 1
        self._forget = finalize(self, _count_closed, place)

    def close(self) -> None:
        """Close it."""
        super().close()
        if (forget := getattr(self, "_forget", None)) is not None:
            forget()


def _count_closed(place: tuple[int, int]) -> None:
    with _opening:
        _in_use[place] -= 1
        if not _in_use[place]:
            del _in_use[place]


def _place(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


class DamagedRowError(ValueError):
    """A row of a table does not hold what was written there; it never has the row's content in it."""

    def __init__(self, table: str) -> None:
        super().__init__(f"a row of its table {table!r}")


@dataclass(frozen=True, slots=True)
class Opened:
    """A connection, and whether nothing can be written through it."""

    connection: sqlite3.Connection
    read_only: bool


@contextmanager
def damaged_rows(table: str) -> Iterator[None]:
    """Name a row that cannot be read by its table alone: the errors of readers hold the texts of customers."""
    try:
        yield
    except DamagedRowError:
        raise
    except UNREADABLE:
        raise DamagedRowError(table) from None


def read_object(table: str, body: Any) -> dict[str, Any]:
    """Read the JSON object that a row of a table must hold (DamagedRowError)."""
    try:
        found = json.loads(body)
    except UNREADABLE:
        found = None
    if not isinstance(found, dict):
        raise DamagedRowError(table)
    return found


@contextmanager
def failures_as_sentences(path: Path) -> Iterator[None]:
    """Say what SQLite or a damaged row raises inside in one sentence (AutokbError) without any content of the file."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # a fault of ours
    except sqlite3.DatabaseError as error:
        raise failure(path, error) from None
    except DamagedRowError as error:
        raise AutokbError(f"{path} is damaged ({error}); {RESTORE}.") from None


def failure(path: Path, error: sqlite3.Error) -> AutokbError:
    """Return an error of SQLite as a sentence; SQLite's own words may quote the file, so only its code is named."""
    code = result_code(error)
    if code in BUSY:
        return WorkspaceBusyError(f"{path} is in use by another process; wait until it has ended and run this again.")
    if code in DISK:
        return AutokbError(
            f"{path} cannot be used ({error}); is the disk full or failing, or the folder one that you cannot write to?"
        )
    return AutokbError(f"{path} is damaged ({getattr(error, 'sqlite_errorname', 'not UTF-8')}); {RESTORE}.")


def result_code(error: sqlite3.Error) -> int | None:
    """Return the primary result code; None where Python itself could not make text of a value."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def create_database(path: Path) -> None:
    """Make a new database, private to its owner; it appears whole or not at all.

    Call it under a lock: a file that another process put there meanwhile is replaced.
    """
    for left in (f"{path}-wal", f"{path}-journal"):
        if Path(left).exists():  # SQLite would merge its changes into the new file
            raise BadInputError(
                f"{left} belongs to a database that is no longer there; move it away and run this again."
            )
    try:
        with tempfile.TemporaryDirectory(prefix=".autokb-", dir=path.parent) as folder:
            new = Path(folder) / path.name
            make_private(new)
            with closing(sqlite3.connect(new, isolation_level=None)) as db:
                make_schema(db)
            new.replace(path)
    except (sqlite3.OperationalError, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise AutokbError(
            f"{path} cannot be made ({why}); nothing was. Free some disk space or make the folder writable."
        ) from error


def open_database(path: Path) -> Opened:
    """Open a database that autokb made; anything else is refused (BadInputError) and left as it is, byte for byte."""
    # SQLite quotes the table's name, be it text or not
    with _opening, failures_as_sentences(path), damaged_rows("sqlite_master"):
        check_is_ours(path)
        address = path.absolute().as_uri()
        if os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            try:
                return Opened(_connect(f"{address}?mode=rw", path, writable=True), read_only=False)
            except sqlite3.OperationalError as error:
                if result_code(error) not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
                    raise
        # Nobody can write here. Changes that are not merged yet are read through the shared-memory file, if there is
        # one; without it, which a read-only folder cannot get, only the database itself is read.
        try:
            return Opened(_connect(f"{address}?mode=ro", path, writable=False), read_only=True)
        except sqlite3.OperationalError as error:
            if result_code(error) not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
                raise
        opened = Opened(_connect(f"{address}?immutable=1", path, writable=False), read_only=True)
        if _has_unmerged_changes(path):
            warnings.warn(
                f"{path} may be behind: the changes in {path.name}-wal cannot be merged in a folder that cannot be "
                "written; open the workspace once where it can.",
                AutokbWarning,
                stacklevel=2,
            )
        return opened


def check_is_ours(path: Path) -> None:
    """Refuse a file that autokb did not make (BadInputError); nothing is written, also not beside it.

    One that a connection of this process has open was looked at when that was opened, and is not touched.
    """
    with _opening:
        _check_header(path)


def _check_header(path: Path) -> None:
    try:
        if path.exists() and _in_use[_place(path)]:
            return
        if not path.is_file():
            raise BadInputError(f"{path} is no file but should be the workspace's database; {RESTORE}.")
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise AutokbError(f"{path} cannot be read ({error.strerror}); make it readable.") from error
    if not header:
        raise BadInputError(f"{path} is empty; {RESTORE}.")
    application = int.from_bytes(header[APPLICATION_ID_AT], "big")
    if header.startswith(MAGIC) and application == APPLICATION_ID:
        return
    # Files of before had no id of the application, but these tables.
    if header.startswith(MAGIC) and application == 0 and _tables(path) >= TABLES_OF_VERSION_1:
        return
    raise BadInputError(
        f"{path} was not made by autokb, or its first bytes are damaged; it was left as it is. If it is another "
        f"program's, choose another folder; if it was a workspace's, {RESTORE}."
    )


def _tables(path: Path) -> set[str]:
    """Return the names of the tables of a database without writing anything: neither into it nor beside it."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        tables = _table_names(db)
    if tables or not _has_unmerged_changes(path):
        return tables
    with tempfile.TemporaryDirectory(prefix="autokb-") as folder:  # merging is writing, so a copy is merged
        copy = Path(folder) / "copy.db"
        shutil.copyfile(path, copy)
        shutil.copyfile(f"{path}-wal", f"{copy}-wal")
        with closing(sqlite3.connect(copy)) as db:
            return _table_names(db)


def has_table(path: Path, table: str) -> bool:
    """Return whether a file is a database that has such a table."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            return table in _table_names(db)
    except sqlite3.DatabaseError:
        return False


def _table_names(db: sqlite3.Connection) -> set[str]:
    return {str(name) for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _has_unmerged_changes(path: Path) -> bool:
    try:
        return Path(f"{path}-wal").stat().st_size > 0
    except OSError:
        return False


def _connect(address: str, path: Path, *, writable: bool) -> sqlite3.Connection:
    db = sqlite3.connect(
        address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, factory=_Connection
    )
    try:
        db.count(path)
        if writable:
            db.execute("PRAGMA synchronous = FULL")
            migrate(db)
        _check_version(db, path)
    except BaseException:
        db.close()
        raise
    return db


def _check_version(db: sqlite3.Connection, path: Path) -> None:
    """Refuse a file whose schema this program does not know, and name the version that does (AutokbError)."""
    if db.execute("SELECT 1 FROM sqlite_master WHERE type = 'view' LIMIT 1").fetchone():
        # Somebody else's, in the place of a table perhaps, and one may have rows without end.
        raise AutokbError(f"{path} is damaged (it holds a view, and autokb makes none); {RESTORE}.")
    schema, program = read_meta(db, "schema") or "", read_meta(db, WRITTEN_BY) or ""
    if readable(schema):
        return
    if not re.fullmatch(r"[0-9]{1,4}", schema) or int(schema) < int(SCHEMA_VERSION):
        raise AutokbError(f"{path} is damaged (its version cannot be read); {RESTORE}.")
    named = program != __version__ and re.fullmatch(r"[0-9][\w.+!-]{0,40}", program)
    newer = f"autokb {program}" if named else "a newer version of autokb"
    raise AutokbError(f"{path} was written by {newer}, and this is autokb {__version__}; install {newer} to open it.")
