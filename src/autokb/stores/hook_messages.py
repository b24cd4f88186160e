"""Messages that helpdesks sent: each is kept once, worked on by one at a time, and found again by its conversation.

Of this workspace alone, in no export.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from typing import Any, Literal, get_args

from autokb.core.ids import canonical_json
from autokb.core.in_use import SuggestionSource
from autokb.core.nouns import AGENT, CUSTOMER, Role
from autokb.stores.database import DamagedRowError, damaged_rows
from autokb.stores.schema import BEFORE_HOOKS
from autokb.stores.sql import json_number, put_if_new
from autokb.stores.workspace_file import WorkspaceFile

KIND = "hook_message"
COLUMNS = "number, helpdesk, id, conversation, role, said, state, due, body"
REASONS = 100  # messages that are looked at for the last reason: those that were just taken have none
NAMED = 3  # conversations that are named of those that failed: enough to look what they have in common
REFUSED = "refused_hooks"  # meta: how many webhooks were refused, by helpdesk and reason, and accepted
ACCEPTED = ""  # in the place of the reason
REFUSED_SECONDS = 30 * 86_400.0  # that a reason is remembered after its last webhook: a month, as messages are
HookState = Literal["open", "done", "failed"]
OPEN, DONE, FAILED = get_args(HookState)


@dataclass(frozen=True, slots=True)
class OfferedText:
    """A suggestion as it was sent, to be compared with what the agent writes; ``whole`` has all steps."""

    text: str
    whole: str = ""
    source: SuggestionSource = ""
    solution_id: str | None = None
    documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HookWork:
    """What was done for a message, and what is needed to go on with it.

    ``claim`` names who works on it, in its ``tries``-th try since it came at ``arrived``. ``sending`` is what is sent
    to the helpdesk, empty until it is known; ``to_customer`` whether it goes to the customer, ``is_unsure`` whether it
    may stand there already. It does since ``sent_at``, by the helpdesk's clock, 0 where it does not. ``question`` was
    searched for, ``offered`` found. ``judged_by`` is the reply that was compared with it, ``note`` a sentence on why it
    failed or waits.
    """

    text: str
    author: str = ""
    arrived: float = 0.0
    tries: int = 0
    claim: str = ""
    sending: str = ""
    to_customer: bool = False
    is_unsure: bool = False
    sent_at: float = 0.0
    question: str = ""
    offered: tuple[OfferedText, ...] = ()
    judged_by: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class HookMessage:
    """A message of a conversation in a helpdesk; ``said`` and ``due`` are seconds of Unix."""

    helpdesk: str
    id: str
    conversation: str
    role: Role
    said: float
    work: HookWork
    state: HookState = "open"
    due: float = 0.0
    number: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class UnfinishedMessages:
    """How many messages of a helpdesk are in a state, the oldest said at ``since`` (Unix), and the last reason.

    ``conversations`` are the helpdesk's ids of some, the latest first; ``is_past`` whether a later note was written.
    """

    helpdesk: str
    state: HookState
    count: int
    since: float
    reason: str
    conversations: tuple[str, ...]
    is_past: bool


@dataclass(frozen=True, slots=True)
class CountedHooks:
    """How many webhooks of a helpdesk were refused for a reason, or ACCEPTED, from ``since`` to ``last`` (Unix)."""

    helpdesk: str
    reason: str
    count: int
    since: float
    last: float


def keep_message(file: WorkspaceFile, message: HookMessage) -> bool:
    """Store a message; returns whether it was not there yet. Call it inside a transaction."""
    with file.reading() as db:
        names = COLUMNS.removeprefix("number, ")
        row = (message.helpdesk, message.id, message.conversation, message.role, message.said, message.state)
        done = db.execute(put_if_new(KIND, names), (*row, message.due, _body(message.work)))
        return done.rowcount > 0


def claim_message(file: WorkspaceFile, now: float, until: float, claim: str) -> HookMessage | None:
    """Take the message that has been due for longest, for oneself ``until`` then; None where none is due.

    Call it inside a transaction.
    """
    select = f"SELECT {COLUMNS} FROM {KIND} WHERE state = 'open' AND due <= ? ORDER BY due, number LIMIT 1"
    with file.reading() as db:
        row = db.execute(select, (now,)).fetchone()
        if row is None:
            return None
        found = _read_row(row)
        taken = replace(found, due=until, work=replace(found.work, claim=claim, tries=found.work.tries + 1))
        _write(db, taken)
        return taken


def update_message(file: WorkspaceFile, message: HookMessage) -> bool:
    """Store what became of a message that was claimed; False where another has claimed it since.

    Call it inside a transaction.
    """
    with file.reading() as db:
        row = db.execute(f"SELECT {COLUMNS} FROM {KIND} WHERE number = ?", (message.number,)).fetchone()
        if row is None or _read_row(row).work.claim != message.work.claim:
            return False
        _write(db, message)
        return True


def note_judged(file: WorkspaceFile, number: int, by: str) -> None:
    """Note the reply that a message's suggestions were compared with; call it inside a transaction."""
    with file.reading() as db:
        row = db.execute(f"SELECT {COLUMNS} FROM {KIND} WHERE number = ?", (number,)).fetchone()
        if row is not None:
            found = _read_row(row)
            _write(db, replace(found, work=replace(found.work, judged_by=by)))


