"""How far each source of the settings was read, and what is known of each of its items."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from autokb.core.ids import canonical_json
from autokb.stores.database import damaged_rows
from autokb.stores.sql import put
from autokb.stores.workspace_file import WorkspaceFile

Body = dict[str, Any]
UNBUILT = "sync changed since build"  # meta: whether a build has to follow what was read


def read_sync_source(file: WorkspaceFile, source: str) -> Body:
    """Return what is noted of a source; nothing where it was never read."""
    with file.reading() as db, damaged_rows("sync_source"):
        row = db.execute("SELECT body FROM sync_source WHERE name = ?", (source,)).fetchone()
        return {} if row is None else _object(row[0])


def read_sync_items(file: WorkspaceFile, source: str) -> dict[str, Body]:
    """Return what is noted of each item of a source, by what the source calls it."""
    with file.reading() as db, damaged_rows("sync_item"):
        rows = db.execute("SELECT key, body FROM sync_item WHERE source = ?", (source,))
        return {str(key): _object(body) for key, body in rows}


def keep_sync_source(file: WorkspaceFile, source: str, body: Mapping[str, Any]) -> None:
    """Note how far a source was read; call it inside a transaction."""
    with file.reading() as db:
        db.execute(put("sync_source", "name, body", "name"), (source, canonical_json(body)))


def keep_sync_items(file: WorkspaceFile, source: str, items: Mapping[str, Mapping[str, Any]]) -> None:
    """Note what is known of items; call it inside a transaction."""
    rows = ((source, key, canonical_json(body)) for key, body in items.items())
    with file.reading() as db:
        db.executemany(put("sync_item", "source, key, body", "source, key"), rows)


def forget_sync_items(file: WorkspaceFile, source: str, keys: Iterable[str]) -> None:
    """Forget items; call it inside a transaction."""
    with file.reading() as db:
        db.executemany("DELETE FROM sync_item WHERE source = ? AND key = ?", ((source, key) for key in keys))


def _object(text: Any) -> Body:
    body = json.loads(text)
    if not isinstance(body, dict):
        raise ValueError("no object")
    return body
