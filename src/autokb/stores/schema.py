"""The tables of the workspace file, and how a file of an earlier version becomes one of this."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from autokb import __version__
from autokb.core.ids import canonical_json, short_id
from autokb.stores.sql import put, put_if_new

APPLICATION_ID = 0x414B4231  # "AKB1": says in the header of an SQLite file that it is ours
WRITTEN_BY = "written_by"  # meta: the version of autokb that made the file, or brought it up to date
TABLES_OF_VERSION_1 = {"meta", "staged", "work", "record"}  # those that tell such a file, which has no id in its header
SCHEMA_VERSION = "10"
# Read as they are where nobody can write them, else brought up to date.
EARLIER = BEFORE_HOOKS = ("1", "2", "3", "4", "5", "6", "7", "8", "9")
BEFORE_VERSIONS = ("1", "2", "3", "4", "5", "6", "7", "8")
BEFORE_IN_USE = ("1", "2", "3", "4", "5", "6", "7")
BEFORE_KEYS = ("1", "2", "3", "4", "5", "6")
BEFORE_FEEDBACK = ("1", "2", "3", "4", "5")
BEFORE_TICKETS = ("1", "2", "3", "4")
BEFORE_REASONING = ("2", "3")  # their requests lack ``ADDED``; those of version 1 had none at all
BEFORE_LEDGER = ("1",)
BEFORE_DECISIONS = ("1", "2")  # edits had a table of their own, verdicts stood in the solutions
ADDED = ("reasoning", "cap")  # columns of ``request`` since version 4; unknown of what was asked before
REQUEST = """
CREATE TABLE IF NOT EXISTS request (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, base_key TEXT NOT NULL, stage TEXT NOT NULL,
    room TEXT NOT NULL, model TEXT NOT NULL, items TEXT NOT NULL, state TEXT NOT NULL, text TEXT,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cached INTEGER NOT NULL, finish TEXT, cost REAL,
    calls INTEGER NOT NULL, batch TEXT NOT NULL, reasoning INTEGER, cap INTEGER);
CREATE INDEX IF NOT EXISTS request_unreadable ON request (base_key) WHERE state = 'unreadable';
CREATE INDEX IF NOT EXISTS request_open ON request (state, room) WHERE state IN ('paid', 'awaited');
"""
DECISION = """
CREATE TABLE IF NOT EXISTS decision (
    kind TEXT NOT NULL, id TEXT NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id));
"""
FEEDBACK = """
CREATE TABLE IF NOT EXISTS feedback (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, undone INTEGER NOT NULL, body TEXT NOT NULL);
"""
API_KEYS = """
CREATE TABLE IF NOT EXISTS api_key (
    id TEXT PRIMARY KEY, role TEXT NOT NULL, created TEXT NOT NULL, revoked TEXT, hash TEXT NOT NULL UNIQUE);
"""
ANNOTATIONS = """
CREATE TABLE IF NOT EXISTS annotation (
    item TEXT NOT NULL, annotator TEXT NOT NULL, text_hash TEXT NOT NULL, is_correct INTEGER NOT NULL,
    author TEXT NOT NULL, date TEXT NOT NULL, PRIMARY KEY (item, annotator));
