"""What a role is shown: the one rule that the pages and the paths over HTTP both ask."""

from __future__ import annotations

from autokb.core.errors import NotForRoleError
from autokb.core.nouns import DISPLAYED, Status
from autokb.core.roles import Role, may

# Customers' own words, and texts that somebody or a rule keeps from customers, are for who works with both.
INSIDERS: Role = "agent"


def is_insider(role: Role) -> bool:
    """Return whether a role sees what customers are not shown, and tickets with the private data in them."""
    return may(role, INSIDERS)


def is_shown(status: Status, role: Role) -> bool:
    """Return whether a role sees a solution of this status."""
    return status in DISPLAYED or is_insider(role)


def check_shown(status: Status, role: Role) -> None:
    """Refuse a solution of this status to a role that does not see it (NotForRoleError)."""
    if not is_shown(status, role):
        raise NotForRoleError(
            f"This solution is {status} and not shown to customers; a key of the role {INSIDERS} opens it, yours is "
            f"one of the role {role}."
        )
