"""A workspace moved to a server and back: nothing is lost, and half a copy is never taken for whole."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from benchmarks.postgres_server import PostgresServer

from autokb.app import SupportKB
from autokb.core.errors import AutokbError, BadInputError, StoreAwayError, WorkspaceBusyError
from autokb.core.ids import canonical_json
from autokb.core.settings import read_settings
from autokb.core.yaml_text import parse_yaml
from autokb.plugins.postgres.moving import staging_url, without_password
from autokb.plugins.postgres.pool import pool_of, split_url
from autokb.stores.moving import move, settings_with_store, settings_without_store
from autokb.stores.schema import SCHEMA, make_schema
from autokb.stores.table_copies import all_tables, fingerprint
from autokb.stores.workspace import Workspace, create_workspace, open_workspace
from real_postgres import needs_postgres
from workspace_stores import write_everything

TABLES = {table.name: table for table in all_tables()}
DOMAIN = "name: fresh\n"
SETTINGS = "# Ours; do not touch.\nmodel: offline  # for now\n"
ROWS = 450  # of one table, more than two batches
slow = pytest.mark.slow  # these start a server


@pytest.fixture
def url(postgres: PostgresServer, tmp_path: Path) -> str:
    return postgres.url("m_" + "".join(c for c in tmp_path.name.lower() if c.isalnum() or c == "_")[-40:])


@pytest.fixture
def filled(tmp_path: Path) -> Workspace:
    """A workspace with rows in every table."""
    made = create_workspace(tmp_path / "kb", DOMAIN, SETTINGS)
    fill(made)
    return made


def fill(workspace: Workspace) -> None:
    with workspace.file() as file, file.transaction():
        for number in (1, 2, 3):
            write_everything(file, number)
        file.finish("trees", {f"w{number:04}": f"Hänge es auf 😀 {number}" for number in range(ROWS)})
        with file.reading() as db:
            db.execute("INSERT INTO finding VALUES ('f', '{}')")
            db.execute("INSERT INTO sync_source VALUES ('s', '{}')")
            db.execute("INSERT INTO sync_item VALUES ('s', 'k', '{}')")
            db.execute("DELETE FROM spend WHERE id = 1")  # so that numbers do not begin with 1


def untold(_rows: int) -> None:
    """Tell nobody."""


def prints(workspace: Workspace) -> dict[str, tuple[int, str]]:
    with workspace.file() as file:
        return {name: fingerprint(file, table, untold) for name, table in TABLES.items()}


def exported(workspace: Workspace, file: Path) -> bytes:
    SupportKB(workspace).export(file)
    return file.read_bytes()


def test_no_table_of_the_schema_is_forgotten() -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        make_schema(db)
        names = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        for name in names:
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({name})")]
            assert list(TABLES[name].columns)[: len(columns)] == columns
            assert set(TABLES[name].columns) - set(columns) <= {"rowid"}
            assert TABLES[name].key
    assert names == set(TABLES)
    assert SCHEMA.count("CREATE TABLE") == len(TABLES)


@slow
@needs_postgres
def test_there_and_back(filled: Workspace, url: str, tmp_path: Path) -> None:
    before = prints(filled)
    assert all(count for count, _ in before.values())  # a table without rows would prove nothing
    told = []
    done = move(filled, url, lambda *one: told.append(one))
    assert done.tables == {name: count for name, (count, _) in before.items()}
    assert told[-1][0] == "compare" and told[-1][1] == told[-1][2]
    there = open_workspace(filled.folder)
    assert there.is_on_server and there.settings.store == url
    assert (filled.folder / "settings.yaml").read_text(encoding="utf-8").startswith(SETTINGS)
    assert not filled.knowledge_path.exists() and Path(done.left).exists()
    assert prints(there) == before
    with there.file() as file, file.transaction():  # numbers go on where they were
        file.spend([("trees", "grow_tree", 1, 0, 1, 1, 0.5)])
    changed = prints(there)
    assert changed["spend"][0] == before["spend"][0] + 1
    move(there, str(tmp_path / "back"))
    back = open_workspace(tmp_path / "back")
    assert not back.is_on_server
    assert (back.folder / "settings.yaml").read_text(encoding="utf-8") == SETTINGS
    assert prints(back) == changed
    assert sorted(one.name for one in back.folder.iterdir() if one.name != ".build.lock") == [
        "domain.yaml",
        "knowledge.db",
        "settings.yaml",
    ]
    with closing(sqlite3.connect(back.knowledge_path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@slow
@needs_postgres
def test_the_export_is_the_same_there_and_back(_imported: Path, url: str, tmp_path: Path) -> None:
    start = open_workspace(Path(shutil.copytree(_imported, tmp_path / "kb")))
    export = exported(start, tmp_path / "before.jsonl")
    kb = SupportKB(start)
    assert kb.ask("my kettle does not charge").outcome  # it holds the file open
    shown = kb.views.show()
    kb.move(url)
    assert kb.views.show() == shown and kb.ask("my kettle does not charge").outcome  # from the server now
    assert kb.workspace.is_on_server and exported(kb.workspace, tmp_path / "there.jsonl") == export
    move(kb.workspace, str(tmp_path / "back"))
    assert exported(open_workspace(tmp_path / "back"), tmp_path / "back.jsonl") == export


KILLED = """
import os, signal, sys
from pathlib import Path
from autokb.plugins.postgres.store import PostgresStore
from autokb.stores import moving
from autokb.stores.workspace import open_workspace

