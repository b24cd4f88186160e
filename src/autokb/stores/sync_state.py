"""How far each source of the settings was read, and what is known of each of its items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from autokb.core.ids import canonical_json
from autokb.stores.database import read_object
from autokb.stores.sql import put
from autokb.stores.workspace_file import WorkspaceFile

Body = dict[str, Any]
UNBUILT = "sync changed since build"  # meta: whether a build has to follow what was read


def read_sync_source(file: WorkspaceFile, source: str) -> Body:
    """Return what is noted of a source; nothing where it was never read."""
    rows = file.rows("SELECT body FROM sync_source WHERE name = ?", (source,))
    return read_object("sync_source", rows[0][0]) if rows else {}


def read_sync_items(file: WorkspaceFile, source: str) -> dict[str, Body]:
    """Return what is noted of each item of a source, by what the source calls it."""
    rows = file.rows("SELECT key, body FROM sync_item WHERE source = ?", (source,))
    return {str(key): read_object("sync_item", body) for key, body in rows}


def keep_sync_source(file: WorkspaceFile, source: str, body: Mapping[str, Any]) -> None:
    """Note how far a source was read; call it inside a transaction."""
    file.change(put("sync_source", "name, body", "name"), (source, canonical_json(body)))


def keep_sync_items(file: WorkspaceFile, source: str, items: Mapping[str, Mapping[str, Any]]) -> None:
    """Note what is known of items; call it inside a transaction."""
    rows = ((source, key, canonical_json(body)) for key, body in items.items())
    with file.reading() as db:
        db.executemany(put("sync_item", "source, key, body", "source, key"), rows)


def forget_sync_items(file: WorkspaceFile, source: str, keys: Iterable[str]) -> None:
    """Forget items; call it inside a transaction."""
    with file.reading() as db:
        db.executemany("DELETE FROM sync_item WHERE source = ? AND key = ?", ((source, key) for key in keys))