"""
IN_USE = """
CREATE TABLE IF NOT EXISTS question (number INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS closed_gap (
    id TEXT PRIMARY KEY, status TEXT NOT NULL, author TEXT NOT NULL, date TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS arm (
    conversation TEXT NOT NULL, salt TEXT NOT NULL, arm TEXT NOT NULL, date TEXT NOT NULL,
    PRIMARY KEY (conversation, salt));
CREATE TABLE IF NOT EXISTS outcome (
    conversation TEXT PRIMARY KEY, resolved INTEGER, returned INTEGER, seconds REAL, date TEXT NOT NULL);
"""
# What readers saw before: each text once, for the versions from ``since`` up to, and not including, ``until``. What a
# candidate has otherwise than the newest version; a body of NULL is a record that it lacks.
VERSIONS = """
CREATE TABLE IF NOT EXISTS version (number INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS past_record (
    kind TEXT NOT NULL, id TEXT NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (kind, id, since));
CREATE INDEX IF NOT EXISTS past_record_until ON past_record (until);
CREATE TABLE IF NOT EXISTS candidate (kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT, PRIMARY KEY (kind, id));
"""
CHECKS = """
CREATE TABLE IF NOT EXISTS checks (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL);
"""
# What people said of a finding of ``stale``: settled or dismissed, by whom and when.
FINDINGS = """
CREATE TABLE IF NOT EXISTS finding (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
"""
# How far each source of the settings has been read, and what is known of each of its items.
SYNC = """
CREATE TABLE IF NOT EXISTS sync_source (name TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sync_item (
    source TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (source, key)) WITHOUT ROWID;
"""
SINCE = "ALTER TABLE record ADD COLUMN since INTEGER NOT NULL DEFAULT 1"  # the version that a record came with
EDGE_TYPES = "CREATE INDEX IF NOT EXISTS ticket_edge_type ON ticket_edge (type)"
TICKETS = f"""
CREATE TABLE IF NOT EXISTS ticket (id TEXT PRIMARY KEY, body TEXT NOT NULL, fingerprint TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS ticket_section (
    ticket TEXT NOT NULL, section TEXT NOT NULL, parent TEXT, relation TEXT NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (ticket, section));
CREATE TABLE IF NOT EXISTS ticket_piece (
    ticket TEXT NOT NULL, section TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS ticket_piece_ticket ON ticket_piece (ticket);
CREATE TABLE IF NOT EXISTS ticket_edge (
    source TEXT NOT NULL, type TEXT NOT NULL, target TEXT NOT NULL, origin TEXT NOT NULL, dangling INTEGER NOT NULL,
    score REAL NOT NULL, PRIMARY KEY (source, type, target, origin)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ticket_edge_target ON ticket_edge (target, type);
{EDGE_TYPES};
"""
# Messages of helpdesks, each once, whatever is sent twice: what is to be done is ``open`` from the moment ``due`` on,
# in seconds of Unix, and whoever does it moves that moment on, so that nobody else does it meanwhile.
HOOKS = """
CREATE TABLE IF NOT EXISTS hook_message (
    number INTEGER PRIMARY KEY, helpdesk TEXT NOT NULL, id TEXT NOT NULL, conversation TEXT NOT NULL,
    role TEXT NOT NULL, said REAL NOT NULL, state TEXT NOT NULL, due REAL NOT NULL, body TEXT NOT NULL,
    UNIQUE (helpdesk, id));
CREATE INDEX IF NOT EXISTS hook_message_open ON hook_message (due) WHERE state = 'open';
CREATE INDEX IF NOT EXISTS hook_message_said ON hook_message (helpdesk, conversation, said);
"""
SINCE_VERSION_5 = (TICKETS, FEEDBACK, API_KEYS, ANNOTATIONS, IN_USE, VERSIONS, CHECKS, FINDINGS, SYNC, HOOKS)
SCHEMA = f"""
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS staged (
    kind TEXT NOT NULL, id TEXT NOT NULL, root TEXT NOT NULL, relative TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (kind, id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS staged_place ON staged (kind, root, relative);
CREATE TABLE IF NOT EXISTS work (key TEXT PRIMARY KEY, stage TEXT NOT NULL, reply TEXT NOT NULL, request TEXT);
CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS record (
    kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, since INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (kind, id));
CREATE TABLE IF NOT EXISTS spend (
    id INTEGER PRIMARY KEY, stage TEXT NOT NULL, room TEXT NOT NULL, calls INTEGER NOT NULL, cached INTEGER NOT NULL,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cost REAL);
{DECISION}
{REQUEST}
{"".join(SINCE_VERSION_5)}
"""


def make_schema(db: sqlite3.Connection) -> None:
    """Make the tables of a new file."""
    db.execute("PRAGMA journal_mode = WAL")
    db.executescript(SCHEMA)
    db.execute(put_if_new("meta", "key, value"), ("schema", SCHEMA_VERSION))
    _mark_as_ours(db)


# Tables whose rows are read in the order of their coming, which is no other column.
BY_ROWID = ("api_key", "arm", "ticket_section", "ticket_piece")


def tables_of(db: sqlite3.Connection) -> list[str]:
    """Return the names of the tables of a file, sorted."""
    rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    return [str(name) for (name,) in rows]


def columns_of(db: sqlite3.Connection, table: str) -> list[str]:
    """Return the names of the columns of a table of a file, in their order."""
    return [str(name) for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]


def order_of(table: str) -> str:
    """Return by what the rows of a table are read where their order is to be kept."""
    return "rowid" if table in BY_ROWID else "1"


def readable(version: str) -> bool:
    """Return whether a file of this version can be read."""
    return version == SCHEMA_VERSION or version in EARLIER


def migrate(db: sqlite3.Connection) -> None:
    """Bring a file of an earlier version up to date in one transaction; any other is left as it is."""
    if read_meta(db, "schema") not in EARLIER:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        version = read_meta(db, "schema")  # another process may have been faster
        if version == "1":
            db.execute("ALTER TABLE work ADD COLUMN request TEXT")
            _execute_all(db, REQUEST)
        elif version in BEFORE_REASONING:
            _execute_all(db, "; ".join(f"ALTER TABLE request ADD COLUMN {name} INTEGER" for name in ADDED))
        if version in BEFORE_DECISIONS:
            _execute_all(db, DECISION)
            _number_edits(db)
            _separate_verdicts(db)
        if version in EARLIER:
            for tables in SINCE_VERSION_5:
                _execute_all(db, tables)
            if version in BEFORE_VERSIONS:
                _begin_versions(db)
            db.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (SCHEMA_VERSION,))
            _mark_as_ours(db)
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def _execute_all(db: sqlite3.Connection, statements: str) -> None:
    for statement in filter(None, map(str.strip, statements.split(";"))):
        db.execute(statement)


def _number_edits(db: sqlite3.Connection) -> None:
    """Give the edits of versions 1 and 2, which were ordered by their dates, the numbers of that order."""
    rows = db.execute("SELECT id, body FROM edit").fetchall()
    rows.sort(key=lambda row: (str(_read_object(row[1]).get("date", "")), row[0]))
    for number, (edit_id, body) in enumerate(rows, 1):
        db.execute("INSERT INTO decision VALUES ('edit', ?, ?, ?)", (edit_id, number, body))
    db.execute("DROP TABLE edit")


def _separate_verdicts(db: sqlite3.Connection) -> None:
    """Make records of the verdicts that versions 1 and 2 wrote into the solutions themselves."""
    (number,) = db.execute("SELECT coalesce(max(number), 0) FROM decision").fetchone()
    for solution_id, text in db.execute("SELECT id, body FROM record WHERE kind = 'solution' ORDER BY id").fetchall():
        body = _read_object(text)
        if body.get("status") in ("approved", "rejected"):
            number += 1
            verdict = {"solution_id": solution_id, "verdict": body["status"], "author": "", "date": ""}
            verdict_id = short_id("verdict", solution_id, body["status"], "", "")
            row = ("verdict", verdict_id, number, canonical_json(verdict))
            db.execute("INSERT INTO decision VALUES (?, ?, ?, ?)", row)
            body["status"] = "displayed"
            db.execute(
                "UPDATE record SET body = ? WHERE kind = 'solution' AND id = ?", (canonical_json(body), solution_id)
            )


def _begin_versions(db: sqlite3.Connection) -> None:
    """Make what readers see version 1; when it was published, nobody noted."""
    if "since" not in {str(name) for _, name, *_ in db.execute("PRAGMA table_info(record)")}:
        db.execute(SINCE)
    if db.execute("SELECT 1 FROM record LIMIT 1").fetchone():
        db.execute(put_if_new("version", "number, body"), (1, canonical_json({"date": "", "by": ""})))


def _read_object(text: object) -> dict[str, Any]:
    """Return a row's object; a damaged row is none, and is named by whoever reads it later."""
    try:
        body = json.loads(str(text))
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _mark_as_ours(db: sqlite3.Connection) -> None:
    """Note whose file this is, and which version to install for it once its schema is newer than a program's."""
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(put("meta", "key, value", key="key"), (WRITTEN_BY, __version__))


def read_meta(db: sqlite3.Connection, key: str) -> str | None:
    """Return a noted value or None."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])
