"""What a move needs of a server's schemas: one that is filled beside, and then gets its name in one transaction."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from psycopg import Connection
from psycopg.sql import SQL, Identifier

from autokb.core.errors import BadInputError
from autokb.plugins.postgres.pool import joined_url, pool_of, split_url

LONGEST = 55  # characters of a schema's name that are part of its copy's; Postgres keeps 63
TIED = "moved_from"  # the table that says whose copy a schema is until all is switched over
FILLED_BESIDE = "_moving"  # ends the name of a schema that is being filled


def staging_url(url: str) -> str:
    """Return the URL of the schema that is filled before it gets the name that the URL has."""
    _, schema = split_url(url)
    parts = urlsplit(url)
    others = [one for one in parse_qsl(parts.query, keep_blank_values=True) if one[0] != "schema"]
    return joined_url(parts, [*others, ("schema", schema[:LONGEST] + FILLED_BESIDE)])


def without_password(url: str) -> str:
    """Return a URL as it can be shown."""
    parts = urlsplit(url)
    user, at, place = parts.netloc.rpartition("@")
    shown = [one for one in parse_qsl(parts.query, keep_blank_values=True) if "password" not in one[0].lower()]
    return joined_url(parts._replace(netloc=user.partition(":")[0] + at + place), shown)


def make_staging(url: str, owner: str) -> str:
    """Make the schema that is filled, or find that of a move that was killed; returns its URL.

    ``owner`` is what is moved: BadInputError where the schema, or the one beside it, holds anything else.
    """
    beside = staging_url(url)
    (_, schema), (_, filled) = split_url(url), split_url(beside)
    with pool_of(beside).connected() as db:
        if owner_of(db, schema) == owner:  # it had its name already when the move was killed
            if owner_of(db, filled) == owner:
                db.execute(SQL("DROP SCHEMA {} CASCADE").format(Identifier(filled)))
            db.execute(SQL("ALTER SCHEMA {} RENAME TO {}").format(Identifier(schema), Identifier(filled)))
        elif _holds_anything(db, schema):
            raise BadInputError(_taken(schema))
        if owner_of(db, filled) == owner:
            return beside
        if _holds_anything(db, filled):
            raise BadInputError(_taken(filled))
        with db.transaction():
            db.execute(SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(filled)))
            db.execute(f"CREATE TABLE {TIED} (owner TEXT NOT NULL)")
            db.execute(f"INSERT INTO {TIED} VALUES (%s)", (owner,))
    return beside


def end_copy(url: str) -> None:
    """Let the numbers that the server gives go on behind those that were copied, and give the schema that was filled
    the name that the URL has, in one transaction.
    """
    find = (
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = current_schema() AND is_identity = 'YES'"
    )
    beside = staging_url(url)
    schema, filled = Identifier(split_url(url)[1]), Identifier(split_url(beside)[1])
    with pool_of(beside).connected() as db, db.transaction():
        for table, column in db.execute(find).fetchall():
            db.execute(
                f"SELECT setval(pg_get_serial_sequence(%s, %s), greatest(max({column}), 1), max({column}) IS NOT NULL) "
                f"FROM {table}",
                (table, column),
            )
        db.execute(SQL("DROP SCHEMA IF EXISTS {}").format(schema))  # which is empty, or this fails
        db.execute(SQL("ALTER SCHEMA {} RENAME TO {}").format(filled, schema))


def owner_of(db: Connection, schema: str) -> str:
    """Return whose copy a schema is; empty where it is none."""
    found = db.execute("SELECT to_regclass(%s) IS NOT NULL", (f"{schema}.{TIED}",)).fetchone()
    if not (found and found[0]):
        return ""
    row = db.execute(SQL("SELECT owner FROM {}.{}").format(Identifier(schema), Identifier(TIED))).fetchone()
    return str(row[0]) if row else ""


def _holds_anything(db: Connection, schema: str) -> bool:
    find = "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s LIMIT 1"
    return db.execute(find, (schema,)).fetchone() is not None


def _taken(schema: str) -> str:
    return (
        f"The schema {schema} on that server holds another workspace, or other tables; name another one in the URL "
        "(?schema=NAME), or drop it if nobody needs it."
    )
