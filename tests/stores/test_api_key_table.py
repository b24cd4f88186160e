"""The table of the service's keys: hashes alone, in the order of their making, and none in an earlier file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from autokb.core.api_keys import ApiKey
from autokb.core.errors import AutokbError
from autokb.stores.api_keys import find_api_key, has_api_keys, keep_api_key, note_revoked, read_api_keys
from autokb.stores.database import failures_as_sentences
from autokb.stores.schema import SCHEMA_VERSION
from autokb.stores.workspace_file import WorkspaceFile
from unwritable import unwritable_copy

ONE = ApiKey("key-b", "agent", "2026-01-01T00:00:00+00:00")
OTHER = ApiKey("key-a", "admin", "2026-01-02T00:00:00+00:00")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[WorkspaceFile]:
    opened = WorkspaceFile(tmp_path / "knowledge.db", create=True)
    yield opened
    opened.close()


def keep(file: WorkspaceFile, key: ApiKey, key_hash: str) -> None:
    with file.transaction():
        keep_api_key(file, key, key_hash)


def test_keys_are_read_in_the_order_of_their_making_and_found_by_their_hash(file: WorkspaceFile) -> None:
    assert not has_api_keys(file)
    generation = file.meta("generation")
    keep(file, ONE, "h1")
    keep(file, OTHER, "h2")
    assert has_api_keys(file) and read_api_keys(WorkspaceFile(file.path)) == [ONE, OTHER]
    assert [find_api_key(file, one) for one in ("h1", "h2", "h", "")] == [ONE, OTHER, None, None]
    assert file.meta("generation") == generation


def test_a_revoked_key_stays_and_keeps_its_moment(file: WorkspaceFile) -> None:
    keep(file, ONE, "h1")
    with file.transaction():
        revoked = note_revoked(file, ONE, "2026-02-02T00:00:00+00:00")
        assert note_revoked(file, revoked, "2026-03-03T00:00:00+00:00") == revoked
    assert read_api_keys(file) == [find_api_key(file, "h1")] == [replace(ONE, revoked="2026-02-02T00:00:00+00:00")]
    assert has_api_keys(file)


@pytest.mark.parametrize("change", ["role = 'owner'", "created = x'ff'", "revoked = x'00'"])
def test_a_damaged_row_gives_no_rights(file: WorkspaceFile, change: str) -> None:
    keep(file, ONE, "h1")
    with closing(sqlite3.connect(file.path)) as db:
        db.execute(f"UPDATE api_key SET {change}")
        db.commit()
    for read in (read_api_keys, lambda file: find_api_key(file, "h1")):
        with pytest.raises(AutokbError, match="is damaged"), failures_as_sentences(file.path):
            read(file)


@pytest.fixture
def sixth(tmp_path: Path) -> Path:
    """A file of version 6, which had no keys."""
    path = tmp_path / "knowledge.db"
    WorkspaceFile(path, create=True).close()
    with closing(sqlite3.connect(path)) as db:
        db.executescript("DROP TABLE api_key; UPDATE meta SET value = '6' WHERE key = 'schema';")
    return path


def test_a_file_of_version_6_gets_the_table(sixth: Path) -> None:
    file = WorkspaceFile(sixth)
    assert file.meta("schema") == SCHEMA_VERSION
    keep(file, ONE, "h1")
    assert read_api_keys(file) == [ONE]
    file.close()


def test_a_file_of_version_6_that_nobody_can_write_has_none(sixth: Path) -> None:
    with unwritable_copy(sixth.parent) as folder:
        file = WorkspaceFile(folder / sixth.name)
        assert (file.meta("schema"), read_api_keys(file), find_api_key(file, "h1")) == ("6", [], None)
        assert not has_api_keys(file)
        file.close()
