"""What a Postgres server tells those who follow a workspace: that something was published, or that a key changed.

Triggers tell it inside of the transaction that changes the tables, so it arrives when that is committed, and not at all
when it is not. The channel has the name of the workspace's schema.
"""

from __future__ import annotations

import psycopg
from psycopg import Error
from psycopg.sql import SQL, Identifier

from autokb.core.errors import StoreAwayError

# Of ``meta`` what counts publications and decisions of people, and what counts published tickets.
TOLD = ("generation", "tickets generation")
_TOLD = ", ".join(f"'{key}'" for key in TOLD)
TRIGGERS = (
    "CREATE OR REPLACE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS "
    "'BEGIN PERFORM pg_notify(TG_TABLE_SCHEMA, TG_TABLE_NAME); RETURN NULL; END'",
    "CREATE OR REPLACE TRIGGER told AFTER INSERT OR UPDATE ON meta FOR EACH ROW "
    f"WHEN (NEW.key IN ({_TOLD})) EXECUTE FUNCTION tell()",
    "CREATE OR REPLACE TRIGGER told AFTER INSERT OR UPDATE OR DELETE ON api_key FOR EACH STATEMENT "
    "EXECUTE FUNCTION tell()",
)


class Notices:
    """A connection that hears what is told of one schema; closing it is up to who opened it."""

    def __init__(self, connection: psycopg.Connection, schema: str) -> None:
        self._db = connection
        try:
            self._db.execute(SQL("LISTEN {}").format(Identifier(schema)))
        except Error as error:
            self._db.close()  # whoever opened it gets nothing that could be closed
            raise StoreAwayError(LOST) from error

    def wait(self, seconds: float) -> bool:
        """Wait for a notice; returns whether one came (StoreAwayError where the server was lost)."""
        try:
            return bool(list(self._db.notifies(timeout=seconds, stop_after=1)))
        except Error as error:
            raise StoreAwayError(LOST) from error

    def close(self) -> None:
        """Close the connection."""
        self._db.close()


LOST = "The server that keeps the workspace was lost; nobody has to do anything, it is tried again."
