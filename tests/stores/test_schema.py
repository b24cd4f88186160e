"""A workspace of version 1 is brought up to date where it can be written, and read as it is where it cannot."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from autokb import __version__
from autokb.core.ledger import Paid
from autokb.core.model_requests import ModelReply
from autokb.stores.hook_messages import count_states, next_due
from autokb.stores.ledger_table import LedgerTable, spending
from autokb.stores.schema import APPLICATION_ID, SCHEMA_VERSION, migrate
from autokb.stores.versions import Made
from autokb.stores.workspace_file import WorkspaceFile
from unwritable import unwritable_copy

FIRST = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE staged (
    kind TEXT NOT NULL, id TEXT NOT NULL, root TEXT NOT NULL, relative TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (kind, id)) WITHOUT ROWID;
CREATE INDEX staged_place ON staged (kind, root, relative);
CREATE TABLE work (key TEXT PRIMARY KEY, stage TEXT NOT NULL, reply TEXT NOT NULL);
CREATE TABLE vector (key BLOB PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE record (kind TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id));
CREATE TABLE edit (id TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE spend (
    id INTEGER PRIMARY KEY, stage TEXT NOT NULL, room TEXT NOT NULL, calls INTEGER NOT NULL, cached INTEGER NOT NULL,
    input INTEGER NOT NULL, output INTEGER NOT NULL, cost REAL);
INSERT INTO meta VALUES ('schema', '1');
INSERT INTO work VALUES ('k', 'trees', '{"a":1}');
INSERT INTO record VALUES ('issue', 'i', '{"text":"x"}');
"""


@pytest.fixture
def first(tmp_path: Path) -> Path:
    path = tmp_path / "knowledge.db"
    db = sqlite3.connect(path)
    db.executescript(FIRST)
    db.close()
    return path


def test_a_file_of_version_1_becomes_one_of_this_version(first: Path) -> None:
    file = WorkspaceFile(first)
    assert file.meta("schema") == SCHEMA_VERSION
    assert file.finished(["k"]) == {"k": '{"a":1}'}
    assert file.origins(["k"]) == {}
    file.finish("trees", {"k2": "{}"}, {"k2": "r1"})
    assert file.origins(["k", "k2"]) == {"k2": "r1"}
    ledger = LedgerTable(file)
    ledger.keep([Paid("r1", "b1", "trees", "room", "m", (), "paid", ModelReply("x", 1, 2), 0.5)])
    assert spending(WorkspaceFile(first)) == [("trees", "room", 1, 1, 2, 0.5, 0)]


def test_edits_are_numbered_by_their_dates_and_verdicts_become_records_of_their_own(first: Path) -> None:
    db = sqlite3.connect(first)
    db.executescript("""
        INSERT INTO edit VALUES ('e1', '{"solution_id":"s","text":"later","author":"","date":"2026-02-01"}');
        INSERT INTO edit VALUES ('e2', '{"solution_id":"s","text":"first","author":"","date":"2026-01-01"}');
        INSERT INTO record VALUES ('solution', 's', '{"status":"rejected","text":"x"}');
        INSERT INTO record VALUES ('solution', 't', '{"status":"withheld","text":"x"}');
    """)
    db.close()
    file = WorkspaceFile(first)
    assert [(i, body["number"], body["text"]) for i, body in file.decisions("edit")] == [
        ("e2", 1, "first"),
        ("e1", 2, "later"),
    ]
    ((_, verdict),) = file.decisions("verdict")
    assert (verdict["solution_id"], verdict["verdict"], verdict["number"]) == ("s", "rejected", 3)
    assert {i: body["status"] for i, body in file.records("solution")} == {"s": "displayed", "t": "withheld"}


