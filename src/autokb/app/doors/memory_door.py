"""What every namespace of ``SupportKB`` is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autokb.app.memory import WorkspaceMemory


class MemoryDoor:
    """Methods that work on what one process holds in memory of a workspace."""

    def __init__(self, memory: WorkspaceMemory) -> None:
        self._memory = memory
        self._doors: dict[str, Any] = {}  # of plug-ins; not in the memory, which they hold and which would then stay

    def _door_of(self, plugin: str) -> Any:
        """Return the door of a plug-in of ours, made when it is first asked for (PluginError: it is not installed)."""
        from autokb.core.plugins import call, installed

        if plugin not in self._doors:
            self._doors.setdefault(plugin, call(plugin, installed(plugin).door, self._memory))
        return self._doors[plugin]
