"""Connections to a Postgres server: few a process, found dead before they are used, never waited for for long."""

from __future__ import annotations

import atexit
import os
import re
import select
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock, Semaphore
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

import psycopg
from psycopg import Connection, Error
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier
from psycopg.waiting import Ready

from autokb.core.errors import (
    AutokbError,
    BadEntryError,
    BadInputError,
    StoreAwayError,
    UnwritableWorkspaceError,
    WorkspaceBusyError,
)
from autokb.stores.database import RESTORE
from autokb.stores.store import NO_ADDRESS, an_address

MOST_CONNECTIONS = 8  # of a process to one workspace, beside the one that hears notices
IDLE = 4  # that stay open while nobody uses them
TAKE_SECONDS = 5.0  # that a free connection is waited for
CONNECT_SECONDS = 3  # that a server may take to accept one; libpq counts whole seconds, two at least
ANSWER_SECONDS = 5.0  # without a byte, after which a server that is asked by the service counts as lost
AWAY_SECONDS = 0.5  # after a failed try for which nobody tries again: who waits for nothing is told so at once
SCHEMA = "autokb"  # where the URL names none
AWAY = "The server that keeps the workspace cannot be reached, or was lost; see that it runs, and run this again."


class _WholeNumber(Loader):
    """Reads ``numeric``, which sums of whole numbers have, as a whole number."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return int(text) if text.lstrip("-").isdecimal() else float(text)


class BoundedConnection(Connection[Any]):
    """A connection that waits only so long for each answer; a server that hangs accepts bytes and sends none."""

    answer_seconds = 0.0  # without a bound

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait for what psycopg waits for (OperationalError where it takes too long)."""
        bounded = _bounded(gen, self.answer_seconds) if self.answer_seconds and timeout is None else gen
        try:
            return super().wait(bounded, interval, timeout)
        except TimeoutError as error:
            self.pgconn.finish()  # it may hang in the middle of an answer
            raise psycopg.OperationalError("the server does not answer") from error


def _bounded(gen: Generator[Any, Any, Any], seconds: float) -> Generator[Any, Any, Any]:
    """Do what ``gen`` does, for so many seconds without anything ready at most (TimeoutError)."""
    end, ready = time.monotonic() + seconds, None
    while True:
        try:
            wanted = gen.send(ready)
        except StopIteration as done:
            return done.value
        ready = yield wanted
        if ready != Ready.NONE:
            end = time.monotonic() + seconds
        elif time.monotonic() > end:
            gen.close()
            raise TimeoutError


class Pool:
    """The connections of this process to one schema of a server."""

    def __init__(self, url: str) -> None:
        self.address, self.schema = split_url(url)
        self._idle: list[BoundedConnection] = []
        self._lock, self._free = Lock(), Semaphore(MOST_CONNECTIONS)
        self._away_until = 0.0
        self.answer_seconds = 0.0

    def connect(self) -> BoundedConnection:
        """Open a connection of one's own (StoreAwayError)."""
        if time.monotonic() < self._away_until:
            raise StoreAwayError(AWAY)
        try:
            db = BoundedConnection.connect(
                self.address,
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                application_name="autokb",
            )
            try:
                db.execute(SQL("SET search_path TO {}").format(Identifier(self.schema)))
            except BaseException:
                db.close()
                raise
        except Error as error:
            self._away_until = time.monotonic() + AWAY_SECONDS
            raise failure_of(error) from None
        db.answer_seconds = self.answer_seconds
        db.adapters.register_loader("numeric", _WholeNumber)
        return db

    def take(self) -> BoundedConnection:
        """Give a connection that is alive, as far as its socket says (StoreAwayError)."""
        if not self._free.acquire(timeout=TAKE_SECONDS):
            raise StoreAwayError(AWAY)
        try:
            while True:
                with self._lock:
                    db = self._idle.pop() if self._idle else None
                if db is None:
                    return self.connect()
                if not _is_dead(db):
                    db.answer_seconds = self.answer_seconds  # it may have been opened before anybody asked for a bound
                    return db
                db.close()
        except BaseException:
            self._free.release()
            raise

    def give_back(self, db: BoundedConnection) -> None:
        """Take a connection back; one that is lost, or in a transaction that nobody ended, is closed."""
        is_whole = not db.closed and db.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        with self._lock:
            if is_kept := is_whole and len(self._idle) < IDLE:
                self._idle.append(db)
        if not is_kept:
            db.close()
        self._free.release()

    def close_idle(self) -> None:
        """Close the connections that nobody uses; whoever needs one opens it again."""
        with self._lock:
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()

    @contextmanager
    def connection(self) -> Iterator[BoundedConnection]:
        """Give a connection for the length of a block."""
        db = self.take()
        try:
            yield db
        finally:
            self.give_back(db)

    @contextmanager
    def connected(self) -> Iterator[BoundedConnection]:
        """Give a connection for the length of a block; what fails there is said in a sentence (AutokbError)."""
        try:
            with self.connection() as db:
                yield db
        except Error as error:
            raise failure_of(error) from error


