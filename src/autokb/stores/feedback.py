"""Feedback on suggestions: one row each, written beside a build that runs, without making readers load anew."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from autokb.core.ids import canonical_json
from autokb.core.in_use import Feedback
from autokb.stores.codecs import Body, Codec
from autokb.stores.database import DamagedRowError, damaged_rows
from autokb.stores.schema import BEFORE_FEEDBACK
from autokb.stores.sql import ALL_ROWS, json_text, put
from autokb.stores.workspace_file import WorkspaceFile

KIND = "feedback"
FEEDBACK = Codec(Feedback, "id", "number")
COLUMNS = "number, id, body"
KEEP = put(KIND, f"{COLUMNS}, undone", key="id")


def keep_feedback(file: WorkspaceFile, feedback: Feedback) -> Feedback | None:
    """Store a feedback under the next number; call it inside a transaction.

    None where it is there already. One that was taken back and is given again stands under its first number.
    """
    with file.reading() as db:
        row = db.execute("SELECT number, undone FROM feedback WHERE id = ?", (feedback.id,)).fetchone()
        if row is not None and not row[1]:
            return None
        if row is None:
            (last,) = db.execute("SELECT coalesce(max(number), 0) FROM feedback").fetchone()
        stored = replace(feedback, number=last + 1 if row is None else int(row[0]))
        body = canonical_json(FEEDBACK.body(stored))
        db.execute(KEEP, (stored.number, stored.id, body, 0))
        return stored


def read_feedback(file: WorkspaceFile, *, after: int = 0, limit: int | None = None) -> list[Feedback]:
    """Return what nobody took back, in the order of its taking, from behind a number on."""
    select = f"SELECT {COLUMNS} FROM feedback WHERE number > ? AND undone = 0 ORDER BY number LIMIT ?"
    rows = file.rows(select, (after, ALL_ROWS if limit is None else limit), lacked_by=BEFORE_FEEDBACK)
    return [_read_row(row) for row in rows]


def count_verdicts(file: WorkspaceFile) -> dict[str, dict[str, int]]:
    """Return how often each verdict was given on each solution, without what was taken back."""
    solution = json_text("solution_id")
    select = (
        f"SELECT {solution}, {json_text('verdict')}, count(*) "
        f"FROM feedback WHERE undone = 0 AND {solution} IS NOT NULL GROUP BY 1, 2"
    )
    counts: dict[str, dict[str, int]] = {}
    for one, verdict, count in file.rows(select, lacked_by=BEFORE_FEEDBACK):
        counts.setdefault(str(one), {})[str(verdict)] = count
    return counts


def find_feedback(file: WorkspaceFile, feedback: str) -> Feedback | None:
    """Return one feedback by its id, also one that was taken back."""
    rows = file.rows(f"SELECT {COLUMNS} FROM feedback WHERE id = ?", (feedback,), lacked_by=BEFORE_FEEDBACK)
    return _read_row(rows[0]) if rows else None


def feedback_ids(file: WorkspaceFile, *, undone: bool | None = None) -> frozenset[str]:
    """Return the ids of all feedback, or of what was taken back or not alone."""
    where = "" if undone is None else f" WHERE undone = {int(undone)}"
    rows = file.rows(f"SELECT id FROM feedback{where}", lacked_by=BEFORE_FEEDBACK)
    return frozenset(str(i) for (i,) in rows)


def take_back(file: WorkspaceFile, feedback: str) -> None:
    """Note that a feedback was taken back; it stays, so that an old export does not bring it back.

    Call it inside a transaction.
    """
    file.change("UPDATE feedback SET undone = 1 WHERE id = ?", (feedback,))


def replace_all_feedback(file: WorkspaceFile, feedback: Sequence[Feedback]) -> None:
    """Make these all that there is, in this order; call it inside a transaction.

    Their numbers stay where they grow; what has none, or one that stands twice, is numbered behind the one before.
    """
    rows = []
    last = 0
    for one in feedback:
        last = max(one.number, last + 1)
        rows.append((last, one.id, canonical_json(FEEDBACK.body(one))))
    with file.reading() as db:
        db.execute("DELETE FROM feedback")
        db.executemany("INSERT INTO feedback VALUES (?, ?, 0, ?)", rows)


def feedback_body(feedback: Feedback) -> Body:
    """Return a feedback as an export's line has it, its place among the others too; what says nothing is left out."""
    body = {**FEEDBACK.body(feedback), "number": feedback.number}
    return {name: value for name, value in body.items() if value}


def _read_row(row: tuple[object, object, str]) -> Feedback:
    number, feedback, text = row
    with damaged_rows(KIND):
        body = json.loads(text)
        if not isinstance(number, int) or not isinstance(feedback, str):
            raise DamagedRowError(KIND)
        return FEEDBACK.read(body, id=feedback, number=number)
