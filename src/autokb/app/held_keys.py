"""The keys in memory, where the store is a server: no request waits for it, and it may be away for a while."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from autokb.app.api_keys import hash_of
from autokb.core.api_keys import ApiKey
from autokb.stores.api_keys import read_keys_by_hash
from autokb.stores.workspace import Workspace

HELD_SECONDS = 900.0  # that keys count by what was read last, while the store cannot be asked; then none does


@dataclass
class HeldKeys:
    """The keys as they were read last; who reads them says ``hold``, which replaces all of them at once."""

    clock: Callable[[], float] = time.monotonic
    _by_hash: Mapping[str, ApiKey] = field(default_factory=dict)
    _read_at: float | None = None

    def hold(self, by_hash: Mapping[str, ApiKey]) -> None:
        """Let these keys, each by its hash, be all that there are."""
        self._by_hash, self._read_at = by_hash, self.clock()

    def read(self, workspace: Workspace) -> None:
        """Hold the keys as the store has them now."""
        with workspace.file() as file:
            self.hold(read_keys_by_hash(file))

    @property
    def count_still(self) -> bool:
        """Whether keys were read, and not too long ago to count."""
        return self._read_at is not None and self.clock() - self._read_at < HELD_SECONDS

    def can_tell(self, secrets: Iterable[str]) -> bool:
        """Return whether it is known of each of them which key it is; one that is unknown may be new."""
        return self.count_still and all(hash_of(secret) in self._by_hash for secret in secrets)

    def find(self, secret: str) -> ApiKey | None:
        """Return the key that was shown; None where it is unknown or revoked."""
        found = self._by_hash.get(hash_of(secret))
        return found if found is not None and found.revoked is None else None

    def are_needed(self) -> bool:
        """Return whether a key was ever made."""
        return bool(self._by_hash)
