"""The roles of the service's keys; light enough for the help of every command."""

from __future__ import annotations

from typing import Literal, get_args

Role = Literal["reader", "agent", "editor", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)  # each may do what those before it may


def may(role: Role, needed: Role) -> bool:
    """Return whether a role includes another."""
    return ROLES.index(role) >= ROLES.index(needed)
