"""Tables copied from one store into another, row by row in the order of their keys, and compared afterwards.

A batch is one transaction of the target, and the last key that is there says how far a copy came. So a copy that was
killed goes on where it stopped.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

from autokb.core.errors import AutokbError, BadInputError
from autokb.stores.schema import BY_ROWID, SCHEMA, tables_of
from autokb.stores.sql import marks
from autokb.stores.workspace_file import WorkspaceFile

BATCH = 200  # rows of one transaction; a body of some MiB each still fits into memory
META = "meta"  # copied last and whole: what it notes of the target, such as its version, is there from the beginning
KINDS = {"TEXT": str, "INTEGER": int, "REAL": float, "BLOB": bytes}
# What a text of Postgres cannot hold: a NUL, and half a character.
_NO_TEXT = re.compile(r"[\x00\ud800-\udfff]")
# In JSON: an escaped backslash, a whole pair, or what is neither; its functions refuse a whole body with one such text.
_ESCAPE = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<no_text>\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2}))"
)
Told = Callable[[int], None]  # is told how many rows more are done


@dataclass(frozen=True, slots=True)
class Table:
    """A table's columns, with the Python type of each, and those by which its rows are ordered."""

    name: str
    columns: tuple[str, ...]
    kinds: tuple[type, ...]
    key: tuple[str, ...]

    def key_of(self, row: Sequence[Any]) -> tuple[Any, ...]:
        """Return the key of a row."""
        return tuple(row[self.columns.index(name)] for name in self.key)


@cache
def all_tables(migrations: tuple[str, ...] = ()) -> tuple[Table, ...]:
    """Return every table that a workspace has, as the schema and plug-ins' ``migrations`` make them; ``meta`` last."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(";".join((SCHEMA, *migrations)))
        found = [_table(db, name) for name in tables_of(db)]
    return tuple(sorted(found, key=lambda table: (table.name == META, table.name)))


def _table(db: sqlite3.Connection, name: str) -> Table:
    rows = db.execute(f"PRAGMA table_info({name})").fetchall()
    columns = tuple(str(row[1]) for row in rows)
    kinds = tuple(KINDS[row[2]] for row in rows)
    if name in BY_ROWID:
        return Table(name, (*columns, "rowid"), (*kinds, int), ("rowid",))
    key = tuple(str(row[1]) for row in sorted(rows, key=lambda row: int(row[5])) if row[5])
    return Table(name, columns, kinds, key)


def read_bytes_as_text(file: WorkspaceFile) -> None:
    """Let a text that is no UTF-8 be read from an SQLite file, so that its row can be named."""
    if not file.is_on_server:
        with file.reading() as db:
            db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")


def count_rows(file: WorkspaceFile, table: Table) -> int:
    """Return how many rows a table has."""
    with file.reading() as db:
        return int(db.execute(f"SELECT count(*) FROM {table.name}").fetchone()[0])


def copy_table(source: WorkspaceFile, target: WorkspaceFile, table: Table, told: Told) -> None:
    """Copy the rows behind the last one that the target has.

    BadInputError where a text is none for Postgres; AutokbError where a value has not its column's type.
    """
    if table.name == META:
        rows = [row for batch in _batches(source, table, ()) for row in batch]
        with target.transaction():
            empty_table(target, table)
            _put(source, target, table, rows)
        told(len(rows))
        return
    for rows in _batches(source, table, _last_key(target, table)):
        with target.transaction():
            _put(source, target, table, rows)
        told(len(rows))


def empty_table(file: WorkspaceFile, table: Table) -> None:
    """Delete all rows of a table."""
    with file.transaction(), file.reading() as db:
        db.execute(f"DELETE FROM {table.name}")


def fingerprint(file: WorkspaceFile, table: Table, told: Told) -> tuple[int, str]:
    """Return how many rows a table has, and a SHA-256 over all of them in the order of their keys."""
    found, count = sha256(), 0
    for rows in _batches(file, table, ()):
        for row in rows:
            found.update(repr(tuple(row)).encode("utf-8", "surrogateescape") + b"\n")
        count += len(rows)
        told(len(rows))
    return count, found.hexdigest()


def _batches(file: WorkspaceFile, table: Table, after: tuple[Any, ...]) -> Iterator[list[tuple[Any, ...]]]:
    key = ", ".join(table.key)
    select = f"SELECT {', '.join(table.columns)} FROM {table.name}"
    rest = f"ORDER BY {key} LIMIT {BATCH}"
    with file.reading() as db:
        while True:
            where = f"WHERE ({key}) > ({marks(after)})" if after else ""
            rows = db.execute(f"{select} {where} {rest}", after).fetchall()
            if rows:
                after = table.key_of(rows[-1])
                yield rows
            if len(rows) < BATCH:
                return


def _last_key(file: WorkspaceFile, table: Table) -> tuple[Any, ...]:
    falling = ", ".join(f"{name} DESC" for name in table.key)
    with file.reading() as db:
        row = db.execute(f"SELECT {', '.join(table.key)} FROM {table.name} ORDER BY {falling} LIMIT 1").fetchone()
    return () if row is None else tuple(row)


def _put(source: WorkspaceFile, target: WorkspaceFile, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
    if not source.is_on_server:
        for row in rows:
            _check(table, row)
    numbered = " OVERRIDING SYSTEM VALUE" if target.is_on_server else ""  # its numbers are those of the source
    columns = ", ".join(table.columns)
    with target.reading() as db:
        db.executemany(
            f"INSERT INTO {table.name} ({columns}){numbered} VALUES ({marks(table.columns)})",
            [list(row) for row in rows],
        )


def _check(table: Table, row: tuple[Any, ...]) -> None:
    """Refuse a row that Postgres could not keep as it is; SQLite has no types, and texts that are none."""
    for name, kind, value in zip(table.columns, table.kinds, row, strict=True):
        if value is None:
            continue
        if not isinstance(value, kind):
            raise AutokbError(
                f"{_place(table, row)} is damaged: its column {name!r} holds no {kind.__name__}. Nothing was switched "
                "over; restore a backup, or delete that row, and run this again."
            )
        if isinstance(value, str) and _is_no_text(value, is_json=name == "body"):
            raise BadInputError(
                f"{_place(table, row)} holds a NUL or half a character in {name!r}, which Postgres cannot keep. "
                "Nothing was switched over; take it out of the text that it came with (mend the file, add it, and "
                "build), and run this again."
            )


def _is_no_text(value: str, *, is_json: bool) -> bool:
    if _NO_TEXT.search(value):
        return True
    return is_json and "\\u" in value and any(found["no_text"] for found in _ESCAPE.finditer(value))


def _place(table: Table, row: tuple[Any, ...]) -> str:
    """Name a row by its table and its key."""
    shown = (value.hex() if isinstance(value, bytes) else str(value) for value in table.key_of(row))
    key = ", ".join(re.sub(r"[\x00-\x1f\ud800-\udfff]", "\ufffd", one)[:100] for one in shown)
    return f"The row {key} of the table {table.name}"
