"""What an export wrote and an import took."""

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


@dataclass(frozen=True, slots=True)
class Exported(Result):
    """Where it was written; JSONL counts ``lines``, formats for people ``solutions``, those of graphs ``tickets``."""

    file: str
    lines: int | None = None
    solutions: int | None = None
    tickets: int | None = None