folder, to, point = sys.argv[1:]

def die(*_told):
    os.kill(os.getpid(), signal.SIGKILL)

def dies_when(stage, share):
    def told(said, done, total):
        if said == stage and done >= share * total:
            die()
    return told

progress = dies_when("no stage", 0)
if point in ("copy", "compare"):
    progress = dies_when(point, 0.5)
elif point == "copied":
    progress = dies_when("copy", 1)
elif point == "named":  # the schema has its name, the settings do not say so
    moving.replace_private = die
elif point == "switched":  # the settings say so, the file lies in its place
    moving._finish_on_server = die
elif point == "let go":
    PostgresStore.forget_owner = die
elif point == "files":  # of the new folder's three files the first lies in its place
    Path.replace, replace = lambda one, to: (replace(one, to), one.name == "domain.yaml" and die()), Path.replace
moving.move(open_workspace(Path(folder)), to, progress)
"""


def killed(workspace: Workspace, to: str, point: str) -> None:
    command = [sys.executable, "-c", KILLED, str(workspace.folder), to, point]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr


@slow
@needs_postgres
@pytest.mark.parametrize("point", ["copy", "copied", "compare", "named", "switched", "let go"])
def test_one_that_is_killed_on_its_way_to_a_server_goes_on(filled: Workspace, url: str, point: str) -> None:
    before = prints(filled)
    killed(filled, url, point)
    left = open_workspace(filled.folder)
    assert left.is_on_server == (point in ("switched", "let go"))
    assert prints(left) == before  # whatever is taken for the truth is whole
    done = move(left, url)
    assert done.tables == {name: count for name, (count, _) in before.items()}
    assert prints(open_workspace(filled.folder)) == before
    assert not filled.knowledge_path.exists()


@slow
@needs_postgres
def test_one_that_is_killed_on_its_way_to_a_folder_goes_on(filled: Workspace, url: str, tmp_path: Path) -> None:
    before = prints(filled)
    move(filled, url)
    there, folder = open_workspace(filled.folder), tmp_path / "back"
    for point in ("copy", "compare", "files"):
        killed(there, str(folder), point)
        with pytest.raises(BadInputError, match="run autokb move again"):
            open_workspace(folder)
    move(there, str(folder))
    assert prints(open_workspace(folder)) == before


def past(url: str, statement: str) -> None:
    """Run a statement in a schema of the server as somebody does who knows Postgres and not the program."""
    with pool_of(url).connection() as db:
        db.execute(statement)


@slow
@needs_postgres
def test_what_changed_on_either_side_since_it_was_killed_is_found(filled: Workspace, url: str) -> None:
    killed(filled, url, "copied")
    past(staging_url(url), "UPDATE work SET reply = 'another' WHERE key = 'w0007'")
    past(staging_url(url), "DELETE FROM arm WHERE rowid = 1")
    with filled.file() as file, file.transaction():
        file.finish("trees", {"w0003": "changed", "a new one": "before all others"})
    before = prints(filled)
    move(filled, url)
    assert prints(open_workspace(filled.folder)) == before


@slow
@needs_postgres
def test_a_server_that_keeps_something_else_than_it_was_given_is_found(filled: Workspace, url: str) -> None:
    before = prints(filled)
    killed(filled, url, "copy")
    beside = staging_url(url)
    past(beside, "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.body := 1; RETURN NEW; END'")
    past(beside, "CREATE TRIGGER spoils BEFORE INSERT ON staged FOR EACH ROW EXECUTE FUNCTION spoil()")
    past(beside, "DELETE FROM staged")
    with pytest.raises(AutokbError, match="table staged differs"):
        move(filled, url)
    assert not open_workspace(filled.folder).is_on_server and prints(filled) == before
    past(beside, "DROP TRIGGER spoils ON staged")
    move(filled, url)
    assert prints(open_workspace(filled.folder)) == before


@slow
@needs_postgres
def test_a_schema_with_another_workspace_is_refused_and_left_as_it_is(
    filled: Workspace, url: str, tmp_path: Path
) -> None:
    move(filled, url)
    there = prints(open_workspace(filled.folder))
    other = create_workspace(tmp_path / "other", DOMAIN, SETTINGS)
    with pytest.raises(BadInputError, match="holds another workspace"):
        move(other, url)
    assert prints(open_workspace(filled.folder)) == there
    elsewhere = url + "_2"
    killed(other, elsewhere, "compare")  # half of another one, too
    third = create_workspace(tmp_path / "third", DOMAIN, SETTINGS)
    with pytest.raises(BadInputError, match="holds another workspace"):
        move(third, elsewhere)
    for one in (other, third):
        assert not open_workspace(one.folder).is_on_server and one.knowledge_path.exists()


@slow
@needs_postgres
def test_a_folder_that_holds_anything_is_refused(filled: Workspace, url: str, tmp_path: Path) -> None:
    move(filled, url)
    there = open_workspace(filled.folder)
    for folder in (filled.folder, tmp_path):
        with pytest.raises(BadInputError, match="is not empty"):
            move(there, str(folder))
    with pytest.raises(BadInputError, match="is a file"):
        move(there, str(there.folder / "settings.yaml"))
    with pytest.raises(BadInputError, match="kept on a server already"):
        move(there, url + "_2")
    with there.build_lock(), pytest.raises(WorkspaceBusyError):
        move(there, str(tmp_path / "back"))
    assert not (tmp_path / "back" / "knowledge.db").exists()


HALF = "\\ud83d"  # of a pair, as JSON escapes it
UNKEPT: dict[str, tuple[str, Sequence[object], str]] = {
    "a NUL": ("INSERT INTO work VALUES (?, 'trees', ?, NULL)", ("k7", "a\0b"), "row k7 of the table work"),
    "a NUL in JSON": ("INSERT INTO finding VALUES (?, ?)", ("f7", '{"a": "\\u0000"}'), "row f7 of the table finding"),
    "half a pair in JSON": (
        "INSERT INTO record (kind, id, body) VALUES ('solution', ?, ?)",
        ("s7", f'{{"a": "{HALF}"}}'),
        "row solution, s7 of the table record",
    ),
    "no UTF-8": (
        "INSERT INTO ticket VALUES (?, CAST(? AS TEXT), '')",
        ("T7", b'{"a": "\xed\xa0\xbd"}'),
        "row T7 of the table ticket",
    ),
    "another type": ("INSERT INTO staged VALUES ('documents', ?, '', '', ?)", ("d7", b"x"), "row documents, d7 of the"),
}


@slow
@needs_postgres
@pytest.mark.parametrize("case", UNKEPT)
def test_what_postgres_cannot_keep_is_named(case: str, filled: Workspace, url: str) -> None:
    statement, values, said = UNKEPT[case]
    with filled.file() as file, file.transaction(), file.reading() as db:
        db.execute(statement, values)
    with pytest.raises(AutokbError, match=said):
        move(filled, url)
    assert not open_workspace(filled.folder).is_on_server and filled.knowledge_path.exists()
    with pytest.raises(psycopg.Error):
        past(url, "SELECT 1 FROM meta")  # nothing has the name of the schema


@slow
@needs_postgres
def test_texts_that_look_like_it_are_kept(filled: Workspace, url: str) -> None:
    kept = canonical_json({"text": "\\u0000 and \\ud83d, 😀", "more": "a%b? 'c' \x01"})
    with filled.file() as file, file.transaction(), file.reading() as db:
        db.execute("INSERT INTO finding VALUES ('kept', ?)", (kept,))
        db.execute("INSERT INTO finding VALUES ('pair', ?)", ('{"a": "\\ud83d\\ude00"}',))
    before = prints(filled)
    move(filled, url)
    assert prints(open_workspace(filled.folder)) == before


@pytest.mark.with_plugins
def test_a_move_waits_for_no_build(filled: Workspace) -> None:
    with filled.build_lock(), pytest.raises(WorkspaceBusyError):
        move(filled, "postgresql://autokb@/postgres?host=/nowhere")


@pytest.mark.with_plugins
def test_without_a_server_nothing_changes(filled: Workspace) -> None:
    before = prints(filled)
    with pytest.raises(StoreAwayError):
        move(filled, "postgresql://autokb@/postgres?host=/nowhere")
    assert prints(open_workspace(filled.folder)) == before


URL = "postgresql://u:p%40ss@h/db?schema=kb&sslmode=require"


@pytest.mark.parametrize(
    "text",
    ["", "model: offline", SETTINGS, "store: old\n" + SETTINGS, "# a\nstore: ''  # none\n\ngate:\n  store: no\n"],
)
def test_settings_get_one_line_and_keep_the_others(text: str) -> None:
    given = text.replace("  store: no\n", "  max_loss: {first: 0.1}\n")
    added = settings_with_store(given, URL)
    assert read_settings(parse_yaml(added, "settings.yaml"), {}).store == URL
    others = [line for line in given.splitlines() if not line.startswith("store:")]
    assert [line for line in added.splitlines() if not line.startswith("store:")] == others
    assert settings_without_store(added).splitlines() == others


def test_settings_that_take_no_line_are_refused_without_the_password() -> None:
    with pytest.raises(BadInputError) as refused:
        settings_with_store("{model: offline}\n", URL)
    assert "p%40ss" not in str(refused.value)


def test_no_password_is_shown() -> None:
    assert without_password(URL) == "postgresql://u@h/db?schema=kb&sslmode=require"
    assert without_password("postgres:///db?password=s3&host=/run") == "postgres:///db?host=/run"
    assert split_url(staging_url(URL)) == ("postgresql://u:p%40ss@h/db?sslmode=require", "kb_moving")
    longest = split_url(staging_url("postgresql://h/db?schema=" + "a" * 63))[1]
    assert len(longest) < 64 and longest.endswith("_moving")
