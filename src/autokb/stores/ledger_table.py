"""The ledger of the workspace file: every request that was paid for or is awaited, and what it cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

from autokb.core.ledger import CutReply, HiddenReasoning, Paid
from autokb.core.model_requests import ModelReply
from autokb.stores.database import DamagedRowError, damaged_rows
from autokb.stores.schema import BEFORE_LEDGER, BEFORE_REASONING
from autokb.stores.sql import as_bytes, marks
from autokb.stores.workspace_file import WorkspaceFile, parts_of

Spent = tuple[str, str, int, int, int, float | None, int]

SENT = "sent "  # before the key of an attempt that is under way; keys themselves are hexadecimal
FINISHES = ("stop", "length", "refusal", "other")
HAS_REPLY = "('paid', 'read', 'unreadable')"
COLUMNS = (
    "key, base_key, stage, room, model, items, state, text, input, output, cached, finish, reasoning, cost, calls, "
    "batch, cap"
)
VALUES = marks(COLUMNS.split(", "))


def _unless_named(column: str, empty: str) -> str:
    return f"{column} = CASE excluded.{column} WHEN '{empty}' THEN request.{column} ELSE excluded.{column} END"


def _unless_replied(column: str) -> str:
    return f"{column} = CASE WHEN request.state IN {HAS_REPLY} THEN request.{column} ELSE excluded.{column} END"


# The first reply to a key is the one that counts: what comes after it adds its calls and its cost and no more.
KEEP = f"""
INSERT INTO request ({COLUMNS}) VALUES ({VALUES})
ON CONFLICT (key) DO UPDATE SET
    {_unless_named("stage", "")}, {_unless_named("room", "")}, {_unless_named("items", "[]")},
    {_unless_named("batch", "")}, cost = request.cost + excluded.cost, calls = request.calls + excluded.calls,
    {", ".join(map(_unless_replied, ("text", "input", "output", "cached", "finish", "reasoning", "state", "cap")))}
"""

# Attempts of one key that are under way add up, and all of them cost the same.
KEEP_SENT = f"""
INSERT INTO request ({COLUMNS}) VALUES ({VALUES})
ON CONFLICT (key) DO UPDATE SET calls = request.calls + 1, cost = request.cost + excluded.cost,
    input = request.input + excluded.input, output = request.output + excluded.output
"""
END_ONE = """
UPDATE request SET cost = cost - cost / calls, input = input - input / calls, output = output - output / calls,
    calls = calls - 1 WHERE key = ? AND calls > 0
