"""The tables of the workspace file, and how a file of an earlier version becomes one of this."""

from __future__ import annotations

import sqlite3

from autokb import __version__

APPLICATION_ID = 0x414B4231  # "AKB1": says in the header of an SQLite file that it is ours
WRITTEN_BY = "written_by"  # meta: the version of autokb that made the file, or brought it up to date
TABLES_OF_VERSION_1 = {"meta", "staged", "work", "record"}  # those that tell such a file, which has no id in its header
SCHEMA_VERSION = "2"
EARLIER = ("1",)  # read as they are where nobody can write them, else brought up to date
REQUEST = """
CREATE TABLE IF NOT EXISTS request (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, base_key TEXT NOT NULL, stage TEXT NOT NULL,
    room TEXT NOT NULL, model TEXT NOT NULL, items TEXT NOT NULL, state TEXT NOT NULL, text TEXT,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cached INTEGER NOT NULL, finish TEXT, cost REAL,
    calls INTEGER NOT NULL, batch TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS request_unreadable ON request (base_key) WHERE state = 'unreadable';
CREATE INDEX IF NOT EXISTS request_open ON request (state, room) WHERE state IN ('paid', 'awaited');
"""
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS staged (
    kind TEXT NOT NULL, id TEXT NOT NULL, root TEXT NOT NULL, relative TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (kind, id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS staged_place ON staged (kind, root, relative);
CREATE TABLE IF NOT EXISTS work (key TEXT PRIMARY KEY, stage TEXT NOT NULL, reply TEXT NOT NULL, request TEXT);
CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS record (kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id));
CREATE TABLE IF NOT EXISTS edit (id TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS spend (
    id INTEGER PRIMARY KEY, stage TEXT NOT NULL, room TEXT NOT NULL, calls INTEGER NOT NULL, cached INTEGER NOT NULL,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cost REAL);
{REQUEST}
"""


def make_schema(db: sqlite3.Connection) -> None:
    """Make the tables of a new file."""
    db.execute("PRAGMA journal_mode = WAL")
    db.executescript(SCHEMA)
    db.execute("INSERT OR IGNORE INTO meta VALUES ('schema', ?)", (SCHEMA_VERSION,))
    _mark_as_ours(db)


def readable(version: str) -> bool:
    """Return whether a file of this version can be read."""
    return version == SCHEMA_VERSION or version in EARLIER


def migrate(db: sqlite3.Connection) -> None:
    """Bring a file of an earlier version up to date in one transaction; any other is left as it is."""
    if read_meta(db, "schema") not in EARLIER:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        if read_meta(db, "schema") == "1":  # another process may have been faster
            db.execute("ALTER TABLE work ADD COLUMN request TEXT")
            for statement in filter(None, map(str.strip, REQUEST.split(";"))):
                db.execute(statement)
            db.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (SCHEMA_VERSION,))
            _mark_as_ours(db)
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def _mark_as_ours(db: sqlite3.Connection) -> None:
    """Note whose file this is, and which version to install for it once its schema is newer than a program's."""
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (WRITTEN_BY, __version__))


def read_meta(db: sqlite3.Connection, key: str) -> str | None:
    """Return a noted value or None."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])
