"""A plug-in's task, asked as ours are: each item once, counted, within the budget, never paid twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from autokb.core.nouns import Failure
from autokb.core.plugins import PluginError, implementation
from autokb.core.spending import Spending
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.stages import open_stages
from autokb.stores.workspace import Workspace


@dataclass(frozen=True, slots=True)
class TaskRun:
    """The answers by the order of the items, None where one failed; why, and what was asked and paid."""

    answers: tuple[Any, ...]
    failures: tuple[Failure, ...]
    spent: Spending


def run_plugin_task(workspace: Workspace, name: str, items: Sequence[Any], budget: float | None) -> TaskRun:
    """Answer the task PLUGIN.NAME for each item (StoppedOnPurposeError where the budget is reached)."""
    task = implementation("tasks", name)
    if getattr(task, "name", "") != name:
        raise PluginError(f"The task {name} of a plug-in must say so: name = {name!r} in its class.")
    with workspace.file() as file, open_stages(workspace, file, options=ModelOptions(budget)) as stages:
        answers = stages.run(name, task, items, [f"item {number}" for number, _ in enumerate(items, 1)])
        return TaskRun(tuple(answers), tuple(stages.log.failures), stages.spending())
