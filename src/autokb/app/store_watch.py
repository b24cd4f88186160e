"""What a process of the service shares with those on other machines: what is published, the keys, how much each sent.

Only where a server keeps the store. A thread waits for its notices, and looks each second whatever they say, so that a
notice that was lost costs a second and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Event, Thread
from typing import TYPE_CHECKING, Protocol

from autokb.app.held_keys import HeldKeys
from autokb.core.errors import AutokbError
from autokb.stores.api_keys import read_keys_by_hash

if TYPE_CHECKING:
    from autokb.app.memory import WorkspaceMemory
    from autokb.stores.store import Notices

LOOK_EVERY = 1.0  # seconds between two looks without a notice
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0  # seconds before a server that is away is tried again, twice as long each time
CLOSE_SECONDS = 2.0  # that closing waits for the thread


class SharedRates(Protocol):
    """The buckets of one process, as ``RateLimit`` of the service keeps them."""

    @property
    def each(self) -> float:
        """The seconds that one request takes of a bucket."""

    def counted(self) -> dict[str, int]:
        """Return by key how many requests were let through since the last call."""

    def count_again(self, counted: Mapping[str, int]) -> None:
        """Take back what ``counted`` returned."""

    def settle(self, full_in: Mapping[str, float]) -> None:
        """Take over in how many seconds each bucket is full."""


class StoreWatch:
    """The thread of one process; ``wake`` is called where something may have been published."""

    def __init__(self, memory: WorkspaceMemory, wake: Callable[[], None], rates: SharedRates) -> None:
        self._keys = memory.held_keys = memory.held_keys or HeldKeys()
        memory.workspace.store.answer_or_fail()
        self._memory, self._wake, self._rates = memory, wake, rates
        self._ended = Event()
        self._thread = Thread(target=self._run, name="autokb-store-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._ended.set()
        self._thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        self._pause = FIRST_PAUSE
        while not self._ended.is_set():
            with suppress(AutokbError), self._memory.workspace.store.notices() as notices:  # else the server is away
                self._wake()  # for what was published while nobody listened
                self._watch(notices)
            self._ended.wait(self._pause)
            self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def _watch(self, notices: Notices) -> None:
        while not self._ended.is_set():
            self._share()
            self._pause = FIRST_PAUSE
            if notices.wait(LOOK_EVERY) and not self._ended.is_set():
                self._wake()

    def _share(self) -> None:
        """Read the keys, and tell and ask how much each has sent."""
        with self._memory.workspace.file() as file:
            self._keys.hold(read_keys_by_hash(file))
            if not (counted := self._rates.counted()):
                return
            try:
                emptied = {key: count * self._rates.each for key, count in counted.items()}
                full_in = self._memory.workspace.store.share_rates(emptied)
            except BaseException:
                self._rates.count_again(counted)
                raise
            self._rates.settle(full_in)
