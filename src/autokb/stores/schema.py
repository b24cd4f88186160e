"""The tables of the workspace file, and how a file of an earlier version becomes one of this."""

from __future__ import annotations

import sqlite3

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


def readable(version: str) -> bool:
    """Return whether a file of this version can be read."""
    return version == SCHEMA_VERSION or version in EARLIER


def migrate(db: sqlite3.Connection) -> None:
    """Bring a file of an earlier version up to date in one transaction; any other is left as it is."""
    if _read_version(db) not in EARLIER:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        if _read_version(db) == "1":  # another process may have been faster
            db.execute("ALTER TABLE work ADD COLUMN request TEXT")
            for statement in filter(None, map(str.strip, REQUEST.split(";"))):
                db.execute(statement)
            db.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (SCHEMA_VERSION,))
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def _read_version(db: sqlite3.Connection) -> str | None:
    row = db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    return None if row is None else str(row[0])
