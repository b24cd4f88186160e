"""The database under a workspace: only our own files are opened, and nothing is written into another program's."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from autokb import __version__
from autokb.core.errors import AutokbError, AutokbWarning, BadInputError
from autokb.stores.schema import APPLICATION_ID
from autokb.stores.workspace import create_workspace, open_workspace
from autokb.stores.workspace_file import Staged, WorkspaceFile
from unwritable import unwritable_copy


def empty(path: Path) -> None:
    path.write_bytes(b"")


def text(path: Path) -> None:
    path.write_text("not a database, " * 100, encoding="utf-8")


def folder(path: Path) -> None:
    (path / "inner").mkdir(parents=True)


def link_to_a_folder(path: Path) -> None:
    (path.parent / "other").mkdir()
    path.symlink_to(path.parent / "other")


def other_program(
    path: Path, *, tables: str = "CREATE TABLE note (text)", journal: str = "DELETE", at_id: int = 0
) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA journal_mode = {journal}")
        db.execute(f"PRAGMA application_id = {at_id}")
        db.executescript(tables)


def other_program_with_meta(path: Path) -> None:
    other_program(
        path, tables="CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT); INSERT INTO meta VALUES ('schema', '2')"
    )


def other_program_in_wal_mode(path: Path) -> None:
    other_program(path, journal="WAL")


def other_program_with_all_in_its_wal(path: Path) -> None:
    """A database of another program that was killed: its tables are in the write-ahead log alone."""
    source = path.with_name("source.db")
    with closing(sqlite3.connect(source)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript("CREATE TABLE note (text)")
        shutil.copyfile(source, path)
        shutil.copyfile(f"{source}-wal", f"{path}-wal")
    source.unlink()


def other_program_with_its_id(path: Path) -> None:
    other_program(path, at_id=0x0F055112)


def database_without_tables(path: Path) -> None:
    other_program(path, tables="", at_id=0)
    with closing(sqlite3.connect(path)) as db:
        db.execute("VACUUM")


FOREIGN: tuple[Callable[[Path], None], ...] = (
    empty,
    text,
    folder,
    link_to_a_folder,
    other_program,
    other_program_with_meta,
    other_program_in_wal_mode,
    other_program_with_all_in_its_wal,
    other_program_with_its_id,
    database_without_tables,
)


def content(folder: Path) -> dict[str, bytes | None]:
    return {str(p): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))}


@pytest.mark.parametrize("make", FOREIGN, ids=lambda make: make.__name__)
def test_what_is_not_ours_is_refused_and_left_byte_for_byte(make: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / "domain.yaml").write_text("name: d\n", encoding="utf-8")
    make(tmp_path / "knowledge.db")
    before = content(tmp_path)
    with (
        pytest.raises(BadInputError, match=r"is no file|is empty|was not made by autokb"),
        open_workspace(tmp_path).file(),
    ):
        raise AssertionError("it was opened")
    with pytest.raises(BadInputError):
        WorkspaceFile(tmp_path / "knowledge.db", create=True)
    with pytest.raises(BadInputError):
        create_workspace(tmp_path, "name: d\n")
    assert content(tmp_path) == before


def test_a_workspace_that_was_killed_before_its_tables_were_merged_is_ours(tmp_path: Path) -> None:
    made = WorkspaceFile(tmp_path / "made.db", create=True)
    with made.transaction():
        made._db.execute("PRAGMA application_id = 0")  # as in files of before
    copy = tmp_path / "knowledge.db"
    with closing(sqlite3.connect(copy)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(
            "; ".join(sql for (sql,) in made._db.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL"))
        )
        db.execute("INSERT INTO meta SELECT 'schema', ?", (made.meta("schema"),))
        db.commit()
        for name in ("killed.db", "killed.db-wal"):
            shutil.copyfile(tmp_path / name.replace("killed", "knowledge"), tmp_path / name)
    assert WorkspaceFile(tmp_path / "killed.db").staged("documents") == []


def test_changes_of_a_database_that_is_gone_are_not_merged_into_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "knowledge.db-wal").write_bytes(b"changes")
    with pytest.raises(BadInputError, match="no longer there"):
        WorkspaceFile(tmp_path / "knowledge.db", create=True)
    assert content(tmp_path) == {str(tmp_path / "knowledge.db-wal"): b"changes"}


def test_a_new_file_says_whose_it_is(tmp_path: Path) -> None:
    WorkspaceFile(tmp_path / "knowledge.db", create=True).close()
    with closing(sqlite3.connect(tmp_path / "knowledge.db")) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert db.execute("SELECT value FROM meta WHERE key = 'written_by'").fetchone() == (__version__,)


@pytest.mark.parametrize(
    ("schema", "written_by", "sentence"),
    [
        ("99", "7.1.0", r"install autokb 7\.1\.0 to open it"),
        ("99", None, "install a newer version of autokb"),
        ("99", "\x1b]52;c;x\x07", "install a newer version of autokb"),
        ("lost", "7.1.0", "its version cannot be read"),
        ("9" * 5000, "7.1.0", "its version cannot be read"),
    ],
)
def test_a_newer_schema_names_the_version_to_install(
    schema: str, written_by: str | None, sentence: str, tmp_path: Path
) -> None:
    file = WorkspaceFile(tmp_path / "knowledge.db", create=True)
    with file.transaction():
        file.note("schema", schema)
        file._db.execute("DELETE FROM meta WHERE key = 'written_by'")
        if written_by:
            file.note("written_by", written_by)
    file.close()
    with pytest.raises(AutokbError, match=sentence) as raised:
        WorkspaceFile(tmp_path / "knowledge.db")
    assert "\x1b" not in str(raised.value) and len(str(raised.value)) < 500


def test_a_read_only_folder_with_unmerged_changes_is_read_and_said_to_be_behind(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    workspace = create_workspace(tmp_path / "kb", "name: d\n")
    with workspace.file() as file:
        with file.transaction():
            file.stage("documents", [Staged("a", "r", "a.md", {"text": "x"})])
        with unwritable_copy(workspace.folder) as folder, open_workspace(folder).file() as seen:
            assert seen.read_only and [s.id for s in seen.staged("documents")] == ["a"]  # through the -shm file
        assert [w for w in recwarn if w.category is AutokbWarning] == []
        with (
            unwritable_copy(workspace.folder, without="knowledge.db-shm") as folder,
            pytest.warns(AutokbWarning, match="may be behind"),
            open_workspace(folder).file() as seen,
        ):
            assert seen.read_only and seen.staged("documents") == []
    with unwritable_copy(workspace.folder) as folder, open_workspace(folder).file() as seen:
        assert [s.id for s in seen.staged("documents")] == ["a"]  # merged by now
    assert [w for w in recwarn if w.category is AutokbWarning] == []


def test_words_of_sqlite_that_quote_the_file_are_not_repeated(tmp_path: Path) -> None:
    workspace = create_workspace(tmp_path / "kb", "name: d\n")
    with workspace.file() as file, file.transaction():
        file._db.execute("INSERT INTO record VALUES ('issue', 'i', CAST(x'73656372657420fffe' AS TEXT), 1)")
    with (
        pytest.raises(AutokbError, match=r"is damaged \(not UTF-8\); restore your backup") as raised,
        workspace.file() as file,
    ):
        list(file.records("issue"))
    assert "secret" not in str(raised.value)


def test_a_view_in_the_place_of_a_table_is_not_read(tmp_path: Path) -> None:
    """Its rows never end."""
    workspace = create_workspace(tmp_path / "kb", "name: kettles\n")
    with closing(sqlite3.connect(workspace.knowledge_path)) as db:
        db.executescript(
            "ALTER TABLE record RENAME TO r; CREATE VIEW record AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
            "i + 1 FROM n) SELECT 'document' AS kind, i AS id, '{}' AS body FROM n"
        )
    with pytest.raises(AutokbError, match="it holds a view, and autokb makes none"), workspace.file():
        pass