"""
END_ALL = "DELETE FROM request WHERE key = ?"


@dataclass(frozen=True)
class LedgerTable:
    """The ledger (``autokb.core.ledger.Ledger``) as a table of the workspace file."""

    file: WorkspaceFile

    def replies(self, keys: Sequence[str]) -> dict[str, ModelReply]:
        """Return the replies that can be served."""
        reasoning = _column("reasoning", self.file)
        fields = f"key, {as_bytes('text')}, input, output, cached, finish, {reasoning}"
        found = self._select_by_keys(f"SELECT {fields} FROM request WHERE state IN ('paid', 'read') AND key IN", keys)
        replies = {key: _read_reply(*rest) for key, *rest in found}
        if (damaged := [(key,) for key, reply in replies.items() if reply is None]) and not self.file.read_only:
            # What is no reply must not stand in the way of the one that is asked for in its place.
            with self.file.transaction(), self.file.reading() as db:
                db.executemany("UPDATE request SET state = 'failed', text = NULL WHERE key = ?", damaged)
        return {key: reply for key, reply in replies.items() if reply is not None}

    def unreadable(self, base_keys: Sequence[str]) -> dict[str, int]:
        """Return how many replies to each request could not be read."""
        select = "SELECT base_key, count(*) FROM request WHERE state = 'unreadable' AND base_key IN"
        return {key: int(number) for key, number in self._select_by_keys(select, base_keys, "GROUP BY base_key")}

    def cut_replies(self) -> dict[str, dict[str, CutReply]]:
        """Return the replies that were cut off and could not be read, by the base key of their request and by key."""
        found: dict[str, dict[str, CutReply]] = {}
        cap = _column("cap", self.file)
        select = (
            f"SELECT base_key, key, {cap}, coalesce({_column('reasoning', self.file)}, 0) FROM request "
            f"WHERE state = 'unreadable' AND finish = 'length' AND {cap} IS NOT NULL"
        )
        for base_key, key, *figures in self.file.rows(select):
            found.setdefault(base_key, {})[key] = CutReply(*map(int, figures))
        return found

    def reasoning(self, model: str) -> dict[str, HiddenReasoning]:
        """Return what a model's replies used for hidden reasoning, by task; only tasks where any did."""
        reasoning = _column("reasoning", self.file)
        ended = f"CASE WHEN finish <> 'length' THEN {reasoning} END"
        select = (
            f"SELECT room, coalesce(max({ended}), 0), coalesce(avg({ended}), 0.0) FROM request "
            f"WHERE model = ? AND state IN {HAS_REPLY} GROUP BY room HAVING max({reasoning}) > 0"
        )
        rows = self.file.rows(select, (model,))
        return {task: HiddenReasoning(int(most), float(mean)) for task, most, mean in rows}

    # Complex: the rows of each state go into other statements of one transaction.
    def keep(self, rows: Sequence[Paid]) -> None:
        """Store rows, on disk before it returns; where nobody can write, a question that was paid for leaves no row."""
        if self.file.read_only:
            return
        with self.file.transaction(), self.file.reading() as db:
            db.executemany(KEEP_SENT, map(_to_columns, [row for row in rows if row.state == "sent"]))
            ended = [row for row in rows if row.state != "sent"]
            db.executemany(KEEP, map(_to_columns, ended))
            failed = [(SENT + row.key,) for row in ended if row.state == "failed"]
            db.executemany(END_ONE, failed)
            db.executemany(f"{END_ALL} AND calls = 0", failed)
            db.executemany(END_ALL, [(SENT + row.key,) for row in ended if row.state != "failed"])
            for row in rows:
                if row.vectors is not None:
                    request, vectors = row.vectors
                    self.file.keep_vectors(request.embedder, request.texts, vectors)

    def settle(self, keys: Sequence[str], readable: bool) -> None:
        """Note whether the replies of these keys could be read."""
        if self.file.read_only:
            return
        state = "read" if readable else "unreadable"
        with self.file.transaction(), self.file.reading() as db:
            rows = ((state, key) for key in keys)
            db.executemany("UPDATE request SET state = ? WHERE key = ? AND state IN ('paid', 'read')", rows)

    def open_groups(self, task: str) -> list[tuple[str, ...]]:
        """Return the items of each request that is paid but unread or awaited, oldest first, none twice."""
        select = "SELECT items FROM request WHERE state IN ('paid', 'awaited') AND room = ? ORDER BY number"
        rows = self.file.rows(select, (task,))
        groups = map(_read_items, dict.fromkeys(row[0] for row in rows))
        return [group for group in groups if group]

    def awaited(self) -> list[Paid]:
        """Return the requests whose replies a batch still owes, oldest first."""
        select = f"SELECT {COLUMNS} FROM request WHERE state = 'awaited' ORDER BY number"
        return [self._from_columns(columns) for columns in self.file.rows(select)]

    def _from_columns(self, columns: Sequence[Any]) -> Paid:
        key, base_key, stage, task, model, items, state, text, *figures, reasoning, cost, calls, batch, cap = columns
        reply = None if text is None else replace(ModelReply(text, *figures), reasoning_tokens=reasoning or 0)
        return Paid(
            key=key,
            base_key=base_key,
            stage=stage,
            task=task,
            model=model,
            items=_read_items(items),
            state=state,
            reply=reply,
            cost=cost,
            calls=calls,
            batch=batch,
            cap=cap or 0,
        )

    def _select_by_keys(self, select: str, keys: Sequence[str], after: str = "") -> list[Any]:
        found: list[Any] = []
        for part in parts_of(keys):
            found += self.file.rows(f"{select} ({marks(part)}) {after}", part)
        return found


