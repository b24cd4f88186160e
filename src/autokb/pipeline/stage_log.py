"""What the stages of one run did: items computed, reused and failed, with the reasons and the seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from autokb.core.nouns import Failure
from autokb.core.progress import Progress, silent
from autokb.pipeline.build_report import StageReport

LEAST_FAILED = 3  # items of a stage: fewer are chance


@dataclass
class StageCount:
    """What one stage did in this run.

    ``items`` are those that it was given so far; of the ``failed``, ``unheard`` are those that nobody answered.
    """

    computed: int = 0
    reused: int = 0
    failed: int = 0
    seconds: float = 0.0
    items: int = 0
    unheard: int = 0


def is_too_many(failed: int, items: int, tolerance: float) -> bool:
    """Return whether more of a stage's items failed than the ``tolerance``, a share of them."""
    return failed > tolerance * items and failed >= LEAST_FAILED


@dataclass
class StageLog:
    """The counts, failures and left-out parts of one run, and what a person should know of it."""

    progress: Progress = silent
    counts: dict[str, StageCount] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    left_out: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @contextmanager
    def timed(self, stage: str) -> Iterator[StageCount]:
        """Count the seconds of a block to a stage."""
        count = self.counts.setdefault(stage, StageCount())
        start = time.perf_counter()
        try:
            yield count
        finally:
            count.seconds += time.perf_counter() - start

    def reports(self) -> dict[str, StageReport]:
        """Return what each stage did, in the order in which they began."""
        return {
            name: StageReport(c.computed, c.reused, c.failed, round(c.seconds, 3)) for name, c in self.counts.items()
        }
