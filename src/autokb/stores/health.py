"""How a workspace's store is, looked at without changing it: also one that no command opens any more."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from autokb.core.errors import WorkspaceBusyError
from autokb.stores.database import BUSY, check_is_ours, damaged_rows, failures_as_sentences, result_code
from autokb.stores.schema import SCHEMA_VERSION, WRITTEN_BY, read_meta
from autokb.stores.store import StoreHealth
from autokb.stores.workspace import LOCK_FILE, one_at_a_time

LOCK_SECONDS = 2.0  # that a look waits for a transaction which just ends


def look_at_file(path: Path) -> StoreHealth:
    """Look at a SQLite file, all pages and indexes of it (AutokbError, BadInputError where it is none of ours)."""
    with failures_as_sentences(path), damaged_rows("meta"):
        check_is_ours(path)
        with closing(_opened(path)) as db:
            schema, program = read_meta(db, "schema") or "", read_meta(db, WRITTEN_BY) or ""
            intact = db.execute("PRAGMA integrity_check(1)").fetchall() == [("ok",)]
        writable = all(os.access(one, os.W_OK, effective_ids=True) for one in (path, path.parent))
        busy = _busy(path) if writable and schema == SCHEMA_VERSION and intact else ""
        return StoreHealth(
            kind="SQLite",
            version=sqlite3.sqlite_version,
            schema=schema,
            written_by=program,
            bytes=path.stat().st_size,
            intact=intact,
            writable=writable,
            busy=busy,
        )


def _opened(path: Path) -> sqlite3.Connection:
    """Open a file to read; one in a folder where nobody can write is taken as it stands."""
    for how in ("mode=ro", "immutable=1"):
        db = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=LOCK_SECONDS)
        try:
            db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except sqlite3.OperationalError as error:
            db.close()
            if how != "mode=ro" or result_code(error) not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
                raise
        else:
            return db
    raise AssertionError("the loop returns or raises")


def _busy(path: Path) -> str:
    if (path.parent / LOCK_FILE).exists():
        try:
            with one_at_a_time(path.parent / LOCK_FILE, ""):
                pass
        except WorkspaceBusyError:
            return "a build is at work"
    address = f"{path.absolute().as_uri()}?mode=rw"
    with closing(sqlite3.connect(address, uri=True, timeout=LOCK_SECONDS, isolation_level=None)) as db:
        try:
            db.execute("BEGIN IMMEDIATE")
            db.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            if result_code(error) in BUSY:
                return "another process is writing"
            raise
    return ""
