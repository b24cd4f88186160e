"""Keys of the service: who may do what by which key."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.results import Result
from autokb.plugin import ROLES as ROLES
from autokb.plugin import Role as Role


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
