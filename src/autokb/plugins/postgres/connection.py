"""A workspace's tables on a Postgres server, behind the connection that ``WorkspaceFile`` speaks to.

Outside of a transaction each statement takes a connection of the pool and gives it back, so nothing that stays open
for long is lost with a server. A transaction has one of its own, of the thread that began it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from psycopg import Error
from psycopg.sql import SQL, Identifier

from autokb import __version__
from autokb.core.errors import AutokbError, StoreAwayError
from autokb.plugins.postgres.notices import TRIGGERS
from autokb.plugins.postgres.pool import AWAY, BoundedConnection, Pool, failure_of, pool_of
from autokb.stores.schema import BY_ROWID, HOOKS, SCHEMA, SCHEMA_VERSION, WRITTEN_BY

# The buckets of the service's rates, which all machines share.
RATES = "CREATE UNLOGGED TABLE IF NOT EXISTS request_rate (key TEXT PRIMARY KEY, full_at DOUBLE PRECISION NOT NULL)"
WAIT_SECONDS = 30.0  # that a writer waits for another one's transaction


class Rows(list[tuple[Any, ...]]):
    """What a statement gave, as a cursor of SQLite gives it."""

    def __init__(self, rows: Iterable[tuple[Any, ...]] = (), rowcount: int = -1) -> None:
        super().__init__(rows)
        self.rowcount, self._next = rowcount, 0

    def fetchone(self) -> tuple[Any, ...] | None:
        self._next += 1
        return self[self._next - 1] if self._next <= len(self) else None

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self


class PostgresConnection:
    """What SQLite's connection is to ``WorkspaceFile``, over a pool."""

    def __init__(self, pool: Pool, *, read_only: bool = False) -> None:
        self._pool = pool
        self.read_only = read_only  # whether the user has no right to write, or the server is a standby
        self._held: BoundedConnection | None = None
        self._holder = 0
        self.wait_seconds = WAIT_SECONDS

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> Rows:
        if statement.startswith("PRAGMA"):
            return Rows()
        if statement.startswith("BEGIN"):
            self._begin(is_writing="IMMEDIATE" in statement)
            return Rows()

        def work(db: BoundedConnection) -> Rows:
            cursor = db.execute(translated(statement), storable(parameters) or None)
            return Rows(cursor.fetchall() if cursor.description else (), cursor.rowcount)

        return self._with(work)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]]) -> Rows:
        given = [storable(row) for row in rows]

        def work(db: BoundedConnection) -> Rows:
            with db.cursor() as cursor:
                cursor.executemany(translated(statement), given)
                return Rows((), cursor.rowcount)

        return self._with(work) if given else Rows()

    @property
    def in_transaction(self) -> bool:
        return self._held is not None and self._holder == threading.get_ident()

    def commit(self) -> None:
        self._end("COMMIT")

    def rollback(self) -> None:
        self._end("ROLLBACK")

    def close(self) -> None:
        if self._held is not None:
            self.rollback()

    def _with(self, work: Callable[[BoundedConnection], Rows]) -> Rows:
        if self._held is not None and self.in_transaction:
            return _done(work, self._held)
        with self._pool.connection() as db:
            return _done(work, db)

    def _begin(self, *, is_writing: bool) -> None:
        db = self._pool.take()
        try:
            if is_writing:  # one round trip for all three
                db.execute(
                    f"BEGIN; SET LOCAL lock_timeout = {int(1000 * self.wait_seconds)}; "
                    "SELECT pg_advisory_xact_lock(hashtext(current_schema()), 1)"
                )
            else:
                db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        except BaseException as error:
            db.close() if not db.closed else None
            self._pool.give_back(db)
            if isinstance(error, Error):
                raise failure_of(error) from error
            raise
        self._held, self._holder = db, threading.get_ident()

    def _end(self, word: str) -> None:
        db, self._held = self._held, None
        if db is None:
            return
        try:
            done = db.execute(word).statusmessage
            if word == "COMMIT" and done != word:  # a statement of it failed, and nobody said so
                raise AutokbError("The change was not made, since a part of it failed; run the command again.")
        except Error as error:
            if word == "COMMIT":
                raise failure_of(error) from error
        finally:
            self._pool.give_back(db)


def _done(work: Callable[[BoundedConnection], Rows], db: BoundedConnection) -> Rows:
    """Return what a statement gives (AutokbError)."""
    try:
        return work(db)
    except Error as error:
        raise failure_of(error) from error
    except Exception as error:
        if db.closed:  # psycopg's own cleaning up after a connection that was lost in the middle of many rows
            raise StoreAwayError(AWAY) from error
        raise


_NUMBER = re.compile(r"json_extract\((\w+), '\$\.\"(\w+)\"'\)")
_JSON = re.compile(r"json_extract\((\w+), '\$([^']*)'\)")
_NULL = re.compile(r"json_type\((\w+), '\$\.(\w+)'\) = 'null'")
_BYTES = re.compile(r"CAST\((\w+) AS BLOB\)")


