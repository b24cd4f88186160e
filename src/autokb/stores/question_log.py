"""The newest questions that were asked, masked, and which gaps people closed; of this workspace alone, in no export."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import get_args

from autokb.core.ids import canonical_json
from autokb.core.in_use import ClosedGap, GapStatus, LoggedQuestion, QuestionOutcome
from autokb.stores.codecs import Codec
from autokb.stores.database import DamagedRowError, damaged_rows
from autokb.stores.schema import BEFORE_IN_USE
from autokb.stores.sql import has_null, json_number, json_text, keep_newest, marks, put
from autokb.stores.workspace_file import WorkspaceFile, parts_of

MOST_QUESTIONS = 10_000  # that are kept
MOST_OF_BOX = 5_000  # of them from the ask box, which needs no key: a flood of them removes no question of others
KIND, CLOSED = "question", "closed_gap"
LOST = "questions_lost"  # meta: how many questions no process could keep
QUESTION = Codec(LoggedQuestion, "number")
# meta: the last batch that each process wrote, as its moment and number. A server may write a batch and be lost before
# it says so; who then tries again finds here that it is there.
BATCH, AFTER_BATCHES = "question batch ", "question batch!"  # what the keys begin with, and what sorts behind them all
REMEMBERED = timedelta(days=1)  # for which the last batch of a process that has ended is remembered


def keep_questions(file: WorkspaceFile, questions: Sequence[LoggedQuestion], *, lost: int = 0) -> None:
    """Store questions behind those that are there, and let the oldest go; call it inside a transaction.

    ``lost`` counts those that could not be kept since the last call.
    """
    file.overwrite_deleted()
    with file.reading() as db:
        rows = [(canonical_json(QUESTION.body(one)),) for one in questions]
        db.executemany("INSERT INTO question (body) VALUES (?)", rows)
        if any(one.asked_by == "box" for one in questions):
            of_box = f"{json_text('asked_by')} = 'box'"
            db.execute(keep_newest("question", "number", of_box), (MOST_OF_BOX,))
        db.execute(keep_newest("question", "number"), (MOST_QUESTIONS,))
    if lost:
        file.note(LOST, str(count_lost(file) + lost))


def batch_is_kept(file: WorkspaceFile, writer: str, batch: str) -> bool:
    """Return whether this was the last batch of a process that was written whole."""
    return file.meta(f"{BATCH}{writer}") == batch


def note_batch(file: WorkspaceFile, writer: str, batch: str) -> None:
    """Note the batch (moment and number) that a process writes; call it inside the transaction that writes it."""
    file.note(f"{BATCH}{writer}", batch)
    old = (datetime.now(UTC) - REMEMBERED).isoformat(timespec="seconds")
    file.change("DELETE FROM meta WHERE key > ? AND key < ? AND value < ?", (BATCH, AFTER_BATCHES, old))


def read_questions(file: WorkspaceFile, outcome: str = "") -> list[LoggedQuestion]:
    """Return what is kept, the oldest first; of one ``outcome`` alone where it is named."""
    # A body without an outcome is damaged; it is read so that this is said.
    where = f" WHERE coalesce({json_text('outcome')}, ?) = ?" if outcome else ""
    select = f"SELECT number, body FROM question{where} ORDER BY number"
    rows = file.rows(select, (outcome, outcome) if outcome else (), lacked_by=BEFORE_IN_USE)
    with damaged_rows(KIND):
        return [QUESTION.read(json.loads(body), number=int(number)) for number, body in rows]


def read_question_outcomes(file: WorkspaceFile) -> list[QuestionOutcome]:
    """Return what became of the kept questions, the oldest first."""
    texts = (f"coalesce({json_text(name)}, '')" for name in ("conversation", "date", "reader"))
    cost = f"CASE WHEN {has_null('cost')} THEN NULL ELSE coalesce({json_number('cost')}, 0) END"
    columns = (json_text("outcome"), *texts, json_number("seconds"), cost)
    select = f"SELECT number, {', '.join(columns)} FROM question ORDER BY number"
    rows = file.rows(select, lacked_by=BEFORE_IN_USE)
    for number, *said, seconds, spent in rows:
        figures = all(isinstance(one, int | float | None) for one in (seconds, spent))
        if not (isinstance(number, int) and all(isinstance(text, str) for text in said) and figures):
            raise DamagedRowError(KIND)
    return [QuestionOutcome(*row) for row in rows]


def count_questions(file: WorkspaceFile) -> tuple[int, str]:
    """Return how many questions are kept, and the date of the oldest."""
    first = f"SELECT {json_text('date')} FROM question ORDER BY number LIMIT 1"
    rows = file.rows(f"SELECT count(*), ({first}) FROM question", lacked_by=BEFORE_IN_USE)
    count, oldest = rows[0] if rows else (0, None)
    return int(count), "" if oldest is None else str(oldest)


def count_shown_first(file: WorkspaceFile) -> dict[str, int]:
    """Return by the ids of solutions how many of the kept questions each was shown first for."""
    rows = file.rows(f"SELECT {json_text('solutions', 0)}, count(*) FROM question GROUP BY 1", lacked_by=BEFORE_IN_USE)
    return {str(solution): int(count) for solution, count in rows if solution is not None}


def count_lost(file: WorkspaceFile) -> int:
    """Return how many questions could not be kept since the log was emptied last."""
    with damaged_rows("meta"):
        return int(file.meta(LOST) or 0)


def forget_questions(file: WorkspaceFile) -> int:
    """Empty the log, so that nothing of it is left in the file; returns how many questions went."""
    if file.meta("schema") in BEFORE_IN_USE:  # which has no such table, and nobody could bring up to date
        return 0
    file.overwrite_deleted()
    with file.transaction(), file.reading() as db:
        (count,) = db.execute("SELECT count(*) FROM question").fetchone()
        db.execute("DELETE FROM question")
        db.execute("DELETE FROM meta WHERE key = ?", (LOST,))
    file.empty_log(KIND)
    return int(count)


def close_gaps(file: WorkspaceFile, closed: Iterable[ClosedGap]) -> None:
    """Note what people said of gaps; call it inside a transaction."""
    with file.reading() as db:
        rows = [(one.id, one.status, one.author, one.date) for one in closed]
        db.executemany(put("closed_gap", "id, status, author, date", key="id"), rows)


def open_gaps(file: WorkspaceFile, ids: Sequence[str]) -> None:
    """Forget what people said of gaps; call it inside a transaction."""
    with file.reading() as db:
        for part in parts_of(ids):
            db.execute(f"DELETE FROM closed_gap WHERE id IN ({marks(part)})", part)


def read_closed_gaps(file: WorkspaceFile) -> dict[str, ClosedGap]:
    """Return what people said of gaps, by id."""
    rows = file.rows("SELECT id, status, author, date FROM closed_gap", lacked_by=BEFORE_IN_USE)
    return {one.id: one for one in map(_read_closed, rows)}


def _read_closed(row: tuple[object, ...]) -> ClosedGap:
    gap, status, author, date = row
    known: GapStatus | None = next((one for one in get_args(GapStatus) if one == status), None)
    if known is None or not (isinstance(gap, str) and isinstance(author, str) and isinstance(date, str)):
        raise DamagedRowError(CLOSED)
    return ClosedGap(gap, known, author, date)
