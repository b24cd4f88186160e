"""All tasks by their names."""

from __future__ import annotations

import importlib
import importlib.resources
from functools import lru_cache
from typing import Any

from autokb.tasks.task import Task


@lru_cache(maxsize=1)
def task_names() -> tuple[str, ...]:
    """Return the names of all tasks: the folder below ``tasks`` of each ``task.py``."""
    top = importlib.resources.files("autokb.tasks")
    kinds = [kind for kind in top.iterdir() if kind.is_dir()]
    found = [
        f"{kind.name}/{task.name}"
        for kind in kinds
        for task in kind.iterdir()
        if task.is_dir() and task.joinpath("task.py").is_file()
    ]
    return tuple(sorted(found))


def task(name: str) -> Task[Any, Any]:
    """Return a task by its name, such as ``issues/grow_tree``."""
    module = importlib.import_module(f"autokb.tasks.{name.replace('/', '.')}.task")
    found: Task[Any, Any] = module.TASK
    return found
