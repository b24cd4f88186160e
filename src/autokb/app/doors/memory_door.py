"""What every namespace of ``SupportKB`` is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autokb.app.memory import WorkspaceMemory


class MemoryDoor:
    """Methods that work on what one process holds in memory of a workspace."""

    def __init__(self, memory: WorkspaceMemory) -> None:
        self._memory = memory