def conversation_messages(file: WorkspaceFile, helpdesk: str, conversation: str, newest: int) -> list[HookMessage]:
    """Return the newest messages of a conversation in the order in which they were said."""
    select = (
        f"SELECT {COLUMNS} FROM {KIND} WHERE helpdesk = ? AND conversation = ? ORDER BY said DESC, number DESC LIMIT ?"
    )
    return [_read_row(row) for row in file.rows(select, (helpdesk, conversation, newest))][::-1]


def next_due(file: WorkspaceFile) -> float | None:
    """Return when the next message is due, in seconds of Unix; None where nothing is to be done."""
    rows = file.rows(f"SELECT min(due) FROM {KIND} WHERE state = 'open'", lacked_by=BEFORE_HOOKS)
    return next((float(due) for (due,) in rows if due is not None), None)


def count_states(file: WorkspaceFile) -> dict[str, int]:
    """Return how many messages are in each state."""
    rows = file.rows(f"SELECT state, count(*) FROM {KIND} GROUP BY state", lacked_by=BEFORE_HOOKS)
    return {str(state): int(n) for state, n in rows}


def unfinished_messages(file: WorkspaceFile) -> list[UnfinishedMessages]:
    """Return what customers' messages wait or have failed, of each helpdesk."""
    groups = (
        f"SELECT helpdesk, state, count(*), min(said) FROM {KIND} WHERE state <> 'done' AND role = ? "
        "GROUP BY helpdesk, state ORDER BY helpdesk, state DESC"
    )
    latest = f"SELECT {COLUMNS} FROM {KIND} WHERE helpdesk = ? AND state = ? AND role = ? ORDER BY due DESC LIMIT ?"
    written = (
        f"SELECT max(due) FROM {KIND} WHERE helpdesk = ? AND state = 'done' AND role = ? "
        f"AND {json_number('sent_at')} > 0"
    )
    found = []
    with file.reading() as db:
        for helpdesk, state, count, since in db.execute(groups, (CUSTOMER,)).fetchall():
            rows = [_read_row(row) for row in db.execute(latest, (helpdesk, state, CUSTOMER, REASONS)).fetchall()]
            reason = next((one.work.note for one in rows if one.work.note), "")
            some = tuple(dict.fromkeys(one.conversation for one in rows))[:NAMED]
            (noted,) = db.execute(written, (helpdesk, CUSTOMER)).fetchone() if state == FAILED else (None,)
            is_past = noted is not None and all(float(noted) > one.due for one in rows)
            counted = UnfinishedMessages(
                helpdesk, state, int(count), float(since), reason, conversations=some, is_past=is_past
            )
            found.append(counted)
    return found


def refused_hooks(file: WorkspaceFile, now: float) -> list[CountedHooks]:
    """Return what webhooks were refused in the last month, by helpdesk and reason."""
    return [one for one in _counted_hooks(file, now) if one.reason != ACCEPTED]


def accepted_hooks(file: WorkspaceFile) -> dict[str, float]:
    """Return by helpdesk when a webhook was last accepted (Unix), however long ago."""
    return {one.helpdesk: one.last for one in _counted_hooks(file, 0.0) if one.reason == ACCEPTED}


def add_hooks(file: WorkspaceFile, counted: Iterable[CountedHooks], now: float) -> None:
    """Add to the webhooks that were refused or accepted, by helpdesk and reason; call it inside a transaction."""
    found = {(one.helpdesk, one.reason): one for one in _counted_hooks(file, now)}
    for one in counted:
        before = found.get((one.helpdesk, one.reason), replace(one, count=0))
        last = max(before.last, one.last)
        found[one.helpdesk, one.reason] = replace(before, count=before.count + one.count, last=last)
    file.note(REFUSED, canonical_json([astuple(found[key]) for key in sorted(found)]))


def _counted_hooks(file: WorkspaceFile, now: float) -> list[CountedHooks]:
    with damaged_rows("meta"):
        rows = json.loads(file.meta(REFUSED) or "[]")
        found = [CountedHooks(str(h), str(why), int(n), float(since), float(last)) for h, why, n, since, last in rows]
    return [one for one in found if one.reason == ACCEPTED or one.last > now - REFUSED_SECONDS]


def forget_messages(file: WorkspaceFile, before: float) -> None:
    """Forget what was done with before a moment, in seconds of Unix; call it inside a transaction."""
    file.overwrite_deleted()
    file.change(f"DELETE FROM {KIND} WHERE state <> 'open' AND due < ?", (before,))


def _write(db: Any, message: HookMessage) -> None:
    db.execute(
        f"UPDATE {KIND} SET state = ?, due = ?, body = ? WHERE number = ?",
        (message.state, message.due, _body(message.work), message.number),
    )


def _body(work: HookWork) -> str:
    return canonical_json(asdict(work))


def _read_row(row: Sequence[Any]) -> HookMessage:
    number, helpdesk, ident, conversation, role, said, state, due, text = row
    with damaged_rows(KIND):
        body = json.loads(text)
        offered = tuple(OfferedText(**{**one, "documents": tuple(one["documents"])}) for one in body.pop("offered"))
        work = HookWork(**body, offered=offered)
        if role not in (CUSTOMER, AGENT) or state not in get_args(HookState):
            raise DamagedRowError(KIND)
        return HookMessage(
            helpdesk=helpdesk,
            id=ident,
            conversation=conversation,
            role=role,
            said=float(said),
            work=work,
            state=state,
            due=float(due),
            number=int(number),
        )
