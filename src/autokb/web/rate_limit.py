"""How many requests a key may send: so many a minute on average, and some at once (a token bucket a key)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

A_MINUTE = 1_200  # the pages of some dozens of agents behind one key; one who suggests at each message sends about 20
BURST_SHARE = 10  # a tenth of a minute's requests may come at once, a page with all its parts at least
LEAST_BURST = 20  # requests that may always come at once
MOST_KEYS = 10_000  # that are remembered; full buckets are forgotten first


@dataclass
class RateLimit:
    """The buckets of one process. ``a_minute`` of 0 limits nothing."""

    a_minute: int = A_MINUTE
    clock: Callable[[], float] = time.monotonic
    _full_at: dict[str, float] = field(default_factory=dict)  # by key: when its bucket is full again

    @property
    def burst(self) -> int:
        """How many requests a key may send at once."""
        return max(LEAST_BURST, self.a_minute // BURST_SHARE)

    def take(self, key: str) -> float:
        """Count a request of a key; returns the seconds after which it may be sent again, 0 where it may be now."""
        if not self.a_minute:
            return 0.0
        now, each = self.clock(), 60 / self.a_minute
        full_at = max(now, self._full_at.get(key, now)) + each
        wait = full_at - now - self.burst * each
        if wait > 1e-9:
            return wait
        if len(self._full_at) >= MOST_KEYS and key not in self._full_at:
            self._full_at = {k: at for k, at in self._full_at.items() if at > now}
        self._full_at[key] = full_at
        return 0.0