def _is_dead(db: BoundedConnection) -> bool:
    """Return whether an idle connection was closed by the other side: its socket then has something to read."""
    if db.closed:
        return True
    try:
        return bool(select.select([db.fileno()], [], [], 0)[0])
    except (OSError, ValueError, Error):
        return True


def split_url(url: str) -> tuple[str, str]:
    """Return the address for libpq and the schema that ``?schema=`` names (BadInputError, which repeats neither)."""
    try:
        parts = urlsplit(url)
        asked = parse_qsl(parts.query, keep_blank_values=True)
        address = joined_url(parts, ((name, value) for name, value in asked if name != "schema"))
        conninfo_to_dict(address)
    except (ValueError, psycopg.ProgrammingError):
        raise BadEntryError(NO_ADDRESS.format(an_address())) from None
    schema = dict(asked).get("schema", SCHEMA)
    if not re.fullmatch(r"[a-z_][a-z0-9_]{0,62}", schema) or schema.startswith("pg_"):
        raise BadInputError(
            "A schema's name has small letters, digits and _ alone, 63 at most; change ?schema= in the URL."
        )
    return address, schema


def joined_url(parts: SplitResult, query: Iterable[tuple[str, str]]) -> str:
    """Return a URL with another query; ``urlunsplit`` would take the slashes of one that names no host."""
    said = urlencode(list(query), safe="/")
    return f"{parts.scheme}://{parts.netloc}{parts.path}{'?' if said else ''}{said}"


_pools: dict[tuple[int, str], Pool] = {}
_making = Lock()


def pool_of(url: str) -> Pool:
    """Return this process's pool of a URL."""
    with _making:
        return _pools.setdefault((os.getpid(), url), Pool(url))


@atexit.register
def _close_all() -> None:
    """Close what this process has kept open for later; what a parent has opened is the parent's."""
    for (process, _), pool in _pools.items():
        if process == os.getpid():
            pool.close_idle()


def failure_of(error: Error) -> AutokbError:
    """Return an error of the server as a sentence, which quotes nothing of it."""
    state = error.sqlstate or ""
    if isinstance(error, psycopg.OperationalError) and (not state or state[:2] in ("08", "57")):
        return StoreAwayError(AWAY)
    if state == "53300":  # too many connections
        return StoreAwayError(AWAY)
    if state in ("55P03", "40P01", "40001"):
        return WorkspaceBusyError(
            "The workspace is in use by another process; wait until it has ended and run this again."
        )
    if state[:2] in ("53", "58") or state in ("42501", "25006"):
        return UnwritableWorkspaceError(
            f"The workspace could not be written (SQLSTATE {state}). Nothing was changed; free some disk space of the "
            "server, or give the user the right to write, and run the command again."
        )
    if state[:2] == "22":  # what stands there is not what was written
        return AutokbError(f"The workspace's store is damaged (SQLSTATE {state}); {RESTORE}.")
    if state[:2] in ("28", "3D"):
        return BadInputError(f"The server refuses the user or the database (SQLSTATE {state}); mend the URL.")
    return AutokbError(f"The workspace's store failed (SQLSTATE {state}); its log says why.")
