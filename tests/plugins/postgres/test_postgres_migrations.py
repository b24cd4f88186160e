"""Tables of an earlier version on a Postgres server are brought up to date: whole, once, or not at all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from uuid import uuid4

import pytest
from benchmarks.postgres_server import PostgresServer

from autokb.core.errors import AutokbError
from autokb.plugins.postgres import connection as postgres_module
from autokb.plugins.postgres.connection import open_postgres
from autokb.plugins.postgres.pool import pool_of
from autokb.stores.schema import SCHEMA_VERSION
from real_postgres import needs_postgres

pytestmark = [pytest.mark.slow, needs_postgres]
OLDER, BEFORE = str(int(SCHEMA_VERSION) - 2), str(int(SCHEMA_VERSION) - 1)
MADE_UP = {  # none of it can be done twice
    OLDER: ["CREATE TABLE made_up (number bigint)", "ALTER TABLE finding ADD COLUMN made_up text"],
    BEFORE: ["INSERT INTO made_up VALUES (1)", "DROP TABLE sync_item"],
}


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    """A schema whose tables say that they are older."""
    url = postgres.url(f"s{uuid4().hex}")
    open_postgres(url).close()
    with pool_of(url).connection() as db:
        db.execute("UPDATE meta SET value = %s WHERE key = 'schema'", (OLDER,))
    postgres_module._known.clear()  # as another process is
    return url


def state(url: str) -> tuple[str, list[int] | None, bool]:
    """Return the version, what stands in the table that is made up, and whether one that is dropped is there."""
    with pool_of(url).connection() as db:
        there = "SELECT to_regclass('made_up') IS NOT NULL, to_regclass('sync_item') IS NOT NULL"
        is_made, is_there = db.execute(there).fetchone() or (None, None)
        rows = [n for (n,) in db.execute("SELECT number FROM made_up")] if is_made else None
        (version,) = db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone() or ("",)
    return version, rows, bool(is_there)


def test_tables_of_version_9_get_those_of_10_as_new_ones_have_them(postgres: PostgresServer) -> None:
    shape = (
        "SELECT column_name, data_type, collation_name, is_nullable, is_identity FROM information_schema.columns "
        "WHERE table_schema = current_schema() AND table_name = 'hook_message' ORDER BY ordinal_position"
    )
    indexes = (
        "SELECT replace(indexdef, current_schema(), '') FROM pg_indexes "
        "WHERE schemaname = current_schema() AND tablename = 'hook_message' ORDER BY indexname"
    )
    url = postgres.url(f"s{uuid4().hex}")
    open_postgres(url).close()
    with pool_of(url).connection() as db:
        new = [db.execute(one).fetchall() for one in (shape, indexes)]
        db.execute("DROP TABLE hook_message")
        db.execute("UPDATE meta SET value = '9' WHERE key = 'schema'")
    postgres_module._known.clear()
    open_postgres(url).close()
    with pool_of(url).connection() as db:
        assert [db.execute(one).fetchall() for one in (shape, indexes)] == new and len(new[0]) == 9
        assert db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone() == (SCHEMA_VERSION,)


def test_all_steps_are_made_once(url: str) -> None:
    for _ in range(2):
        with closing(open_postgres(url, MADE_UP)) as opened:
            assert opened.execute("SELECT count(*) FROM finding WHERE made_up IS NULL").fetchone() == (0,)
        assert state(url) == (SCHEMA_VERSION, [1], False)
        postgres_module._known.clear()


def test_processes_at_once_make_them_once(url: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        for opened in threads.map(lambda _: open_postgres(url, MADE_UP), range(4)):
            opened.close()
    assert state(url) == (SCHEMA_VERSION, [1], False)


def test_one_that_fails_in_the_middle_leaves_all_as_it_was(url: str) -> None:
    failing = {**MADE_UP, BEFORE: [*MADE_UP[BEFORE], "SELECT 1 / 0"]}
    for _ in range(2):
        with pytest.raises(AutokbError):
            open_postgres(url, failing)
        assert state(url) == (OLDER, None, True)
    open_postgres(url, MADE_UP).close()
    assert state(url) == (SCHEMA_VERSION, [1], False)


def test_a_connection_that_is_lost_in_the_middle_leaves_all_as_it_was(url: str) -> None:
    lost = {**MADE_UP, BEFORE: [*MADE_UP[BEFORE], "SELECT pg_terminate_backend(pg_backend_pid())"]}
    with pytest.raises(AutokbError):
        open_postgres(url, lost)
    assert state(url) == (OLDER, None, True)


def test_tables_that_no_migration_begins_with_are_refused(url: str) -> None:
    with pytest.raises(AutokbError, match="install the version"):
        open_postgres(url, {BEFORE: ()})
    assert state(url) == (OLDER, None, True)
