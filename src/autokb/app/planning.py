"""What a build will cost, and what was spent."""

from __future__ import annotations

from typing import Any

from autokb.app.embedding import check_settings
from autokb.app.workspace import Workspace

STAGES = ("chunks", "embeddings", "attributes", "themes", "assign", "seeds", "trees", "solutions", "rules", "fit")


def plan(workspace: Workspace) -> dict[str, Any]:
    """Return calls, tokens, money and seconds per stage; offline every stage asks nothing and costs nothing.

    Seconds are what the last build of as many items took, scaled to the items now; None when nothing was built yet.
    """
    check_settings(workspace.settings)
    with workspace.file() as file:
        documents, issues = len(file.staged("documents")), len(file.staged("issues"))
        noted = file.meta("build_seconds_an_item")
    seconds = round(float(noted) * (documents + issues), 1) if noted else None
    nothing = {"calls": 0, "tokens": {"input": 0, "output": 0}, "cost": 0.0}
    return {
        **nothing,
        "seconds": seconds,
        "documents": documents,
        "issues": issues,
        "stages": {name: dict(nothing) for name in STAGES},
        "modes": {"economical": dict(nothing), "paper": dict(nothing)},
        "batch": {"cost": 0.0},
    }


def costs(workspace: Workspace) -> dict[str, Any]:
    """Return what was spent in the workspace's life by stage and room; an unknown price makes a cost None, never 0."""
    total = _Sum()
    stages: dict[str, _Sum] = {}
    rooms: dict[str, _Sum] = {}
    with workspace.file() as file:
        for stage, room, *figures in file.spent():
            for group in (total, stages.setdefault(stage, _Sum()), rooms.setdefault(room, _Sum())):
                group.take(*figures)  # type: ignore[arg-type]
    return {
        **total.as_json(),
        "stages": {name: s.as_json() for name, s in sorted(stages.items())},
        "rooms": {name: s.as_json() for name, s in sorted(rooms.items())},
    }


class _Sum:
    """A running sum of requests."""

    def __init__(self) -> None:
        self.calls = self.cached = self.input = self.output = 0
        self.cost: float | None = 0.0

    def take(self, calls: int, cached: int, input_: int, output: int, cost: float | None) -> None:
        self.calls += calls
        self.cached += cached
        self.input += input_
        self.output += output
        self.cost = None if cost is None or self.cost is None else self.cost + cost

    def as_json(self) -> dict[str, Any]:
        tokens = {"input": self.input, "output": self.output}
        return {"calls": self.calls, "cached": self.cached, "tokens": tokens, "cost": self.cost}
