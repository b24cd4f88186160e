"""What the core asks of a store, for a schema of a Postgres server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from typing import TYPE_CHECKING

from autokb.plugins.postgres import health, moving
from autokb.plugins.postgres.connection import (
    PostgresConnection,
    build_lock,
    make_postgres_schema,
    open_postgres,
    server_statements,
)
from autokb.plugins.postgres.notices import Notices
from autokb.plugins.postgres.pool import ANSWER_SECONDS, pool_of
from autokb.plugins.postgres.rates import share_rates
from autokb.stores.store import StoreHealth

if TYPE_CHECKING:
    from autokb.pipeline.searched_store import SearchedStore


class PostgresStore:
    """The schema that a URL names; its connections are the process's."""

    statements = staticmethod(server_statements)

    def __init__(self, address: str) -> None:
        self.address, self._pool = address, pool_of(address)
        self._db = PostgresConnection(self._pool)

    def connect(self) -> PostgresConnection:
        return open_postgres(self.address)

    def build_lock(self, busy: str) -> AbstractContextManager[None]:
        return build_lock(self.address, busy)

    def health(self) -> StoreHealth:
        return health.look_at_server(self._pool)

    def size(self) -> int:
        return int(self._db.execute(health.SIZE)[0][0])

    def rewrite(self, table: str = "") -> None:
        health.rewrite(self._db, table)

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
        return share_rates(self._db, emptied)

    def begin_copy(self, owner: str) -> PostgresStore:
        beside = moving.make_staging(self.address, owner)
        make_postgres_schema(pool_of(beside))
        return PostgresStore(beside)

    def end_copy(self) -> None:
        moving.set_numbers(PostgresConnection(pool_of(moving.staging_url(self.address))))
        moving.give_name(self.address)

    def is_copy_of(self, owner: str) -> bool:
        return moving.is_tied(self.address, owner)

    def forget_owner(self) -> None:
        moving.let_go(self.address)

    @property
    def searched(self) -> SearchedStore:
        from autokb.plugins.postgres.search_in_database import SearchedDatabase  # with all that reads a question

        return SearchedDatabase()
