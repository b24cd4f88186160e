"""Webhooks that were refused and why, and when one was last accepted, counted for ``doctor``."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from threading import Lock

from autokb.core.errors import AutokbError
from autokb.stores.hook_messages import CountedHooks, add_hooks
from autokb.stores.workspace import Workspace

KEEP_EVERY = 5.0  # seconds between two writings: whoever sends thousands keeps the store no busier than who sends one


class RefusedWebhooks:
    """Counts in memory, and stores the sums now and then (thread-safe); reasons are few, as the code has them."""

    def __init__(self, workspace: Callable[[], Workspace]) -> None:
        self._workspace = workspace
        self._counts: dict[tuple[str, str], CountedHooks] = {}
        self._kept_at = 0.0
        self._lock = Lock()

    def count(self, helpdesk: str, why: str) -> None:
        """Count one that was refused, or ACCEPTED."""
        now = time.time()
        with self._lock:
            before = self._counts.get((helpdesk, why), CountedHooks(helpdesk, why, 0, now, now))
            self._counts[helpdesk, why] = replace(before, count=before.count + 1, last=now)

    def keep(self, now: float) -> float | None:
        """Store what was counted; returns the seconds until it may, where that is too early, and None else."""
        with self._lock:
            wait = self._kept_at + KEEP_EVERY - now
            if not self._counts or wait > 0:
                return wait if self._counts else None
            counted, self._counts, self._kept_at = self._counts, {}, now
        with suppress(AutokbError), self._workspace().file() as file, file.transaction():  # the log has them, too
            add_hooks(file, counted.values(), now)
        return None
