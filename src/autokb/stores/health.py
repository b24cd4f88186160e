"""How a workspace's store is, looked at without changing it: also one that no command opens any more."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from autokb.core.errors import AutokbError, BadInputError, WorkspaceBusyError
from autokb.core.results import Result
from autokb.stores.database import BUSY, check_is_ours, damaged_rows, failures_as_sentences, result_code
from autokb.stores.schema import SCHEMA_VERSION, WRITTEN_BY, read_meta
from autokb.stores.workspace import LOCK_FILE, one_at_a_time
from autokb.stores.workspace_file import SIZE_ON_SERVER

LOCK_SECONDS = 2.0  # that a look waits for a transaction which just ends


@dataclass(frozen=True, slots=True)
class StoreHealth(Result):
    """``version`` is that of SQLite or the server, ``schema`` that of the tables, which ``written_by`` knows.

    ``intact`` is None where only the server can tell; ``busy`` says who is at work, if anybody is.
    """

    kind: str
    version: str
    schema: str
    written_by: str
    bytes: int
    intact: bool | None
    writable: bool
    busy: str
    pgvector: str | None = None

    @property
    def is_current(self) -> bool:
        """Whether its tables are those of this version."""
        return self.schema == SCHEMA_VERSION


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


def look_at_server(url: str) -> StoreHealth:
    """Look at a workspace on a Postgres server (StoreAwayError, BadInputError where the extra is missing)."""
    try:
        from autokb.stores.postgres_pool import pool_of
    except ImportError:
        raise BadInputError("A Postgres server needs the extra: pip install 'autokb[postgres]'.") from None

    with pool_of(url).connected() as db:
        if not db.execute("SELECT to_regclass('meta') IS NOT NULL").fetchone()[0]:  # type: ignore[index]
            raise AutokbError("The server has no tables of a workspace there; see the schema that the URL names.")
        noted = dict(db.execute("SELECT key, value FROM meta WHERE key IN ('schema', %s)", (WRITTEN_BY,)).fetchall())
        extension = db.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
        size, version, writable, builds, writes = db.execute(
            f"SELECT ({SIZE_ON_SERVER}), current_setting('server_version'), has_table_privilege('meta', 'INSERT') "
            "AND NOT pg_is_in_recovery(), " + ", ".join(_HOLDS.format(number=number) for number in (2, 1))
        ).fetchone()  # type: ignore[misc]
    busy = "a build is at work" if builds else "another process is writing" if writes else ""
    number = re.match(r"[\d.]+", version)
    return StoreHealth(
        kind="Postgres",
        version=number[0] if number else "",
        schema=str(noted.get("schema", "")),
        written_by=str(noted.get(WRITTEN_BY, "")),
        bytes=int(size),
        intact=None,
        writable=bool(writable),
        busy=busy,
        pgvector=str(extension[0]) if extension else None,
    )


# Whether somebody holds the advisory lock of this number on the workspace's schema (of writers 1, of builds 2).
_HOLDS = (
    "EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = {number} "
    "AND classid = (hashtext(current_schema())::bigint & 4294967295)::oid)"
)
