"""The arms of conversations and how they ended; of this workspace alone, in no export."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from autokb.core.in_use import ARMS, Arm, AssignedArm, ConversationOutcome
from autokb.stores.database import DamagedRowError
from autokb.stores.schema import BEFORE_IN_USE
from autokb.stores.sql import keep_newest, put, put_if_new
from autokb.stores.workspace_file import WorkspaceFile

MOST_ARMS = 500_000  # conversations whose arm is kept, the newest ones: some 50 MB
KIND, ARM = "outcome", "arm"
COLUMNS = "conversation, resolved, returned, seconds, date"


def keep_arms(file: WorkspaceFile, arms: Iterable[AssignedArm]) -> None:
    """Store the arms of conversations; the first one that a conversation had in an experiment stays.

    Call it inside a transaction.
    """
    with file.reading() as db:
        rows = [(one.conversation, one.salt, one.arm, one.date) for one in arms]
        db.executemany(put_if_new("arm", "conversation, salt, arm, date"), rows)
        db.execute(keep_newest("arm", "rowid"), (MOST_ARMS,))


def read_arms(file: WorkspaceFile, salt: str) -> list[AssignedArm]:
    """Return the arms of an experiment's conversations, in the order in which they came."""
    select = "SELECT conversation, salt, arm, date FROM arm WHERE salt = ? ORDER BY rowid"
    return [_read_arm(row) for row in file.rows(select, (salt,), lacked_by=BEFORE_IN_USE)]


def keep_outcome(file: WorkspaceFile, given: ConversationOutcome) -> tuple[ConversationOutcome, bool]:
    """Store how a conversation ended; returns what is known now, and whether that is news.

    What is None was not said and stays as it was. Call it inside a transaction.
    """
    before = find_outcome(file, given.conversation)
    known = given if before is None else _joined(before, given)
    if known == before:
        return known, False
    flags = (None if flag is None else int(flag) for flag in (known.resolved, known.returned))
    row = (known.conversation, *flags, known.seconds, known.date)
    file.change(put("outcome", COLUMNS, key="conversation"), row)
    return known, True


def _joined(before: ConversationOutcome, given: ConversationOutcome) -> ConversationOutcome:
    """Return what is known of a conversation; its date is that of the first report."""
    return replace(
        before,
        resolved=before.resolved if given.resolved is None else given.resolved,
        returned=before.returned if given.returned is None else given.returned,
        seconds=before.seconds if given.seconds is None else given.seconds,
    )


def find_outcome(file: WorkspaceFile, conversation: str) -> ConversationOutcome | None:
    """Return how a conversation ended, where that was reported."""
    select = f"SELECT {COLUMNS} FROM outcome WHERE conversation = ?"
    rows = file.rows(select, (conversation,), lacked_by=BEFORE_IN_USE)
    return _read_outcome(rows[0]) if rows else None


def read_outcomes(file: WorkspaceFile) -> list[ConversationOutcome]:
    """Return every reported outcome, ordered by conversation."""
    rows = file.rows(f"SELECT {COLUMNS} FROM outcome ORDER BY conversation", lacked_by=BEFORE_IN_USE)
    return [_read_outcome(row) for row in rows]


def _read_arm(row: tuple[object, ...]) -> AssignedArm:
    conversation, salt, named, date = row
    arm: Arm | None = next((one for one in ARMS if one == named), None)
    if arm is None or not (isinstance(conversation, str) and isinstance(salt, str) and isinstance(date, str)):
        raise DamagedRowError(ARM)
    return AssignedArm(conversation, salt, arm, date)


def _read_outcome(row: tuple[object, ...]) -> ConversationOutcome:
    conversation, resolved, returned, seconds, date = row
    if not (isinstance(conversation, str) and isinstance(date, str) and isinstance(seconds, float | None)):
        raise DamagedRowError(KIND)
    return ConversationOutcome(conversation, _read_flag(resolved), _read_flag(returned), seconds, date)


def _read_flag(value: object) -> bool | None:
    if value not in (0, 1, None):
        raise DamagedRowError(KIND)
    return None if value is None else bool(value)
