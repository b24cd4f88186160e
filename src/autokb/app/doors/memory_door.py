"""What every namespace of ``SupportKB`` is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autokb.app.memory import WorkspaceMemory


class MemoryDoor:
    """Methods that work on what one process holds in memory of a workspace."""

    def __init__(self, memory: WorkspaceMemory) -> None:
        self._memory = memory

    def _by_plugin(self, plugin: str, method: str, *given: Any, **named: Any) -> Any:
        """Return what a plug-in of ours has for a method, of this workspace (PluginError: it is not installed)."""
        from autokb.core.plugins import installed, use

        work = use(plugin, installed(plugin).methods[method])
        return work(self._memory.workspace, self._memory.views.solutions, *given, **named)
