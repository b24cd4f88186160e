"""All rooms by their names."""

from __future__ import annotations

import importlib
import importlib.resources
from functools import lru_cache
from typing import Any

from autokb.tasks.room import Room


@lru_cache(maxsize=1)
def room_names() -> tuple[str, ...]:
    """Return the names of all rooms: the folder below ``tasks`` of each ``task.py``."""
    top = importlib.resources.files("autokb.tasks")
    kinds = [kind for kind in top.iterdir() if kind.is_dir()]
    found = [
        f"{kind.name}/{room.name}"
        for kind in kinds
        for room in kind.iterdir()
        if room.is_dir() and room.joinpath("task.py").is_file()
    ]
    return tuple(sorted(found))


def room(name: str) -> Room[Any, Any]:
    """Return a room by its name, such as ``issues/grow_tree``."""
    module = importlib.import_module(f"autokb.tasks.{name.replace('/', '.')}.task")
    found: Room[Any, Any] = module.ROOM
    return found
