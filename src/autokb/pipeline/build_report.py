"""What a build did, failed to do and spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from autokb.core.checks import Refusal
from autokb.core.nouns import Failure
from autokb.core.results import Result
from autokb.core.spending import NOTHING_SPENT, Tokens
from autokb.llm.batch.awaited import BatchReport
from autokb.notebook.html import html


@dataclass(frozen=True, slots=True)
class StageReport(Result):
    """What one stage did: items worked out in this run, known before, and failed."""

    computed: int
    reused: int
    failed: int
    seconds: float


@dataclass(frozen=True, slots=True)
class KnowledgeCounts(Result):
    """What a build published; ``solutions`` are those that are shown.

    ``orphaned`` counts the decisions of people whose solution is gone, ``outdated`` the raw issues that went or got
    other words since the themes were made; 0 where they are too few to make them again.
    """

    themes: int = 0
    seeds: int = 0
    parents: int = 0
    children: int = 0
    solutions: int = 0
    withheld: int = 0
    unresolved_links: tuple[str, ...] = ()
    orphaned: int = 0
    outdated: int = 0


@dataclass(frozen=True, slots=True)
class BuildReport(KnowledgeCounts):
    """What a build did, failed to do and spent.

    ``awaited`` replies come later, ``awaited_tasks`` counts them by task; ``rounds_left`` is how many more rounds
    follow at most, None where none is awaited or nobody knows. ``notes`` say what a person should know of all of it;
    ``stopped`` why a build ended before its end, to go on later; ``refusal`` what the gate has against it.
    """

    failures: tuple[Failure, ...] = ()
    left_out: tuple[Failure, ...] = ()
    calls: int = 0
    cached: int = 0
    tokens: Tokens = NOTHING_SPENT.tokens
    cost: float | None = 0.0
    awaited: int = 0
    awaited_tasks: Mapping[str, int] = field(default_factory=dict)
    rounds_left: int | None = None
    batch: BatchReport | None = None
    seconds: float = 0.0
    stages: Mapping[str, StageReport] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stopped: str | None = None
    refusal: Refusal | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the contract's shape; what the gate has against it is there where it was refused."""
        shape = Result.as_json(self)
        del shape["refusal"]
        return {**shape, **(self.refusal.as_json() if self.refusal else {})}

    def _repr_html_(self) -> str:
        stages = [
            (name, *(f"{n:,}" for n in (one.computed, one.reused, one.failed)), f"{one.seconds:.1f}")
            for name, one in self.stages.items()
        ]
        failures = [(one.stage, one.item, one.reason) for one in self.failures]
        return html("build", report=self, stages=stages, failures=failures)
