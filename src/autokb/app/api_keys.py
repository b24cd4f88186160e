"""Keys of the service: made, listed, revoked, and recognised."""

from __future__ import annotations

import hashlib
import re
import secrets
import shlex
from dataclasses import dataclass

from autokb.core.api_keys import ApiKey
from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.in_use import moment
from autokb.core.results import Result
from autokb.core.roles import ROLES, Role
from autokb.stores.api_keys import find_api_key, keep_api_key, note_revoked, read_api_keys
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile

PREFIX = "akb_"  # so that a person, or a search for leaked secrets, knows what it is
KEY_BYTES = 32  # 256 random bits, 43 characters in base 64
ID_BYTES = 6  # random bytes in the id of a key without a name
NAMED_ID_BYTES = 4  # beside a name: of a thousand keys of one name two are alike with a chance of 1 in 10,000
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
NAME_CHARACTERS = 40  # of the name of a key at most
KEY_CHARACTERS = 200  # of what is looked up at most; longer is no key of ours


@dataclass(frozen=True, slots=True)
class CreatedKey(Result):
    """A new key, shown this once: only its hash is kept."""

    id: str
    key: str
    role: Role
    created: str


@dataclass(frozen=True, slots=True)
class ApiKeys(Result):
    """The keys of a workspace, the first one first, without what they are."""

    keys: tuple[ApiKey, ...]


def make_key(role: str, name: str = "") -> CreatedKey:
    """Make a key for a role, which counts nowhere yet (BadInputError where there is no such role).

    Its id begins with ``name``, who holds it (small letters of ASCII, digits and hyphens): the id is the author of what
    is done with the key, in histories, lists and exports.
    """
    named = next((one for one in ROLES if one == role), None)
    if named is None:
        raise BadInputError(f"A role is one of {', '.join(ROLES)}, not {role!r}.")
    if name and (len(name) > NAME_CHARACTERS or not NAME.fullmatch(name)):
        raise BadInputError(
            f"The name of a key has small letters a to z, digits and single hyphens, {NAME_CHARACTERS} at most, such "
            f"as front-desk, not {name[: NAME_CHARACTERS + 1]!r}."
        )
    key_id = f"{name}-{secrets.token_hex(NAMED_ID_BYTES)}" if name else f"key-{secrets.token_hex(ID_BYTES)}"
    return CreatedKey(key_id, PREFIX + secrets.token_urlsafe(KEY_BYTES), named, moment())


def keep_key(workspace: Workspace, made: CreatedKey) -> None:
    """Let a key count in a workspace; its hash is kept, not itself."""
    with workspace.file() as file, file.transaction():
        keep_api_key(file, ApiKey(made.id, made.role, made.created), hash_of(made.key))


def list_keys(workspace: Workspace) -> ApiKeys:
    """Return all keys, revoked ones too."""
    with workspace.file() as file:
        return ApiKeys(tuple(read_api_keys(file)))


def revoke_key(workspace: Workspace, key_id: str) -> ApiKey:
    """Let a key count no more, from the next request on (UnknownIdError where no key has the id)."""
    with workspace.file() as file, file.transaction():
        found = next((one for one in read_api_keys(file) if one.id == key_id), None)
        if found is None:
            folder = shlex.quote(str(workspace.folder))
            raise UnknownIdError(f"No key has the id {key_id!r}; this lists them: autokb keys list {folder}")
        return note_revoked(file, found, moment())


def find_key(file: WorkspaceFile, secret: str) -> ApiKey | None:
    """Return the key that was shown; None where it is wrong or revoked."""
    if len(secret) > KEY_CHARACTERS:
        return None
    found = find_api_key(file, hash_of(secret))
    return found if found is not None and found.revoked is None else None


def hash_of(secret: str) -> str:
    """Return what is kept of a key.

    A slow hash with salt, as passwords need, would add nothing: it makes guessing dear, and nobody guesses 256 random
    bits, nor finds two keys with one hash. This one is cheap enough to be worked out with every request, and looking it
    up in an index tells a stopwatch at most something of a hash, from which no key follows.
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
