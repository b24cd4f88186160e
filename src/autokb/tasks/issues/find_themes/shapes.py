"""What the task is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autokb.tasks.task import outside_key


@dataclass(frozen=True, slots=True)
class FindThemes:
    """What the domain is about and all raw issues; ``vectors`` has a unit row for each issue.

    ``subjects`` are the issues without the words of attribute values (none: the issues as they are).
    """

    domain: str
    issues: tuple[str, ...]
    vectors: Any = outside_key()
    subjects: tuple[str, ...] = ()
