"""How many requests a key may send: so many a minute on average, and some at once (a token bucket a key)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock

A_MINUTE = 1_200  # the pages of some dozens of agents behind one key; one who suggests at each message sends about 20
BURST_SHARE = 10  # a tenth of a minute's requests may come at once, a page with all its parts at least
LEAST_BURST = 20  # requests of a key that may always come at once
MOST_KEYS = 10_000  # that are remembered; full buckets are forgotten first


@dataclass
class RateLimit:
    """The buckets of one process. ``a_minute`` of 0 limits nothing.

    Processes that share a store on a server also share their buckets: what each let through is told to the store
    (``counted``), which says how full the buckets of all are (``settle``). The event loop takes, another thread tells.
    """

    a_minute: int = A_MINUTE
    clock: Callable[[], float] = time.monotonic
    least_burst: int = LEAST_BURST  # requests that may come at once, however few are let through a minute
    _full_at: dict[str, float] = field(default_factory=dict)  # by key: when its bucket is full again
    _untold: dict[str, int] = field(default_factory=dict)  # by key: requests that only this process knows of
    _lock: Lock = field(default_factory=Lock)

    @property
    def burst(self) -> int:
        """How many requests a key may send at once."""
        return max(self.least_burst, self.a_minute // BURST_SHARE)

    @property
    def each(self) -> float:
        """The seconds that one request takes of a bucket."""
        return 60 / self.a_minute if self.a_minute else 0.0

    def take(self, key: str) -> float:
        """Count a request of a key; returns the seconds after which it may be sent again, 0 where it may be now."""
        if not self.a_minute:
            return 0.0
        with self._lock:
            now, each = self.clock(), self.each
            full_at = max(now, self._full_at.get(key, now)) + each
            wait = full_at - now - self.burst * each
            if wait > 1e-9:
                return wait
            if len(self._full_at) >= MOST_KEYS and key not in self._full_at:
                self._full_at = {k: at for k, at in self._full_at.items() if at > now}
            self._full_at[key] = full_at
            if len(self._untold) < MOST_KEYS or key in self._untold:
                self._untold[key] = self._untold.get(key, 0) + 1
            return 0.0

    def counted(self) -> dict[str, int]:
        """Return by key how many requests were let through since the last call."""
        with self._lock:
            counted, self._untold = self._untold, {}
            return counted

    def count_again(self, counted: Mapping[str, int]) -> None:
        """Take back what ``counted`` returned, for nobody could be told."""
        with self._lock:
            for key, count in counted.items():
                self._untold[key] = self._untold.get(key, 0) + count

    def settle(self, full_in: Mapping[str, float]) -> None:
        """Take over in how many seconds each bucket is full, as all processes together have emptied it."""
        with self._lock:
            now = self.clock()
            for key, seconds in full_in.items():
                self._full_at[key] = now + seconds + self._untold.get(key, 0) * self.each