def test_new_files_and_migrated_ones_have_the_same_tables(first: Path, tmp_path: Path) -> None:
    def tables(file: WorkspaceFile) -> dict[str, list[str]]:
        names = [n for (n,) in file._db.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")]
        return {name: [row[1] for row in file._db.execute(f"PRAGMA table_info({name})")] for name in names}

    assert tables(WorkspaceFile(first)) == tables(WorkspaceFile(tmp_path / "new.db", create=True))


def test_a_migration_that_fails_changes_nothing(first: Path) -> None:
    db = sqlite3.connect(first, isolation_level=None)
    db.execute("CREATE VIEW request AS SELECT 1")
    with pytest.raises(sqlite3.OperationalError):
        migrate(db)
    assert db.execute("SELECT value FROM meta").fetchall() == [("1",)]
    assert [row[1] for row in db.execute("PRAGMA table_info(work)")] == ["key", "stage", "reply"]
    db.close()


def test_a_file_of_version_1_that_nobody_can_write_is_read(first: Path) -> None:
    with unwritable_copy(first.parent) as folder:
        file = WorkspaceFile(folder / first.name)
        assert file.read_only
        assert dict(file.records("issue")) == {"i": {"text": "x"}}
        assert spending(file) == []
        assert file.meta("schema") == "1"


def test_a_file_that_is_brought_up_to_date_names_its_program_and_the_version_to_install(first: Path) -> None:
    file = WorkspaceFile(first)
    assert file.meta("written_by") == __version__
    assert file._db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


@pytest.fixture
def third(tmp_path: Path) -> Path:
    """A file of version 3 with an edit and a reply that was paid for."""
    path = tmp_path / "knowledge.db"
    file = WorkspaceFile(path, create=True)
    LedgerTable(file).keep([Paid("r1", "b1", "trees", "room", "m", (), "paid", ModelReply("x", 1, 2), 0.5, cap=9)])
    with file.transaction():
        file.keep_decisions("edit", {"e1": {"number": 7, "text": "x"}})
    file.close()
    db = sqlite3.connect(path)
    db.executescript("""
        ALTER TABLE request DROP COLUMN reasoning;
        ALTER TABLE request DROP COLUMN cap;
        UPDATE meta SET value = '3' WHERE key = 'schema';
    """)
    db.close()
    return path


def test_a_reply_of_version_3_is_found_and_its_hidden_reasoning_is_unknown(third: Path) -> None:
    file = WorkspaceFile(third)
    ledger = LedgerTable(file)
    assert file.meta("schema") == SCHEMA_VERSION
    assert ledger.replies(["r1"]) == {"r1": ModelReply("x", 1, 2)}
    assert (ledger.reasoning("m"), ledger.cut_replies()) == ({}, {})
    assert spending(file) == [("trees", "room", 1, 1, 2, 0.5, 0)]
    assert [i for i, _ in file.decisions("edit")] == ["e1"]


def test_a_file_of_version_3_that_nobody_can_write_is_read(third: Path) -> None:
    with unwritable_copy(third.parent) as folder:
        file = WorkspaceFile(folder / third.name)
        ledger = LedgerTable(file)
        assert (file.read_only, file.meta("schema")) == (True, "3")
        assert ledger.replies(["r1"]) == {"r1": ModelReply("x", 1, 2)}
        assert (ledger.reasoning("m"), ledger.cut_replies()) == ({}, {})
        ledger.settle(["r1"], False)
        assert spending(file) == [("trees", "room", 1, 1, 2, 0.5, 0)]
        assert [i for i, _ in file.decisions("edit")] == ["e1"]


def test_a_file_of_version_9_gets_a_table_for_helpdesks_and_no_version_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.db"
    file = WorkspaceFile(path, create=True)
    for number in (1, 2, 3):
        with file.transaction():
            file.publish({("issue", "i"): f'{{"text":"{number}"}}'}, ["issue"], Made("build", "2026-01-01", keep=2))
    before = [one.number for one in file.versions()]
    file.close()
    db = sqlite3.connect(path)
    db.executescript("DROP TABLE hook_message; UPDATE meta SET value = '9' WHERE key = 'schema';")
    db.close()
    with unwritable_copy(path.parent) as folder:
        old = WorkspaceFile(folder / path.name)
        assert (next_due(old), count_states(old)) == (None, {}) and old.meta("schema") == "9"
        old.close()
    file = WorkspaceFile(path)
    assert file.meta("schema") == SCHEMA_VERSION and count_states(file) == {}
    assert [one.number for one in file.versions()] == before == [2, 3]