@lru_cache(maxsize=2_000)
def translated(statement: str) -> str:
    """Return a statement as Postgres takes it."""
    said = _NUMBER.sub(r"(\1::json ->> '\2')::double precision", statement)
    said = _JSON.sub(lambda one: f"({one[1]}::json #>> '{{{_path(one[2])}}}')", said)
    said = _NULL.sub(lambda one: f"json_typeof({one[1]}::json -> '{one[2]}') = 'null'", said)
    said = _BYTES.sub(lambda one: f"convert_to({one[1]}, 'UTF8')", said)
    return said.replace("main.", "").replace("%", "%%").replace("?", "%s")


def _path(path: str) -> str:
    return ",".join(re.findall(r"[\w]+", path))


def storable(values: Sequence[Any]) -> list[Any]:
    """Return parameters as a text of Postgres takes them: NUL, which it cannot hold, is U+FFFD wherever it is used."""
    return [one.replace("\0", "\ufffd") if isinstance(one, str) and "\0" in one else one for one in values]


def make_postgres_schema(pool: Pool) -> None:
    """Make the tables of a new workspace, in one transaction."""
    with pool.connected() as db, db.transaction():
        row = db.execute(
            "SELECT to_regclass('meta') IS NOT NULL AND NOT has_schema_privilege(current_schema(), 'CREATE')"
        ).fetchone()
        if row and row[0]:  # a user who may only read what is there
            return
        db.execute(SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(pool.schema)))
        db.execute("SELECT pg_advisory_xact_lock(hashtext(current_schema()), 1)")
        for statement in (*server_statements(SCHEMA), RATES, *TRIGGERS):
            db.execute(statement)
        note = "INSERT INTO meta VALUES (%s, %s) ON CONFLICT DO NOTHING"
        db.execute(note, ("schema", SCHEMA_VERSION))
        db.execute(note, (WRITTEN_BY, __version__))


def server_statements(tables: str) -> Iterator[str]:
    """Give the statements that make tables, as Postgres takes them."""
    for statement in filter(None, map(str.strip, tables.split(";"))):
        said = statement.replace("WITHOUT ROWID", "").replace("BLOB", "bytea").replace("REAL", "double precision")
        said = re.sub(r"\b(\w+) INTEGER PRIMARY KEY", r"\1 bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY", said)
        said = re.sub(r"\bINTEGER\b", "bigint", said)
        said = re.sub(r"\bTEXT\b", 'TEXT COLLATE "C"', said)
        if (made := re.match(r"CREATE TABLE IF NOT EXISTS (\w+) \(", said)) and made[1] in BY_ROWID:
            said = (
                said.replace(" (", " (", 1).rstrip().removesuffix(")") + ", rowid bigint GENERATED ALWAYS AS IDENTITY)"
            )
        yield said


_known: dict[tuple[str, str], tuple[str, bool]] = {}  # what this process has seen of a server's schemas


# By the version that they begin with, the statements that lead to the next one.
MIGRATIONS: Mapping[str, Sequence[str]] = {"9": tuple(server_statements(HOOKS))}


def open_postgres(url: str, migrations: Mapping[str, Sequence[str]] = MIGRATIONS) -> PostgresConnection:
    """Open a workspace's tables, made where there are none, and brought up to date (StoreAwayError).

    AutokbError where they are of a version that no migration begins with, or this user may not write.
    """
    pool = pool_of(url)
    version, may_write = _look_at(pool)
    if may_write and version in migrations:
        _migrate(pool, migrations)
        version, may_write = _look_at(pool)
    if version is None:
        make_postgres_schema(pool)
        version, may_write = SCHEMA_VERSION, True
    if version != SCHEMA_VERSION:
        raise AutokbError(
            f"The workspace's tables on the server are of version {version[:10]!r}, and this program knows "
            f"{SCHEMA_VERSION}; install the version of autokb that wrote them."
        )
    return PostgresConnection(pool, read_only=not may_write)


def _migrate(pool: Pool, migrations: Mapping[str, Sequence[str]]) -> None:
    """Bring tables up to date in one transaction, wherever they are when nobody else writes."""
    with pool.connected() as db, db.transaction():
        db.execute("SELECT pg_advisory_xact_lock(hashtext(current_schema()), 1)")
        (version,) = db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone() or ("",)
        while version in migrations:
            for statement in migrations[version]:
                db.execute(statement)
            version = str(int(version) + 1)
        note = "UPDATE meta SET value = %s WHERE key = %s"
        db.execute(note, (version, "schema"))
        db.execute(note, (__version__, WRITTEN_BY))
    _known.pop((pool.address, pool.schema), None)


def _look_at(pool: Pool) -> tuple[str | None, bool]:
    """Return the version of a schema's tables, None where there are none, and whether they can be written."""
    if (known := _known.get((pool.address, pool.schema))) is not None:
        return known
    with pool.connected() as db:
        (there,) = db.execute("SELECT to_regclass('meta') IS NOT NULL").fetchone() or (False,)
        if not there:
            return None, True
        found = db.execute(
            "SELECT max(value), has_table_privilege('meta', 'INSERT') AND NOT pg_is_in_recovery() "
            "FROM meta WHERE key = 'schema'"
        ).fetchone()
    version, may_write = found or ("", False)
    seen = _known[pool.address, pool.schema] = str(version), bool(may_write)
    return seen
