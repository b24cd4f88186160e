"""Keys of the service: who may do what by which key."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.results import Result
from autokb.core.roles import Role


@dataclass(frozen=True, slots=True)
class ApiKey(Result):
    """A key without its secret; ``created`` and ``revoked`` are moments in UTC, ``revoked`` None while it counts."""

    id: str
    role: Role
    created: str
    revoked: str | None = None
