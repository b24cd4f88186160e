"""The truth of a workspace: one SQLite file, every change in a transaction that is on the disk before it counts."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.ids import canonical_json, digest
from autokb.core.vectors import Vectors
from autokb.stores.schema import make_schema, migrate, readable

BUSY_SECONDS = 30.0  # that a connection waits for another one's transaction to end
PARAMETERS_AT_ONCE = 500  # parameters of one SQL statement; SQLite's own limit is far higher in newer versions only


@dataclass(frozen=True, slots=True)
class Staged:
    """One added document or raw issue and the file it came from."""

    id: str
    root: str
    relative: str
    body: Mapping[str, Any]


class WorkspaceFile:
    """One connection to the file; open one a thread.

    Threads that share one must write in ``transaction`` only, which lets one of them in at a time.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._writing = False
        if not create and not path.exists():
            raise BadInputError(f"{path.parent} is no workspace; make one with: autokb init {path.parent}")
        try:
            self._db, self.read_only = _open_writable_or_not(path, create)
            self._inode = path.stat().st_ino
        except sqlite3.DatabaseError as error:
            raise AutokbError(
                f"{path} cannot be opened ({error}); is the folder writable and the disk not full?"
            ) from error

    def close(self) -> None:
        """Close the connection; the file is complete at any time."""
        self._db.close()

    def copy_to(self, path: Path) -> None:
        """Write a copy of the whole file as it is now."""
        copy = sqlite3.connect(path)
        try:
            self._db.backup(copy)
        finally:
            copy.close()

    def is_in_place(self) -> bool:
        """Return whether the open file is still the one at its path, and not a copy that was put there since."""
        try:
            return self.path.stat().st_ino == self._inode
        except OSError:
            return False

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all changes inside happen together or not at all; one inside another is part of the outer one."""
        with self._lock:
            if self._writing:
                yield
                return
            self._writing = True
            try:
                with self._begin_and_commit():
                    yield
            finally:
                self._writing = False

    @contextmanager
    def _begin_and_commit(self) -> Iterator[None]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._db.rollback()
                raise
            self._db.commit()
        except sqlite3.OperationalError as error:
            if self._db.in_transaction:
                self._db.rollback()
            raise AutokbError(
                f"The workspace could not be written ({error}). Nothing was changed; free some disk space or make the "
                "folder writable and run the command again."
            ) from error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give the connection to a table of this package; what another thread is writing is waited for."""
        with self._lock:
            yield self._db

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Make all reads inside see one state, also while another process publishes."""
        if self._db.in_transaction:
            yield
            return
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.rollback()

    # -- meta --------------------------------------------------------------------------------------

    def meta(self, key: str) -> str | None:
        """Return a noted value or None."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def note(self, key: str, value: str) -> None:
        """Note a value; call it inside a transaction."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    # -- staged sources ----------------------------------------------------------------------------

    def staged(self, kind: str) -> list[Staged]:
        """Return everything added of a kind, ordered by id."""
        rows = self._db.execute("SELECT id, root, relative, body FROM staged WHERE kind = ? ORDER BY id", (kind,))
        return [Staged(i, root, relative, json.loads(body)) for i, root, relative, body in rows]

    def stage(self, kind: str, items: Iterable[Staged]) -> None:
        """Add or replace sources; call it inside a transaction."""
        rows = ((kind, s.id, s.root, s.relative, canonical_json(s.body)) for s in items)
        self._db.executemany("INSERT OR REPLACE INTO staged VALUES (?, ?, ?, ?, ?)", rows)

    def unstage(self, kind: str, ids: Iterable[str]) -> None:
        """Remove sources; call it inside a transaction."""
        self._db.executemany("DELETE FROM staged WHERE kind = ? AND id = ?", ((kind, i) for i in ids))

    # -- finished work -----------------------------------------------------------------------------

    def finished(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the stored replies of those keys that were worked out before."""
        found: dict[str, str] = {}
        for part in parts_of(keys):
            marks = ",".join("?" * len(part))
            # As bytes, for a damaged row may hold no UTF-8; it counts as missing.
            for key, reply in self._db.execute(
                f"SELECT key, CAST(reply AS BLOB) FROM work WHERE key IN ({marks})", part
            ):
                with suppress(UnicodeDecodeError):
                    found[key] = reply.decode()
        return found

    def finish(self, stage: str, replies: Mapping[str, str], requests: Mapping[str, str] | None = None) -> None:
        """Store replies under their keys, on disk before it returns.

        ``requests`` names the keys in the ledger that an item's answer came from, with spaces between them.
        """
        origin = requests or {}
        with self.transaction():
            rows = ((key, stage, reply, origin.get(key)) for key, reply in replies.items())
            self._db.executemany("INSERT OR REPLACE INTO work (key, stage, reply, request) VALUES (?, ?, ?, ?)", rows)

    def origins(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the ledger keys that the answers of these items came from; only those that a model gave."""
        found: dict[str, str] = {}
        for part in parts_of(keys):
            marks = ",".join("?" * len(part))
            rows = self._db.execute(
                f"SELECT key, request FROM work WHERE request IS NOT NULL AND key IN ({marks})", part
            )
            found.update(rows)
        return found

    def dimensions(self, embedder: str) -> int:
        """Return the length of an embedder's vectors that are kept here; 0 where there are none yet."""
        return int(self.meta(f"dimensions of {embedder}") or 0)

    def vectors(self, embedder: str, texts: Sequence[str], dimensions: int) -> tuple[Vectors, list[int]]:
        """Return an array of (len(texts), dimensions) and the positions whose vector is not stored yet."""
        keys = [vector_key(embedder, text) for text in texts]
        found: dict[bytes, bytes] = {}
        for part in parts_of(sorted(set(keys))):
            marks = ",".join("?" * len(part))
            found.update(self._db.execute(f"SELECT key, data FROM vector WHERE key IN ({marks})", part))
        array = np.zeros((len(texts), dimensions), dtype=np.float32)
        missing = []
        for row, key in enumerate(keys):
            data = found.get(key)
            if data is None or len(data) != dimensions * 4:
                missing.append(row)
            else:
                array[row] = np.frombuffer(data, dtype="<f4")
        if not np.isfinite(array.sum()):  # damaged: what is no number would make every figure after it none
            missing = sorted({*missing, *np.flatnonzero(~np.isfinite(array).all(axis=1)).tolist()})
        return array, missing

    def keep_vectors(self, embedder: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Store the vectors of texts, and how long they are, on disk before it returns."""
        with self.transaction():
            rows = ((vector_key(embedder, t), v.astype("<f4").tobytes()) for t, v in zip(texts, vectors, strict=True))
            self._db.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)
            self._db.execute(
                "INSERT OR IGNORE INTO meta VALUES (?, ?)", (f"dimensions of {embedder}", str(vectors.shape[1]))
            )

    # -- the published knowledge base --------------------------------------------------------------

    def records(self, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and body of the published records of a kind, ordered by id."""
        for record_id, body in self._db.execute("SELECT id, body FROM record WHERE kind = ? ORDER BY id", (kind,)):
            yield record_id, json.loads(body)

    def record(self, kind: str, record_id: str) -> dict[str, Any] | None:
        """Return one published record or None."""
        row = self._db.execute("SELECT body FROM record WHERE kind = ? AND id = ?", (kind, record_id)).fetchone()
        return None if row is None else json.loads(row[0])

    def lines(self) -> Iterator[tuple[str, str, str]]:
        """Yield kind, id and JSON body of everything published and edited, ordered by kind and id."""
        yield from self._db.execute(
            "SELECT kind, id, body FROM record UNION ALL SELECT 'edit', id, body FROM edit ORDER BY 1, 2"
        )

    def publish(self, records: Mapping[tuple[str, str], str], kinds: Sequence[str]) -> int:
        """Replace the published records of the kinds by these in one step; returns how many rows changed.

        Call it inside a transaction. Records that stay as they are are not written again.
        """
        marks = ",".join("?" * len(kinds))
        old = {
            (k, i): b
            for k, i, b in self._db.execute(f"SELECT kind, id, body FROM record WHERE kind IN ({marks})", list(kinds))
        }
        gone = [key for key in old if key not in records]
        changed = [(k, i, body) for (k, i), body in records.items() if old.get((k, i)) != body]
        self._db.executemany("DELETE FROM record WHERE kind = ? AND id = ?", gone)
        self._db.executemany("INSERT OR REPLACE INTO record VALUES (?, ?, ?)", changed)
        if gone or changed:
            self.note("generation", str(int(self.meta("generation") or 0) + 1))
        return len(gone) + len(changed)

    # -- edits -------------------------------------------------------------------------------------

    def edits(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the hand edits in the order of their dates."""
        rows = [(i, json.loads(b)) for i, b in self._db.execute("SELECT id, body FROM edit ORDER BY id")]
        return sorted(rows, key=lambda row: (str(row[1].get("date", "")), row[0]))

    def drop_edits(self, ids: Iterable[str]) -> None:
        """Remove hand edits; call it inside a transaction."""
        self._db.executemany("DELETE FROM edit WHERE id = ?", ((i,) for i in ids))

    def keep_edit(self, edit_id: str, body: Mapping[str, Any]) -> None:
        """Store one hand edit; call it inside a transaction."""
        self._db.execute("INSERT OR REPLACE INTO edit VALUES (?, ?)", (edit_id, canonical_json(body)))
        self.note("generation", str(int(self.meta("generation") or 0) + 1))

    # -- costs -------------------------------------------------------------------------------------

    def spend(self, rows: Iterable[tuple[str, str, int, int, int, int, float | None]]) -> None:
        """Note what requests cost: stage, task, calls, cached, input, output, cost; call it inside a transaction."""
        self._db.executemany(
            "INSERT INTO spend (stage, room, calls, cached, input, output, cost) VALUES (?, ?, ?, ?, ?, ?, ?)", rows
        )

    def spent(self) -> list[tuple[str, str, int, int, int, int, float | None]]:
        """Return everything ever spent, one row a build, stage and task."""
        return list(self._db.execute("SELECT stage, room, calls, cached, input, output, cost FROM spend ORDER BY id"))


def vector_key(embedder: str, text: str) -> bytes:
    """Return the key of a vector: the hash of its embedder and its text."""
    return bytes.fromhex(digest(embedder, text))


def parts_of(keys: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield keys in parts that fit into one statement."""
    for start in range(0, len(keys), PARAMETERS_AT_ONCE):
        yield list(keys[start : start + PARAMETERS_AT_ONCE])


def _open_writable_or_not(path: Path, create: bool) -> tuple[sqlite3.Connection, bool]:
    """Return the connection, and whether nothing can be written through it."""
    try:
        return _open_database(f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}", writable=True), False
    except sqlite3.OperationalError as error:
        if create or ("readonly" not in str(error) and "unable to open" not in str(error)):
            raise
        # A read-only folder cannot hold the shared-memory file that WAL readers need; nobody can write there either.
        return _open_database(f"{path.absolute().as_uri()}?immutable=1", writable=False), True


def _open_database(uri: str, *, writable: bool) -> sqlite3.Connection:
    db = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    made = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone()
    if writable:
        db.execute("PRAGMA synchronous = FULL")
    if writable and not made:
        make_schema(db)
    if writable:
        migrate(db)
    found = db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    if found is None or not readable(found[0]):
        raise AutokbError(f"This workspace was made by another version of autokb (its schema is {found and found[0]}).")
    return db
