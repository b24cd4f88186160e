"""The cap on what may be spent: the most that a request can cost is set aside before it is sent."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

PER_USD = 10**12  # counted in whole trillionths of a dollar, so that no sum of rounded figures passes the limit


@dataclass
class Budget:
    """USD that may be spent; what is spent and what is reserved together never pass the limit."""

    limit_usd: float
    _spent: int = 0
    _reserved: dict[int, int] = field(default_factory=dict)
    _last: int = 0

    def reserve(self, amount: float) -> int | None:
        """Set an amount aside; returns its ticket, or None when it does not fit now."""
        whole = _up(amount)
        if self._spent + sum(self._reserved.values()) + whole > self._limit:
            return None
        self._last += 1
        self._reserved[self._last] = whole
        return self._last

    def settle(self, ticket: int, actual: float) -> None:
        """Replace a reservation by what was spent in the end."""
        del self._reserved[ticket]
        self._spent += _up(actual)

    def spend(self, amount: float) -> None:
        """Count what was spent without having been set aside."""
        self._spent += _up(amount)

    def can_ever_fit(self, amount: float) -> bool:
        """Return whether an amount fits once every open reservation was given back."""
        return self._spent + _up(amount) <= self._limit

    @property
    def in_flight(self) -> bool:
        """Return whether a reservation is open."""
        return bool(self._reserved)

    @property
    def spent(self) -> float:
        """Return the USD spent so far."""
        return self._spent / PER_USD

    @property
    def _limit(self) -> int:
        return math.floor(self.limit_usd * PER_USD)


def _up(amount: float) -> int:
    return math.ceil(round(amount * PER_USD, 3))
