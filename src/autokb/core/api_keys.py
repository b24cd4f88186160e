"""Keys of the service: who may do what by which key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from autokb.core.results import Result

Role = Literal["reader", "agent", "editor", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)  # each may do what those before it may


@dataclass(frozen=True, slots=True)
class ApiKey(Result):
    """A key without its secret; ``created`` and ``revoked`` are moments in UTC, ``revoked`` None while it counts."""

    id: str
    role: Role
    created: str
    revoked: str | None = None


def may(role: Role, needed: Role) -> bool:
    """Return whether a role includes another."""
    return ROLES.index(role) >= ROLES.index(needed)
