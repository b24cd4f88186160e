"""Keys that a process holds in memory, where a server keeps them."""

from __future__ import annotations

from autokb.app.api_keys import hash_of
from autokb.app.held_keys import HELD_SECONDS, HeldKeys
from autokb.core.api_keys import ApiKey

ANN, OLD = ApiKey("ann-1", "editor", "2026-03-01"), ApiKey("old-1", "admin", "2026-03-01", "2026-03-02")


def test_a_key_is_known_until_it_was_read_too_long_ago() -> None:
    now = [100.0]
    held = HeldKeys(lambda: now[0])
    assert not held.can_tell([]) and not held.are_needed()  # nothing was read yet
    held.hold({hash_of("a"): ANN, hash_of("o"): OLD})
    assert held.can_tell(["a", "o"]) and not held.can_tell(["a", "new"]) and held.are_needed()
    assert held.find("a") == ANN and held.find("o") is None and held.find("new") is None  # OLD was revoked
    now[0] += HELD_SECONDS - 1
    assert held.can_tell(["a"])
    now[0] += 1
    assert not held.can_tell(["a"]) and not held.can_tell([])
    held.hold({hash_of("a"): ANN})
    assert held.can_tell(["a"]) and not held.can_tell(["o"])
