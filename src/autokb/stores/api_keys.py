"""The table of the service's keys: a hash, a role and two dates each; what a key itself is stands nowhere.

It is of this workspace alone: no export holds it, no import touches it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from autokb.core.api_keys import ApiKey
from autokb.core.roles import Role
from autokb.stores.database import DamagedRowError, damaged_rows
from autokb.stores.schema import BEFORE_KEYS
from autokb.stores.workspace_file import WorkspaceFile

KIND = "api_key"
COLUMNS = "id, role, created, revoked"


def keep_api_key(file: WorkspaceFile, key: ApiKey, key_hash: str) -> None:
    """Store a new key under its hash; call it inside a transaction."""
    insert = f"INSERT INTO api_key ({COLUMNS}, hash) VALUES (?, ?, ?, ?, ?)"
    file.change(insert, (key.id, key.role, key.created, key.revoked, key_hash))


def read_api_keys(file: WorkspaceFile) -> list[ApiKey]:
    """Return every key that was ever made, the first one first."""
    rows = file.rows(f"SELECT {COLUMNS} FROM api_key ORDER BY rowid", lacked_by=BEFORE_KEYS)
    return [_read_row(row) for row in rows]


def read_keys_by_hash(file: WorkspaceFile) -> dict[str, ApiKey]:
    """Return every key that was ever made, by its hash."""
    rows = file.rows(f"SELECT hash, {COLUMNS} FROM api_key", lacked_by=BEFORE_KEYS)
    return {str(key_hash): _read_row(tuple(row)) for key_hash, *row in rows}


def find_api_key(file: WorkspaceFile, key_hash: str) -> ApiKey | None:
    """Return the key with this hash, also a revoked one."""
    rows = file.rows(f"SELECT {COLUMNS} FROM api_key WHERE hash = ?", (key_hash,), lacked_by=BEFORE_KEYS)
    return _read_row(rows[0]) if rows else None


def has_api_keys(file: WorkspaceFile) -> bool:
    """Return whether any key was ever made, be it revoked since."""
    return bool(file.rows("SELECT 1 FROM api_key LIMIT 1", lacked_by=BEFORE_KEYS))


def note_revoked(file: WorkspaceFile, key: ApiKey, moment: str) -> ApiKey:
    """Note that a key counts no more; one that did not before keeps its moment. Call it inside a transaction."""
    if key.revoked is not None:
        return key
    file.change("UPDATE api_key SET revoked = ? WHERE id = ?", (moment, key.id))
    return replace(key, revoked=moment)


def _read_row(row: tuple[object, ...]) -> ApiKey:
    key, role, created, revoked = row
    with damaged_rows(KIND):
        if not (isinstance(key, str) and isinstance(created, str) and isinstance(revoked, str | None)):
            raise DamagedRowError(KIND)
        for known in get_args(Role):
            if role == known:
                return ApiKey(key, known, created, revoked)
        raise DamagedRowError(KIND)
