"""All tasks by their names."""

from __future__ import annotations

import importlib
import importlib.resources
from functools import lru_cache
from typing import Any

from autokb.core.plugins import built_in, of_ours
from autokb.tasks.task import Task


def task_names() -> tuple[str, ...]:
    """Return the names of all tasks, with those of our own plug-ins."""
    return tuple(sorted([*_names_of_folders(), *built_in("tasks")]))


@lru_cache(maxsize=1)
def _names_of_folders() -> list[str]:
    """Return the folder below ``tasks`` of each ``task.py``."""
    top = importlib.resources.files("autokb.tasks")
    kinds = [kind for kind in top.iterdir() if kind.is_dir()]
    return [
        f"{kind.name}/{task.name}"
        for kind in kinds
        for task in kind.iterdir()
        if task.is_dir() and task.joinpath("task.py").is_file()
    ]


def task(name: str) -> Task[Any, Any]:
    """Return a task by its name, such as ``issues/grow_tree``."""
    module = f"autokb.tasks.{name.replace('/', '.')}.task"
    found: Task[Any, Any] = (
        of_ours("tasks", name) if name in built_in("tasks") else importlib.import_module(module).TASK
    )
    return found
