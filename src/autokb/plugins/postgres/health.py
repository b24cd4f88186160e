"""How a workspace on a Postgres server is, looked at without changing it."""

from __future__ import annotations

import re

from autokb.core.errors import AutokbError
from autokb.plugins.postgres.pool import Pool
from autokb.stores.schema import WRITTEN_BY
from autokb.stores.store import StoreHealth

SIZE = (
    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c "
    "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname = current_schema()"
)
# Whether somebody holds the advisory lock of this number on the workspace's schema (of writers 1, of builds 2).
_HOLDS = (
    "EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objid = {number} "
    "AND classid = (hashtext(current_schema())::bigint & 4294967295)::oid)"
)


def look_at_server(pool: Pool) -> StoreHealth:
    """Look at a workspace on a Postgres server (StoreAwayError)."""
    with pool.connected() as db:
        if not db.execute("SELECT to_regclass('meta') IS NOT NULL").fetchone()[0]:  # type: ignore[index]
            raise AutokbError("The server has no tables of a workspace there; see the schema that the URL names.")
        noted = dict(db.execute("SELECT key, value FROM meta WHERE key IN ('schema', %s)", (WRITTEN_BY,)).fetchall())
        extension = db.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
        size, version, writable, builds, writes = db.execute(
            f"SELECT ({SIZE}), current_setting('server_version'), has_table_privilege('meta', 'INSERT') "
            "AND NOT pg_is_in_recovery(), " + ", ".join(_HOLDS.format(number=number) for number in (2, 1))
        ).fetchone()  # type: ignore[misc]
    busy = "a build is at work" if builds else "another process is writing" if writes else ""
    number = re.match(r"[\d.]+", version)
    return StoreHealth(
        kind="Postgres",
        version=number[0] if number else "",
        schema=str(noted.get("schema", "")),
        written_by=str(noted.get(WRITTEN_BY, "")),
        bytes=int(size),
        intact=None,
        writable=bool(writable),
        busy=busy,
        pgvector=str(extension[0]) if extension else None,
    )
