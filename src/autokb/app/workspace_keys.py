"""Keys that count in several workspaces: one secret, kept hashed in each, so that each stays whole by itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autokb.app.api_keys import CreatedKey, keep_key, list_keys, make_key, revoke_key
from autokb.app.workspaces import FolderOfWorkspaces
from autokb.core.api_keys import ApiKey
from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.results import Result
from autokb.core.roles import Role
from autokb.stores.workspace import Workspace, open_workspace


@dataclass(frozen=True, slots=True)
class SharedKey(Result):
    """A new key of several workspaces, shown this once."""

    id: str
    key: str
    role: Role
    created: str
    workspaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListedKey(Result):
    """A key without its secret, and the workspaces in which it counts; ``revoked`` is None while it does in any."""

    id: str
    role: Role
    created: str
    revoked: str | None
    workspaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeysOfWorkspaces(Result):
    """The keys of all workspaces of a folder, sorted by their ids."""

    keys: tuple[ListedKey, ...]


def create_shared_key(folder: Path, names: Iterable[str], role: str, name: str = "") -> SharedKey:
    """Make a key for workspaces of a folder (BadInputError where one of them is none, and no key is made)."""
    opened = {one: _open(folder, one) for one in dict.fromkeys(names)}
    if not opened:
        raise BadInputError("Name the workspaces that the key is for: --workspaces NAME,NAME")
    made: CreatedKey = make_key(role, name)
    for workspace in opened.values():
        keep_key(workspace, made)
    return SharedKey(made.id, made.key, made.role, made.created, tuple(opened))


def list_shared_keys(folder: Path) -> KeysOfWorkspaces:
    """Return the keys of all workspaces of a folder, revoked ones too."""
    found: dict[str, list[tuple[str, ApiKey]]] = {}
    for name in FolderOfWorkspaces(folder).names():
        for key in list_keys(_open(folder, name)).keys:
            found.setdefault(key.id, []).append((name, key))
    return KeysOfWorkspaces(tuple(_listed(each) for _, each in sorted(found.items())))


def revoke_shared_key(folder: Path, key_id: str) -> ListedKey:
    """Let a key count no more in any workspace of a folder (UnknownIdError where none knows it)."""
    found: list[tuple[str, ApiKey]] = []
    for name in FolderOfWorkspaces(folder).names():
        workspace = _open(folder, name)
        if any(key.id == key_id for key in list_keys(workspace).keys):
            found.append((name, revoke_key(workspace, key_id)))
    if not found:
        raise UnknownIdError(f"No workspace here has a key with the id {key_id!r}; autokb keys list shows them.")
    return _listed(found)


def _listed(found: list[tuple[str, ApiKey]]) -> ListedKey:
    counting = tuple(name for name, key in found if key.revoked is None)
    first, last = found[0][1], max(key.revoked or "" for _, key in found)
    return ListedKey(first.id, first.role, first.created, None if counting else last, counting)


def _open(folder: Path, name: str) -> Workspace:
    place = FolderOfWorkspaces(folder).place(name)
    if place is None:
        raise BadInputError(f"{folder} has no workspace {name!r}; name one of its folders.")
    return open_workspace(place)
