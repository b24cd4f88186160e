"""What the core asks of a store, for a schema of a Postgres server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from psycopg import Error

from autokb.core.errors import UnwritableWorkspaceError, WorkspaceBusyError
from autokb.plugins.postgres import moving
from autokb.plugins.postgres.connection import (
    PostgresConnection,
    make_postgres_schema,
    open_postgres,
    server_statements,
)
from autokb.plugins.postgres.health import look_at_server
from autokb.plugins.postgres.notices import Notices
from autokb.plugins.postgres.pool import ANSWER_SECONDS, failure_of, pool_of
from autokb.plugins.postgres.rates import SHARE
from autokb.stores.store import StoreHealth

if TYPE_CHECKING:
    from autokb.pipeline.searched_store import SearchedStore

_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND {}pg_has_role(tableowner, 'USAGE')"


class PostgresStore:
    """The schema that a URL names; its connections are the process's."""

    statements = staticmethod(server_statements)

    def __init__(self, address: str) -> None:
        self.address, self._pool = address, pool_of(address)
        self._db = PostgresConnection(self._pool)

    def connect(self) -> PostgresConnection:
        return open_postgres(self.address)

    @contextmanager
    def build_lock(self, busy: str) -> Iterator[None]:
        """Hold the one build of a workspace; the server frees it when the connection of whoever holds it ends."""
        with closing(self._pool.connect()) as db:
            try:
                row = db.execute("SELECT pg_try_advisory_lock(hashtext(current_schema()), 2)").fetchone()
            except Error as error:
                raise failure_of(error) from error
            if not (row and row[0]):
                raise WorkspaceBusyError(f"{busy}; wait until it has ended and run this again.")
            yield

    def health(self) -> StoreHealth:
        return look_at_server(self._pool)

    def rewrite(self, table: str = "") -> None:
        """Write a table anew, or all (UnwritableWorkspaceError: this user does not own all)."""
        if not table and self._db.execute(_TABLES.format("NOT ")):  # which the server passes over with a warning
            raise UnwritableWorkspaceError(
                "Nothing was vacuumed: the user in the URL does not own all tables. Run it as their owner."
            )
        for (one,) in [(table,)] if table else self._db.execute(_TABLES.format("")):
            self._db.execute(f"VACUUM FULL {one}")

    def without_password(self) -> str:
        return moving.without_password(self.address)

    def answer_or_fail(self) -> None:
        self._pool.answer_seconds = ANSWER_SECONDS

    def let_go(self) -> None:
        self._pool.close_idle()

    @contextmanager
    def notices(self) -> Iterator[Notices]:
        with closing(Notices(self._pool.connect(), self._pool.schema)) as notices:
            yield notices

    def share_rates(self, emptied: Mapping[str, float]) -> Mapping[str, float]:
        rows = self._db.execute(SHARE, (list(emptied), [float(seconds) for seconds in emptied.values()]))
        return {str(key): float(seconds) for key, seconds in rows}

    def begin_copy(self, owner: str) -> PostgresStore:
        beside = moving.make_staging(self.address, owner)
        make_postgres_schema(pool_of(beside))
        return PostgresStore(beside)

    def end_copy(self) -> None:
        moving.end_copy(self.address)

    def is_copy_of(self, owner: str) -> bool:
        with self._pool.connected() as db:
            return moving.owner_of(db, self._pool.schema) == owner

    def forget_owner(self) -> None:
        self._db.execute(f"DROP TABLE IF EXISTS {moving.TIED}")

    @property
    def searched(self) -> SearchedStore:
        from autokb.plugins.postgres.search_in_database import SearchedDatabase  # with all that reads a question

        return SearchedDatabase()
