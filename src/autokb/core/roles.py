"""The roles of the service's keys; light enough for the help of every command."""

from __future__ import annotations

from autokb.plugin import ROLES as ROLES
from autokb.plugin import Role as Role


def may(role: Role, needed: Role) -> bool:
    """Return whether a role includes another."""
    return ROLES.index(role) >= ROLES.index(needed)
