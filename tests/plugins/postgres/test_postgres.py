"""What Postgres is asked, and what its failures are called; no server is needed."""

from __future__ import annotations

import psycopg
import pytest

from autokb.core.errors import AutokbError, BadEntryError, StoreAwayError, UnwritableWorkspaceError, WorkspaceBusyError
from autokb.plugins.postgres.connection import translated
from autokb.plugins.postgres.pool import AWAY, Pool, failure_of, split_url
from autokb.stores.sql import as_bytes, has_null, json_number, json_text


def test_statements_of_the_tables_are_translated() -> None:
    assert translated("SELECT a FROM t WHERE b = ?") == "SELECT a FROM t WHERE b = %s"
    assert translated(json_text("solutions", 0)) == "(body::json #>> '{solutions,0}')"
    assert translated(json_number("cost")) == "(body::json ->> 'cost')::double precision"
    assert translated(has_null("cost")) == "json_typeof(body::json -> 'cost') = 'null'"
    assert translated(as_bytes("reply")) == "convert_to(reply, 'UTF8')"


def test_the_schema_is_part_of_the_address() -> None:
    assert split_url("postgresql://ann@db.example/kb?schema=shop&sslmode=require") == (
        "postgresql://ann@db.example/kb?sslmode=require",
        "shop",
    )
    assert split_url("postgresql://db.example/kb")[1] == "autokb"
    for wrong in (
        "postgresql//ann:hush@db/kb",
        "mysql://hush@db/kb",
        "postgresql://[hush/kb",
        "postgresql://db/kb?hush=1",
        "hush",
    ):
        with pytest.raises(BadEntryError, match="store, or AUTOKB_STORE, must be an address such as") as refused:
            split_url(wrong)
        assert "hush" not in str(refused.value)


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("57P01", StoreAwayError),  # the server was told to end
        ("08006", StoreAwayError),
        ("53300", StoreAwayError),  # too many connections
        ("53100", UnwritableWorkspaceError),  # its disk is full
        ("25006", UnwritableWorkspaceError),  # a standby
        ("55P03", WorkspaceBusyError),
        ("22P02", AutokbError),
    ],
)
def test_each_failure_has_its_sentence(state: str, kind: type[AutokbError]) -> None:
    found = failure_of(psycopg.errors.lookup(state)("the words of a customer"))
    assert type(found) is kind and "customer" not in str(found)


def test_a_server_that_is_not_there_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def refuse(*_words: object, **_named: object) -> None:
        tried.append("")
        raise psycopg.OperationalError("connection refused")

    monkeypatch.setattr("autokb.plugins.postgres.pool.BoundedConnection.connect", refuse)
    pool = Pool("postgresql://db.example/kb")
    for _ in range(20):
        with pytest.raises(StoreAwayError, match="cannot be reached"):
            pool.take()
    assert len(tried) == 1 and AWAY.endswith(".")  # the others were told what the first one had found out
