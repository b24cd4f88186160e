"""The truth of a workspace: one SQLite file, every change in a transaction that is on the disk before it counts."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from autokb.core.errors import BadInputError, HalfLostError, UnwritableWorkspaceError
from autokb.core.ids import canonical_json, digest
from autokb.core.vectors import TokenVectors, Vectors
from autokb.stores.database import (
    DISK,
    DamagedRowError,
    create_database,
    damaged_rows,
    failure,
    open_database,
    read_object,
    result_code,
)
from autokb.stores.schema import BEFORE_DECISIONS, BEFORE_VERSIONS, columns_of, order_of, tables_of
from autokb.stores.sql import as_bytes, json_text, marks, put, put_if_new
from autokb.stores.store import store_of
from autokb.stores.versions import (
    CANDIDATE,
    NO_CANDIDATE,
    NO_VERSION,
    NOT_NOTED,
    SHOWN,
    Made,
    StoredVersion,
    candidate_differs,
    counts_of,
    drop_candidate,
    find_losses,
    first_versions,
    has_candidate,
    keep_candidate,
    newest_number,
    note_forced,
    read_candidate,
    records_of,
    replace_records,
    select_shown,
    stored_versions,
)

PARAMETERS_AT_ONCE = 500  # parameters of one SQL statement; SQLite's own limit is far higher in newer versions only
KEEP_NOTE = put("meta", "key, value", key="key")
KEEP_VECTOR = put("vector", "key, data", key="key")
PUBLICATIONS = "publications"  # meta: how often records changed; ``generation`` counts decisions of people too
NO_VECTOR: Vectors = np.zeros(0, dtype=np.float32)
LARGEST_NUMBER = 1e6  # in a vector; embedders give unit vectors or numbers of some hundreds, so more is damage


@dataclass(frozen=True, slots=True)
class Staged:
    """One added document or raw issue and the file it came from."""

    id: str
    root: str
    relative: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StagedPlace:
    """An added document or raw issue without its body: ``root`` is empty where it was imported."""

    kind: str
    id: str
    root: str
    relative: str


class WorkspaceFile:
    """One connection to the file; open one a thread.

    Threads that share one must write in ``transaction`` only, which lets one of them in at a time. It ``shows`` the
    records that readers see, those of a version by its number, or those of the candidate.
    """

    def __init__(self, path: Path, *, create: bool = False, shows: str = "", url: str = "") -> None:
        self.path, self.store = path, store_of(url) if url else None
        self._lock = threading.RLock()
        self._writing = False
        self._shown = "record"  # the table of what is shown, or the query in its place
        if self.store is not None:
            self._db: Any = self.store.connect()
            self.read_only, self.inode = self._db.read_only, 0
        else:
            if not create and not path.exists():
                raise BadInputError(f"{path.parent} is no workspace; make one with: autokb init {path.parent}")
            if create and not path.exists():
                create_database(path)
            opened = open_database(path)
            self._db, self.read_only = opened.connection, opened.read_only
            self.inode = path.stat().st_ino
        try:
            self._show(shows)
        except BaseException:
            self._db.close()
            raise

    def _show(self, shows: str) -> None:
        """Read another version, or the candidate, in the place of the newest version from now on."""
        self.shows = shows
        if shows == CANDIDATE:
            self.candidate()
        elif shows:
            self._check_version(shows)
        self._look()

    def _look(self) -> None:
        """Find out what is shown: another process may have published or rolled back since."""
        shows = self.shows
        if not self.is_on_server and self.meta("schema") in BEFORE_VERSIONS:  # nobody can write it; it has one version
            return
        wanted = shows or str(self.rolled_back or "")
        is_another = wanted == CANDIDATE or (wanted and int(wanted) != newest_number(self._db))
        self._shown = f"({select_shown(wanted)}) AS shown" if is_another else "record"

    def _check_version(self, number: str) -> None:
        """Refuse a version that is not kept (BadInputError)."""
        if not any(str(one.number) == number for one in self.versions()):
            raise BadInputError(NO_VERSION.format(number=number, folder=self.path.parent))

    def close(self) -> None:
        """Close the connection; the file is complete at any time."""
        self._db.close()

    @property
    def is_on_server(self) -> bool:
        """Whether a server keeps the workspace."""
        return self.store is not None

    @property
    def size(self) -> int:
        """How many bytes the workspace takes, on the disk or the server."""
        return self.path.stat().st_size if self.store is None else self.store.health().bytes

    def copy_to(self, path: Path) -> None:
        """Write a copy of the whole workspace as it is now, as a file."""
        if self.is_on_server:
            create_database(path)
            with self.snapshot(), closing(sqlite3.connect(path)) as own, own:
                for table in tables_of(own):
                    columns = ", ".join(columns_of(own, table))
                    rows = self._db.execute(f"SELECT {columns} FROM {table} ORDER BY {order_of(table)}")
                    own.execute(f"DELETE FROM {table}")
                    own.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks(columns.split(', '))})", rows)
                own.execute("DELETE FROM meta WHERE key >= 'plugin ' AND key < 'plugin!'")  # whose tables stay behind
            return
        copy = sqlite3.connect(path)
        try:
            self._db.backup(copy)
        finally:
            copy.close()

    def wait_at_most(self, seconds: float) -> None:
        """Wait no longer than this for another process's transaction from now on (WorkspaceBusyError then)."""
        if self.is_on_server:
            self._db.wait_seconds = seconds
            return
        self.change(f"PRAGMA busy_timeout = {int(1000 * seconds)}")

    def is_in_place(self) -> bool:
        """Return whether the open file is still the one at its path, and not a copy that was put there since."""
        try:
            return self.is_on_server or self.path.stat().st_ino == self.inode
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
                self._look()
                yield
            except BaseException:
                self._db.rollback()
                raise
            self._db.commit()
        except sqlite3.OperationalError as error:
            if self._db.in_transaction:
                self._db.rollback()
            if result_code(error) not in DISK:
                raise failure(self.path, error) from None
            raise UnwritableWorkspaceError(
                f"The workspace could not be written ({error}). Nothing was changed; free some disk space or make the "
                "folder writable and run the command again."
            ) from error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give the connection to a table of this package; what another thread is writing is waited for."""
        with self._lock:
            yield self._db

    def rows(self, query: str, parameters: Sequence[Any] = (), *, lacked_by: Sequence[str] = ()) -> list[Any]:
        """Return the rows of a query; none where the file is of a version that lacks the table.

        Such a file is one that nobody could bring up to date. What another thread is writing is waited for.
        """
        if lacked_by and self.meta("schema") in lacked_by:
            return []
        with self.reading() as db:
            return db.execute(query, parameters).fetchall()

    def change(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        """Run a statement that changes a table of this package; call it inside a transaction."""
        with self.reading() as db:
            db.execute(statement, parameters)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Make all reads inside see one state, also while another process publishes.

        A connection has one transaction at a time, so threads that share it wait for one another.
        """
        with self._lock:
            if self._db.in_transaction:
                yield
                return
            self._db.execute("BEGIN")
            try:
                self._look()
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
        self._db.execute(KEEP_NOTE, (key, value))

    # -- staged sources ----------------------------------------------------------------------------

    def staged(self, kind: str) -> list[Staged]:
        """Return everything added of a kind, ordered by id."""
        rows = self._db.execute("SELECT id, root, relative, body FROM staged WHERE kind = ? ORDER BY id", (kind,))
        return [_read_staged(row) for row in rows]

    def staged_some(self, kind: str, ids: Sequence[str]) -> dict[str, Staged]:
        """Return what was added of a kind under these ids."""
        found: dict[str, Staged] = {}
        for part in parts_of(ids):
            select = f"SELECT id, root, relative, body FROM staged WHERE kind = ? AND id IN ({marks(part)})"
            found |= {row[0]: _read_staged(row) for row in self._db.execute(select, [kind, *part])}
        return found

    def staged_places(self) -> list[StagedPlace]:
        """Return everything added, without reading a body, ordered by kind and id."""
        rows = self._db.execute("SELECT kind, id, root, relative FROM staged ORDER BY kind, id")
        return [StagedPlace(*row) for row in rows]

    def stage(self, kind: str, items: Iterable[Staged]) -> None:
        """Add or replace sources; call it inside a transaction."""
        rows = ((kind, s.id, s.root, s.relative, canonical_json(s.body)) for s in items)
        self._db.executemany(put("staged", "kind, id, root, relative, body", key="kind, id"), rows)

    def unstage(self, kind: str, ids: Iterable[str]) -> None:
        """Remove sources; call it inside a transaction."""
        for part in parts_of(list(ids)):
            self._db.execute(f"DELETE FROM staged WHERE kind = ? AND id IN ({marks(part)})", [kind, *part])

    # -- finished work -----------------------------------------------------------------------------

    def finished(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the stored replies of those keys that were worked out before."""
        found: dict[str, str] = {}
        for part in parts_of(keys):
            select = f"SELECT key, {as_bytes('reply')} FROM work WHERE key IN ({marks(part)})"
            for key, reply in self._db.execute(select, part):
                with suppress(UnicodeDecodeError):  # it counts as missing
                    found[key] = reply.decode()
        return found

    def finish(self, stage: str, replies: Mapping[str, str], requests: Mapping[str, str] | None = None) -> None:
        """Store replies under their keys, on disk before it returns.

        ``requests`` names the keys in the ledger that an item's answer came from, with spaces between them.
        """
        origin = requests or {}
        with self.transaction():
            rows = ((key, stage, reply, origin.get(key)) for key, reply in replies.items())
            self._db.executemany(put("work", "key, stage, reply, request", key="key"), rows)

    def origins(self, keys: Sequence[str]) -> dict[str, str]:
        """Return the ledger keys that the answers of these items came from; only those that a model gave."""
        found: dict[str, str] = {}
        for part in parts_of(keys):
            rows = self._db.execute(
                f"SELECT key, request FROM work WHERE request IS NOT NULL AND key IN ({marks(part)})", part
            )
            found.update(rows)
        return found

    def dimensions(self, embedder: str) -> int:
        """Return the length of an embedder's vectors that are kept here; 0 where there are none yet."""
        with damaged_rows("meta"):
            return int(self.meta(_dimensions_entry(embedder)) or 0)

    def vectors(self, embedder: str, texts: Sequence[str], dimensions: int) -> tuple[Vectors, list[int]]:
        """Return an array of (len(texts), dimensions) and the positions whose vector is not stored yet."""
        keys = [vector_key(embedder, text) for text in texts]
        found: dict[bytes, bytes] = {}
        for part in parts_of(sorted(set(keys))):
            found.update(self._db.execute(f"SELECT key, data FROM vector WHERE key IN ({marks(part)})", part))
        array = np.zeros((len(texts), dimensions), dtype=np.float32)
        missing = []
        for row, key in enumerate(keys):
            data = found.get(key)
            if not isinstance(data, bytes) or len(data) != dimensions * 4:
                missing.append(row)
            else:
                array[row] = np.frombuffer(data, dtype="<f4")
        if array.size and not (array.max() < LARGEST_NUMBER and array.min() > -LARGEST_NUMBER):  # NaN is neither
            damaged = np.flatnonzero(~(np.abs(array) < LARGEST_NUMBER).all(axis=1))
            missing = sorted({*missing, *map(int, damaged)})
        return array, missing

    def keep_vectors(self, embedder: str, texts: Sequence[str], vectors: Vectors) -> None:
        """Store the vectors of texts, and how long they are, on disk before it returns."""
        with self.transaction():
            rows = ((vector_key(embedder, t), v.astype("<f4").tobytes()) for t, v in zip(texts, vectors, strict=True))
            self._db.executemany(KEEP_VECTOR, rows)
            noted = (_dimensions_entry(embedder), str(vectors.shape[1]))
            self._db.execute(put_if_new("meta", "key, value"), noted)

    def token_vectors(self, name: str, texts: Sequence[str], dimensions: int) -> dict[str, TokenVectors]:
        """Return the tokens of the texts that are stored, by text; one that was damaged is not."""
        keys = {vector_key(name, text): text for text in texts}
        found: dict[str, TokenVectors] = {}
        for part in parts_of(sorted(keys)):
            for key, data in self._db.execute(f"SELECT key, data FROM vector WHERE key IN ({marks(part)})", part):
                count, rest = divmod(len(data) if isinstance(data, bytes) else 1, dimensions + 2)
                if not rest:
                    pieces = np.frombuffer(data, dtype="<u2", count=count)
                    rows = np.frombuffer(data, dtype=np.int8, offset=2 * count).reshape(count, dimensions)
                    found[keys[key]] = TokenVectors(pieces, rows, NO_VECTOR)
        return found

    def keep_token_vectors(self, name: str, texts: Sequence[str], tokens: Sequence[TokenVectors]) -> None:
        """Store the tokens of texts on disk before it returns; the vectors of the texts themselves are not among it."""
        with self.transaction():
            rows = (
                (vector_key(name, text), one.pieces.astype("<u2").tobytes() + one.vectors.tobytes())
                for text, one in zip(texts, tokens, strict=True)
            )
            self._db.executemany(KEEP_VECTOR, rows)

    # -- versions ----------------------------------------------------------------------------------

    @property
    def generation(self) -> str:
        """What tells what is shown now from what was shown before a publication, or a decision of a person."""
        return self._moment("generation")

    @property
    def publication(self) -> str:
        """What tells what is shown now from what was shown before a publication."""
        return self._moment(PUBLICATIONS)

    def _moment(self, counted: str) -> str:
        moment = self.meta(counted) or "0"
        if self.shows == CANDIDATE:
            return f"{moment} {digest(self.meta(CANDIDATE) or '')}"
        return moment

    def versions(self) -> list[StoredVersion]:
        """Return what was noted of each version that is kept, from the oldest."""
        if self.meta("schema") in BEFORE_VERSIONS:
            return [StoredVersion(1, {})] if self._db.execute("SELECT 1 FROM record LIMIT 1").fetchone() else []
        return stored_versions(self._db)

    @property
    def shown_version(self) -> int:
        """The number of the version that readers see, 0 where nothing was published yet."""
        return self.rolled_back or max((one.number for one in self.versions()), default=0)

    @property
    def rolled_back(self) -> int:
        """The number of the version that readers see since a rollback, 0 where they see the newest."""
        with damaged_rows("meta"):
            return int(self.meta(SHOWN) or 0)

    def vacuum(self, *, forget_work: bool) -> None:
        """Write the file anew: what was deleted is then in neither the file nor its write-ahead log.

        To ``forget_work`` is to delete the finished work that no model was paid for.
        """
        with self.reading() as db:
            if forget_work:
                db.execute("DELETE FROM work WHERE request IS NULL")
            if self.store is not None:
                self.store.rewrite()
            else:
                db.execute("VACUUM")
        self.empty_log()

    def overwrite_deleted(self) -> None:
        """Have what is deleted from now on leave nothing behind in the file."""
        self.change("PRAGMA secure_delete = ON")

    def empty_log(self, table: str = "") -> None:
        """Merge the write-ahead log, in which what was deleted may still stand, into the file.

        A server writes the ``table`` anew, without what was deleted of it.
        """
        with self.reading() as db:
            if self.store is not None and table:
                self.store.rewrite(table)
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def show_version(self, number: int) -> None:
        """Have readers see a version (BadInputError: it is not kept); call it inside a transaction."""
        self._check_version(str(number))
        if number == newest_number(self._db):
            self._db.execute("DELETE FROM meta WHERE key = ?", (SHOWN,))
        else:
            self.note(SHOWN, str(number))
        self._count_publication()
        self._show("")

    def newest(self, kind: str, record_id: str) -> dict[str, Any] | None:
        """Return a record of the newest version, whichever readers see, or None."""
        body = records_of(self._db, 0, [kind]).get((kind, record_id))
        return None if body is None else read_object("record", body)

    def keep_candidate(self, records: Mapping[tuple[str, str], str], body: Mapping[str, Any]) -> None:
        """Keep records beside what readers see, in the place of a candidate that waits; inside a transaction."""
        keep_candidate(self._db, records, body)

    @property
    def has_candidate(self) -> bool:
        """Whether a candidate waits."""
        return self.meta("schema") not in BEFORE_VERSIONS and has_candidate(self._db)

    def counts_of(self, shows: str) -> dict[str, int]:
        """Return how many records of each kind a version or the candidate has, and the ``displayed`` solutions."""
        if self.meta("schema") in BEFORE_VERSIONS:
            shows = ""
        return counts_of(self._db, shows)

    def first_versions(self, kind: str) -> dict[str, int]:
        """Return the first version that had each record of a kind; of solutions, that readers saw."""
        return {} if self.meta("schema") in BEFORE_VERSIONS else first_versions(self._db, kind)

    def candidate(self) -> dict[str, Any]:
        """Return what was noted of the candidate (BadInputError where there is none)."""
        if not self.has_candidate:
            raise BadInputError(NO_CANDIDATE.format(folder=self.path.parent))
        return read_candidate(self._db)

    @property
    def differs_for_readers(self) -> bool:
        """Whether readers would see anything else, were the candidate published."""
        return bool(self.rolled_back) or candidate_differs(self._db)

    def candidate_records(self) -> dict[tuple[str, str], str]:
        """Return the records of the candidate."""
        return records_of(self._db, CANDIDATE)

    def drop_candidate(self) -> None:
        """Forget the candidate; call it inside a transaction."""
        drop_candidate(self._db)

    # -- the published knowledge base --------------------------------------------------------------

    def records(self, kind: str, after: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield id and body of the published records of a kind, ordered by id, from behind an id on."""
        select = f"SELECT id, body FROM {self._shown} WHERE kind = ? AND id > ? ORDER BY id"
        for record_id, body in self._db.execute(select, (kind, after)):
            yield record_id, read_object("record", body)

    def record(self, kind: str, record_id: str) -> dict[str, Any] | None:
        """Return one published record or None."""
        select = f"SELECT body FROM {self._shown} WHERE kind = ? AND id = ?"
        row = self._db.execute(select, (kind, record_id)).fetchone()
        return None if row is None else read_object("record", row[0])

    def titles(self, kind: str) -> dict[str, str]:
        """Return the titles of the published records of a kind by their ids, without reading anything else of them."""
        select = f"SELECT id, {json_text('title')} FROM {self._shown} WHERE kind = ?"
        return {_text("record", i): _text("record", title) for i, title in self._db.execute(select, (kind,))}

    def fields(self, kind: str, *names: str, ids: Sequence[str] | None = None) -> dict[str, tuple[str, ...]]:
        """Return some texts of the published records of a kind by their ids, of all or of those with these ``ids``.

        A text that is not there is empty.
        """
        columns = "".join(f", coalesce({json_text(name)}, '')" for name in names)
        select = f"SELECT id{columns} FROM {self._shown} WHERE kind = ?"
        found: dict[str, tuple[str, ...]] = {}
        for part in [None] if ids is None else parts_of(ids):
            which = "" if part is None else f" AND id IN ({marks(part)})"
            rows = self._db.execute(f"{select}{which} ORDER BY id", [kind, *(part or ())])
            found |= {_text("record", i): tuple(_text("record", value) for value in values) for i, *values in rows}
        return found

    def lines(self) -> Iterator[tuple[str, str, str]]:
        """Yield kind, id and JSON body of everything published, ordered by kind and id."""
        select = f"SELECT kind, id, body FROM {self._shown} ORDER BY 1, 2"
        for row in self._db.execute(select):  # noqa: UP028 - it would close the cursor after the connection
            yield row

    # Complex: what is lost is known between the records and the pointer, all in one transaction.
    def publish(self, records: Mapping[tuple[str, str], str], kinds: Sequence[str], made: Made = NOT_NOTED) -> int:
        """Replace the records of the kinds by these in one step, as a new version that readers see.

        Returns how many rows changed; where none did there is no new version. Call it inside a transaction. Records
        that stay as they are are not written again. Where readers see an earlier version since a rollback, its records
        of other kinds are published with these. HalfLostError where readers would have less than half of what they
        see, unless somebody forces it.
        """
        back, before = self.rolled_back, self._shown_counts()
        if back:
            records = {**self._others_of(back, kinds), **records}
        old = records_of(self._db, 0, () if back else kinds)
        gone = [key for key in old if key not in records]
        changed = {key: body for key, body in records.items() if old.get(key) != body}
        if number := len(gone) + len(changed):
            replace_records(self._db, gone, changed, made)
        if number or back:
            if lost := find_losses(before, counts_of(self._db, 0)):
                if not made.forced_by:
                    raise HalfLostError(lost)
                note_forced(self._db, newest_number(self._db), made.forced_by, lost)
            self._db.execute("DELETE FROM meta WHERE key = ?", (SHOWN,))
            self._count_publication()
            self._show("")
        return number

    def _shown_counts(self) -> dict[str, int]:
        return counts_of(self._db, self.rolled_back)

    def candidate_losses(self) -> tuple[str, ...]:
        """Say of what the candidate has less than half of what readers see."""
        return find_losses(self._shown_counts(), counts_of(self._db, CANDIDATE))

    def _others_of(self, version: int, kinds: Sequence[str]) -> dict[tuple[str, str], str]:
        return {key: body for key, body in records_of(self._db, version).items() if key[0] not in kinds}

    def _count_publication(self) -> None:
        self.count_generation()
        with damaged_rows("meta"):
            self.note(PUBLICATIONS, str(int(self.meta(PUBLICATIONS) or 0) + 1))

    # -- decisions of people -----------------------------------------------------------------------

    def decisions(self, kind: str) -> list[tuple[str, dict[str, Any]]]:
        """Return id and body of the edits, verdicts or solutions by hand, in the order in which they were taken."""
        if self.meta("schema") in BEFORE_DECISIONS:  # a file that nobody can write is read as it is
            if kind != "edit":
                return []
            edits = [(i, read_object("edit", body)) for i, body in self._db.execute("SELECT id, body FROM edit")]
            return sorted(edits, key=lambda row: (str(row[1].get("date", "")), row[0]))
        rows = self._db.execute("SELECT id, number, body FROM decision WHERE kind = ? ORDER BY number, id", (kind,))
        return [(i, {**read_object("decision", body), "number": int(number)}) for i, number, body in rows]

    def last_number(self) -> int:
        """Return the number of the decision that was taken last; 0 where there is none."""
        return int(self._db.execute("SELECT coalesce(max(number), 0) FROM decision").fetchone()[0])

    def keep_decisions(self, kind: str, bodies: Mapping[str, Mapping[str, Any]]) -> None:
        """Store decisions under the numbers in their bodies; call it inside a transaction."""
        rows = [
            (kind, i, body["number"], canonical_json({k: v for k, v in body.items() if k != "number"}))
            for i, body in bodies.items()
        ]
        self._db.executemany(put("decision", "kind, id, number, body", key="kind, id"), rows)
        if rows:
            self.count_generation()

    def drop_all_decisions(self) -> None:
        """Forget every edit, verdict and solution by hand; call it inside a transaction."""
        self._db.execute("DELETE FROM decision")
        self.count_generation()

    def count_generation(self) -> None:
        """Let readers load what is published anew; call it inside a transaction."""
        with damaged_rows("meta"):
            self.note("generation", str(int(self.meta("generation") or 0) + 1))

    # -- costs -------------------------------------------------------------------------------------

    def spend(self, rows: Iterable[tuple[str, str, int, int, int, int, float | None]]) -> None:
        """Note what requests cost: stage, task, calls, cached, input, output, cost; call it inside a transaction."""
        self._db.executemany(
            "INSERT INTO spend (stage, room, calls, cached, input, output, cost) VALUES (?, ?, ?, ?, ?, ?, ?)", rows
        )

    def spent(self) -> list[tuple[str, str, int, int, int, int, float | None]]:
        """Return everything ever spent, one row a build, stage and task."""
        rows = list(self._db.execute("SELECT stage, room, calls, cached, input, output, cost FROM spend ORDER BY id"))
        with damaged_rows("spend"):
            for stage, task, *figures, cost in rows:
                _text("spend", stage), _text("spend", task)
                sum(figures, cost or 0.0)  # a TypeError where one is no number
        return rows


def _read_staged(row: Sequence[Any]) -> Staged:
    source_id, root, relative = (_text("staged", text) for text in row[:3])
    return Staged(source_id, root, relative, read_object("staged", row[3]))


def _text(table: str, value: Any) -> str:
    """Return the value of a column that must be a text (DamagedRowError); SQLite itself has no types for columns."""
    if not isinstance(value, str):
        raise DamagedRowError(table)
    return value


def vector_key(embedder: str, text: str) -> bytes:
    """Return the key of a vector: the hash of its embedder and its text."""
    return bytes.fromhex(digest(embedder, text))


def _dimensions_entry(embedder: str) -> str:
    return f"dimensions of {embedder}"


def parts_of(keys: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield keys in parts that fit into one statement."""
    for start in range(0, len(keys), PARAMETERS_AT_ONCE):
        yield list(keys[start : start + PARAMETERS_AT_ONCE])
