"""What a build will ask and cost, and what was spent."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from autokb.app.build import rehearse
from autokb.app.embedding import check_settings, embedder_of
from autokb.app.estimating import Estimate, Figures
from autokb.app.first_build import count_first_build
from autokb.app.models import Models, is_paid, model_of, named_models, read_ratios
from autokb.app.records import read_raw_issue
from autokb.app.stages import Progress, Stages, silent
from autokb.app.workspace import MODES, Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.issues.grow_tree.task import TASK as GROW_TREE

SECONDS_A_CALL = 5.0  # of one request before anything is known of a model's pace
STAGES = (
    "chunks",
    "context",
    "embeddings",
    "attributes",
    "themes",
    "assign",
    "seeds",
    "trees",
    "solutions",
    "solution_attributes",
    "rules",
    "fit",
)


def plan(workspace: Workspace, progress: Progress = silent) -> dict[str, Any]:
    """Return calls, tokens, money and seconds per stage that a build is still to pay for; offline all are 0.

    What is known before a build is counted exactly: the same requests are made and counted instead of sent. A first
    build's children and solutions are as many as in appendix C of the paper; once this workspace was built with its
    models, the whole build is rehearsed on a copy. Seconds are None where nothing is known of them.
    """
    check_settings(workspace.settings)
    names = named_models(workspace.settings)
    with workspace.file() as file:
        documents, issues = len(file.staged("documents")), len(file.staged("issues"))
        noted, waiting = file.meta("build_seconds_an_item"), file.meta("seconds_a_call")
        modes = _estimates(workspace, file, bool(names), progress)
    chosen = modes[workspace.mode]
    total = chosen.total()
    seconds = float(noted) * (documents + issues) if noted else None
    if total.calls:
        each = float(waiting) if waiting else SECONDS_A_CALL / workspace.settings.concurrency
        seconds = (seconds or 0.0) + total.calls * each
    return {
        **total.as_json(),
        "seconds": None if seconds is None else round(seconds, 1),
        "documents": documents,
        "issues": issues,
        "mode": workspace.mode,
        "stages": {name: chosen.stages.get(name, Figures()).as_json() for name in STAGES},
        "modes": {mode: estimate.total().as_json() for mode, estimate in modes.items()},
        "batch": {"cost": chosen.batch_cost()},
        "paid": _paid(workspace),
    }


def _paid(workspace: Workspace) -> dict[str, Any]:
    spent = costs(workspace)
    return {name: spent[name] for name in ("calls", "tokens", "cost")}


def _estimates(workspace: Workspace, file: WorkspaceFile, asks: bool, progress: Progress) -> dict[str, Estimate]:
    """Return what each mode would ask, worked out on a copy; free vectors of issues are kept for the build."""
    from autokb.llm.prices import Prices

    settings = workspace.settings
    prices, ratios = Prices(settings.prices, settings.base_url), read_ratios(file)
    found = {mode: Estimate(prices, ratios) for mode in MODES}
    if not asks and not is_paid(settings.embedder):
        return found
    if not is_paid(settings.embedder):
        texts = [read_raw_issue(s.id, s.body).full_text for s in file.staged("issues")]
        Stages(file, progress).embed("embeddings", embedder_of(settings), texts)
    with tempfile.TemporaryDirectory(prefix="autokb-plan-") as folder:
        for mode, estimate in found.items():
            copy = replace(workspace, folder=Path(folder), mode=mode)
            file.copy_to(copy.knowledge_path)
            with copy.file() as own:
                stages = Stages(own, progress, models=Models.counting(copy, own, estimate))
                (rehearse if _was_built_by(copy, own) else count_first_build)(copy, own, stages)
    return found


def _was_built_by(workspace: Workspace, file: WorkspaceFile) -> bool:
    """Return whether trees were grown by the model that is to grow them: then the workspace's own numbers are known."""
    return file.meta("grown_by") == model_of(workspace.settings, workspace.mode, GROW_TREE.name, "trees")


def costs(workspace: Workspace) -> dict[str, Any]:
    """Return what was spent in the workspace's life by stage and task; an unknown price makes a cost None, never 0."""
    from autokb.stores.ledger_table import spending

    total = _Sum()
    stages: dict[str, _Sum] = {}
    tasks: dict[str, _Sum] = {}
    with workspace.file() as file:
        asked = [(stage, task, n, 0, read, wrote, cost) for stage, task, n, read, wrote, cost in spending(file)]
        for stage, task, calls, cached, read, wrote, cost in [*asked, *file.spent()]:
            for group in (total, stages.setdefault(stage, _Sum()), tasks.setdefault(task, _Sum())):
                group.take(calls, cached, read, wrote, cost)
    return {
        **total.as_json(),
        "stages": {name: s.as_json() for name, s in sorted(stages.items())},
        "tasks": {name: s.as_json() for name, s in sorted(tasks.items())},
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
