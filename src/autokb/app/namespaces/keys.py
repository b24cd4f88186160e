"""Who may use the service."""

from __future__ import annotations

from collections.abc import Iterable

from autokb.app.api_keys import ApiKeys, CreatedKey, find_key, keep_key, list_keys, make_key, revoke_key
from autokb.app.namespaces.namespace import Namespace
from autokb.core.api_keys import ApiKey
from autokb.stores.api_keys import has_api_keys


class KeysNamespace(Namespace):
    """Who may use the service."""

    def create(self, role: str, name: str = "") -> CreatedKey:
        """Make a key of the service for a role: reader, agent, editor or admin; only its hash is kept.

        Its id, which begins with ``name`` where one is given, is the author of what is done with it.
        """
        made = make_key(role, name)
        keep_key(self._workspace, made)
        return made

    def list(self) -> ApiKeys:
        """Return the keys, revoked ones too, without what they are."""
        return list_keys(self._workspace)

    def revoke(self, key_id: str) -> ApiKey:
        """Let a key count no more, from the next request on, by its id (UnknownIdError where no key has it)."""
        return revoke_key(self._workspace, key_id)

    def find(self, key: str) -> ApiKey | None:
        """Return which key was shown; None where it is wrong or revoked."""
        if (held := self._memory.held_keys) is not None:
            if not held.can_tell([key]):
                held.read(self._memory.workspace)
            return held.find(key)
        with self._memory.shared_connection() as file:
            return find_key(file, key)

    def are_needed(self) -> bool:
        """Return whether a key was ever made here; to revoke the last one opens nothing."""
        if (held := self._memory.held_keys) is not None:
            if not held.count_still:
                held.read(self._memory.workspace)
            return held.are_needed()
        with self._memory.shared_connection() as file:
            return has_api_keys(file)

    def wait_for_store(self, shown: Iterable[str]) -> bool:
        """Return whether a server has to be asked for what ``find`` and ``are_needed`` say of these keys."""
        held = self._memory.held_keys
        return held is not None and not held.can_tell(shown)