def _column(name: str, file: WorkspaceFile) -> str:
    """Return a column of ``request`` that version 4 added, unknown in an earlier file that nobody can write."""
    return "NULL" if file.meta("schema") in (*BEFORE_LEDGER, *BEFORE_REASONING) else name


def _read_reply(text: Any, read: Any, wrote: Any, cached: Any, finish: Any, reasoning: Any) -> ModelReply | None:
    """Return a stored reply; None where the row was damaged."""
    try:
        whole = text.decode()
    except (AttributeError, UnicodeDecodeError):
        return None
    hidden = reasoning or 0  # unknown of replies that an earlier version paid for
    if finish not in FINISHES or not all(type(n) is int and n >= 0 for n in (read, wrote, cached, hidden)):
        return None
    return ModelReply(whole, read, wrote, cached, finish, hidden)


def _read_items(stored: str) -> tuple[str, ...]:
    """Return the keys of a request's items; none where the row was damaged."""
    try:
        items = json.loads(stored)
    except (TypeError, ValueError):
        return ()
    return tuple(items) if isinstance(items, list) and all(isinstance(item, str) for item in items) else ()


def _to_columns(row: Paid) -> tuple[Any, ...]:
    reply = row.reply
    waits = row.state == "awaited"
    figures = (None, 0, 0, 0, None, None) if reply is None else astuple(reply)
    key = SENT + row.key if row.state == "sent" else row.key
    named = (key, row.base_key, row.stage, row.task, row.model, json.dumps(row.items), row.state)
    return (*named, *figures, 0.0 if waits else row.cost, 0 if waits else row.calls, row.batch, row.cap or None)


def spending(file: WorkspaceFile) -> list[Spent]:
    """Return stage, task, calls, input, output, cost and hidden reasoning of everything that was ever sent.

    An unknown cost is None; the tokens of hidden reasoning are part of the output.
    """
    select = (
        "SELECT stage, room, sum(calls), sum(input), sum(output), "
        f"CASE WHEN count(cost) = count(*) THEN sum(cost) END, coalesce(sum({_column('reasoning', file)}), 0) "
        "FROM request WHERE calls > 0 AND state <> 'sent' GROUP BY stage, room ORDER BY min(number)"
    )
    rows = file.rows(select, lacked_by=BEFORE_LEDGER)
    if not all(isinstance(name, str) for stage, task, *_ in rows for name in (stage, task)):
        raise DamagedRowError("request")
    return rows


def spent_on(file: WorkspaceFile, stage: str, day: str) -> float:
    """Return the USD that a stage has spent on a day, which must be today; what has no price counts nothing.

    The first one to ask on a day notes where the ledger ends, so that only the day's own rows are read.
    """
    noted = f"ledger of {stage}"
    with damaged_rows("meta"):
        at, _, number = (file.meta(noted) or "").partition(" ")
        with file.reading() as db:
            if at != day:
                number = str(db.execute("SELECT coalesce(max(number), 0) FROM request").fetchone()[0])
            select = "SELECT coalesce(sum(cost), 0.0) FROM request WHERE number > ? AND stage = ?"
            spent = float(db.execute(select, (int(number), stage)).fetchone()[0])
    if at != day and not file.read_only:
        with file.transaction():
            file.note(noted, f"{day} {number}")
    return spent


def in_flight(file: WorkspaceFile) -> tuple[int, int, int, float | None]:
    """Return calls, input, output and cost of what was sent and never answered, at the most that it can have cost."""
    select = (
        "SELECT coalesce(sum(calls), 0), coalesce(sum(input), 0), coalesce(sum(output), 0), "
        "CASE WHEN count(cost) = count(*) THEN coalesce(sum(cost), 0.0) END FROM request WHERE state = 'sent'"
    )
    rows = file.rows(select, lacked_by=BEFORE_LEDGER)
    calls, read, wrote, cost = rows[0] if rows else (0, 0, 0, 0.0)
    return int(calls), int(read), int(wrote), cost
