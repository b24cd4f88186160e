"""Things that are kept in memory as long as there is room: what was used longest ago goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Values by their keys, of at most so many ``bytes`` together; threads may share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()
        self.bytes = 0

    def get(self, keys: Iterable[K]) -> dict[K, V]:
        """Return what is there of these keys."""
        found: dict[K, V] = {}
        with self._lock:
            for key in keys:
                if (held := self._held.get(key)) is not None:
                    self._held.move_to_end(key)
                    found[key] = held[0]
        return found

    def keep(self, key: K, value: V, size: int) -> None:
        """Keep a value of so many bytes; one that is larger than all the room is not kept."""
        with self._lock:
            if (before := self._held.pop(key, None)) is not None:
                self.bytes -= before[1]
            if size > self._most:
                return
            self._held[key] = (value, size)
            self.bytes += size
            while self.bytes > self._most:
                _, (_, gone) = self._held.popitem(last=False)
                self.bytes -= gone
