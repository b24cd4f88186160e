"""Versions of what readers see: each record once by content, whatever number of versions have it.

The table ``record`` holds the newest version. What a publication takes out of it goes to ``past_record``, with the
versions that had it. A candidate is kept as what it has otherwise than the newest version. A file that shows another
version than the newest, or the candidate, reads it in the place of ``record``: nothing that reads records need know of
versions.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autokb.core.ids import canonical_json
from autokb.core.nouns import DISPLAYED
from autokb.core.settings import KEPT_VERSIONS
from autokb.stores.database import damaged_rows, read_object
from autokb.stores.sql import json_text, put

CANDIDATE = "candidate"  # what a workspace is opened by to be shown its candidate; meta: what the candidate is
SHOWN = "shown_version"  # meta: the version that readers see, where it is not the newest
NO_CANDIDATE = "There is no candidate; build one with: autokb build {folder} --candidate"
NO_VERSION = "There is no version {number}; autokb versions {folder} lists those that are kept."
COUNTED = {"displayed": "Solutions", "document": "Documents", "raw_issue": "Raw issues"}  # none may fall below half
Key = tuple[str, str]  # kind and id of a record
# The team's calibration of the gate is of today: a candidate has the one that readers have, as a build keeps it.
CALIBRATION: Key = ("setting", "calibration")

_NEWEST = "SELECT kind, id, body FROM record"
_OF_VERSION = (
    "SELECT kind, id, body FROM record WHERE since <= {number} UNION ALL "
    "SELECT kind, id, body FROM past_record WHERE since <= {number} AND until > {number}"
)
_OF_CANDIDATE = (
    "SELECT kind, id, body FROM record r WHERE NOT EXISTS "
    "(SELECT 1 FROM candidate c WHERE c.kind = r.kind AND c.id = r.id) UNION ALL "
    "SELECT kind, id, body FROM candidate WHERE body IS NOT NULL"
)


@dataclass(frozen=True, slots=True)
class Made:
    """Who or what publishes, and when; ``inputs`` are hashes of what went in beside the records.

    ``keep`` is how many versions are kept, the newest among them; ``checks`` what the team's checks found.
    ``forced_by`` consents to less than half of what readers see.
    """

    by: str
    date: str
    keep: int = KEPT_VERSIONS
    inputs: Mapping[str, str] = field(default_factory=dict)
    checks: Mapping[str, Any] = field(default_factory=dict)
    forced_by: str = ""


NOT_NOTED = Made("", "")


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """A version that is kept, by its number, with what was noted of it."""

    number: int
    body: Mapping[str, Any]


def select_shown(shows: int | str) -> str:
    """Return the query for kind, id and body of a version, of the candidate, or (0) of the newest version."""
    if shows == CANDIDATE:
        return _OF_CANDIDATE
    return _OF_VERSION.format(number=int(shows)) if shows else _NEWEST


def stored_versions(db: sqlite3.Connection) -> list[StoredVersion]:
    """Return what was noted of each version that is kept, from the oldest."""
    with damaged_rows("version"):
        rows = db.execute("SELECT number, body FROM version ORDER BY number").fetchall()
        return [StoredVersion(int(number), read_object("version", body)) for number, body in rows]


def newest_number(db: sqlite3.Connection) -> int:
    """Return the number of the newest version, 0 where nothing was published yet."""
    return int(db.execute("SELECT coalesce(max(number), 0) FROM version").fetchone()[0])


def replace_records(db: sqlite3.Connection, gone: Sequence[Key], changed: Mapping[Key, str], made: Made) -> int:
    """Publish a version: take records out of the newest one and put others in; returns its number.

    Call it inside a transaction.
    """
    number = newest_number(db) + 1
    touched = [*gone, *changed]
    if has_candidate(db):  # which stays what it is
        body_of = "(SELECT body FROM record WHERE kind = ? AND id = ?)"
        held = f"INSERT INTO candidate VALUES (?, ?, {body_of}) ON CONFLICT DO NOTHING"
        db.executemany(held, (key + key for key in touched if key != CALIBRATION))
    past = "INSERT INTO past_record SELECT kind, id, since, ?, body FROM record WHERE kind = ? AND id = ?"
    db.executemany(past, ((number, *key) for key in touched))
    db.executemany("DELETE FROM record WHERE kind = ? AND id = ?", gone)
    new = ((kind, i, body, number) for (kind, i), body in changed.items())
    db.executemany(put("record", "kind, id, body, since", key="kind, id"), new)
    body = {"date": made.date, "by": made.by, "inputs": dict(made.inputs), "counts": counts_of(db, 0)}
    body |= {"checks": dict(made.checks)} if made.checks else {}
    db.execute("INSERT INTO version VALUES (?, ?)", (number, canonical_json(body)))
    _forget_old(db, number, made.keep)
    return number


def first_versions(db: sqlite3.Connection, kind: str) -> dict[str, int]:
    """Return the first version that had each record of a kind, as far as the file knows; of solutions, displayed."""
    shown = ", ".join(f"'{status}'" for status in sorted(DISPLAYED))
    where = f"kind = ? AND (kind <> 'solution' OR json_extract(body, '$.status') IN ({shown}))"
    tables = " UNION ALL ".join(f"SELECT id, since FROM main.{t} WHERE {where}" for t in ("record", "past_record"))
    return dict(db.execute(f"SELECT id, min(since) FROM ({tables}) AS known GROUP BY id", (kind, kind)).fetchall())


def counts_of(db: sqlite3.Connection, shows: int | str) -> dict[str, int]:
    """Return how many records of each kind a version, the candidate, or (0) the newest version has.

    ``displayed`` are the solutions that a build shows.
    """
    shown = ", ".join(f"'{status}'" for status in sorted(DISPLAYED))
    records = select_shown(shows)
    counts = dict(db.execute(f"SELECT kind, count(*) FROM ({records}) AS shown GROUP BY kind").fetchall())
    status = f"kind = 'solution' AND {json_text('status')}"
    (displayed,) = db.execute(f"SELECT count(*) FROM ({records}) AS shown WHERE {status} IN ({shown})").fetchone()
    return {**counts, "displayed": int(displayed)}


def find_losses(before: Mapping[str, int], now: Mapping[str, int]) -> tuple[str, ...]:
    """Say of what a version has less than half of what another has; both are given by their counts."""
    return tuple(
        f"{words}: {now.get(kind, 0):,} in place of {before[kind]:,}, less than half."
        for kind, words in COUNTED.items()
        if 2 * now.get(kind, 0) < before.get(kind, 0)
    )


def note_forced(db: sqlite3.Connection, number: int, by: str, reasons: Sequence[str]) -> None:
    """Keep with a version who consented to what readers lost by it."""
    (one,) = (one for one in stored_versions(db) if one.number == number)
    body = {**one.body, "forced": {"by": by, "reasons": list(reasons)}}
    db.execute("UPDATE version SET body = ? WHERE number = ?", (canonical_json(body), number))


def _forget_old(db: sqlite3.Connection, newest: int, keep: int) -> None:
    """Forget the versions that are not kept, and every record that only they had."""
    oldest = newest - keep + 1
    db.execute("DELETE FROM version WHERE number < ?", (oldest,))
    db.execute("DELETE FROM past_record WHERE until <= ?", (oldest,))


# -- the candidate ----------------------------------------------------------------------------------------------------


def has_candidate(db: sqlite3.Connection) -> bool:
    """Return whether a candidate waits."""
    return db.execute("SELECT 1 FROM meta WHERE key = ?", (CANDIDATE,)).fetchone() is not None


def keep_candidate(db: sqlite3.Connection, records: Mapping[Key, str], body: Mapping[str, Any]) -> None:
    """Keep records as the candidate, in the place of one that waits; call it inside a transaction."""
    drop_candidate(db)
    now = {(kind, i): text for kind, i, text in db.execute(_NEWEST)}
    rows: list[tuple[str, str, str | None]]
    rows = [(*key, text) for key, text in records.items() if now.get(key) != text]
    rows += [(*key, None) for key in now if key not in records]
    db.executemany("INSERT INTO candidate VALUES (?, ?, ?)", (row for row in rows if row[:2] != CALIBRATION))
    db.execute("INSERT INTO meta VALUES (?, ?)", (CANDIDATE, canonical_json(body)))


def read_candidate(db: sqlite3.Connection) -> dict[str, Any]:
    """Return what was noted of the candidate, which must be there."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (CANDIDATE,)).fetchone()
    with damaged_rows("meta"):
        return read_object("meta", row[0])


def candidate_differs(db: sqlite3.Connection) -> bool:
    """Return whether a candidate has anything otherwise than the newest version."""
    return db.execute("SELECT 1 FROM candidate LIMIT 1").fetchone() is not None


def drop_candidate(db: sqlite3.Connection) -> None:
    """Forget the candidate; call it inside a transaction."""
    db.execute("DELETE FROM candidate")
    db.execute("DELETE FROM meta WHERE key = ?", (CANDIDATE,))


def records_of(db: sqlite3.Connection, shows: int | str, kinds: Iterable[str] = ()) -> dict[Key, str]:
    """Return the records of a version, of the candidate, or (0) of the newest version, by kind and id."""
    wanted = set(kinds)
    return {(kind, i): body for kind, i, body in db.execute(select_shown(shows)) if not wanted or kind in wanted}
