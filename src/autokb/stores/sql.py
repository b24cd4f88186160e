"""The statements of the tables, written so that SQLite and Postgres take them; what no two engines share is in here.

A parameter is ``?``, in the order of the values, and neither ``?`` nor ``%`` stands for anything else. A truth value is
an integer that is compared. What orders rows by their coming is a column, or ``rowid``.
"""

from __future__ import annotations

from collections.abc import Sequence

ALL_ROWS = 2**63 - 1  # rows; the LIMIT that is none, for engines share no other


def marks(values: Sequence[object]) -> str:
    """Return the parameters of a list of values."""
    return ", ".join("?" * len(values))


def put(table: str, columns: str, key: str) -> str:
    """Return the statement that writes a row in the place of one that has its key."""
    names = columns.split(", ")
    keys = key.split(", ")
    others = ", ".join(f"{name} = excluded.{name}" for name in names if name not in keys)
    return f"INSERT INTO {table} ({columns}) VALUES ({marks(names)}) ON CONFLICT ({key}) DO UPDATE SET {others}"


def put_if_new(table: str, columns: str) -> str:
    """Return the statement that writes a row unless one is there that has its key."""
    return f"INSERT INTO {table} ({columns}) VALUES ({marks(columns.split(', '))}) ON CONFLICT DO NOTHING"


def keep_newest(table: str, number: str, where: str = "true") -> str:
    """Return the statement that deletes all rows but the newest ones, as many as its parameter says.

    Only rows of which ``where`` is true count and go.

    Rows are counted: numbers have gaps, as where a transaction was rolled back or a row was there already.
    """
    kept = f"SELECT {number} FROM {table} WHERE {where} ORDER BY 1 DESC LIMIT 1 OFFSET ?"
    return f"DELETE FROM {table} WHERE {where} AND {number} <= ({kept})"


def json_text(*path: str | int) -> str:
    """Return the text at a place in the JSON of ``body``; NULL where there is none, or null."""
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return f"json_extract(body, '${place}')"


def json_number(name: str) -> str:
    """Return a number in the JSON of ``body``; an engine without types gives what stands there."""
    return f"json_extract(body, '$.\"{name}\"')"  # quoted, which tells it from a text where types are told apart


def has_null(name: str) -> str:
    """Return the condition that a field of the JSON of ``body`` is there and null."""
    return f"json_type(body, '$.{name}') = 'null'"


def as_bytes(column: str) -> str:
    """Return a text's bytes, for a damaged row may hold no UTF-8."""
    return f"CAST({column} AS BLOB)"
