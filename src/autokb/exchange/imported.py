"""What an import took."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.nouns import Skipped
from autokb.core.results import Result


@dataclass(frozen=True, slots=True)
class Imported(Result):
    """What one import took, what was there already, and what it did not take; ``notes`` say what went for it."""

    taken: int
    unchanged: int
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...] = ()
