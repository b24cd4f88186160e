"""What every namespace of ``SupportKB`` is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autokb.app.memory import WorkspaceMemory
    from autokb.stores.workspace import Workspace
    from autokb.views.solutions_in_memory import SolutionsInMemory


class Namespace:
    """The operations on one concern of a workspace, and what the process holds in memory of it."""

    def __init__(self, memory: WorkspaceMemory) -> None:
        self._memory = memory

    @property
    def _workspace(self) -> Workspace:
        """The workspace, which an import may open anew."""
        return self._memory.workspace

    @property
    def _solutions(self) -> SolutionsInMemory:
        """The solutions in memory."""
        return self._memory.views.solutions

    def _by_plugin(self, plugin: str, method: str, *given: Any, **named: Any) -> Any:
        """Return what a plug-in of ours has for a method, of this workspace (PluginError: it is not installed)."""
        from autokb.core.plugins import installed, use

        work = use(plugin, installed(plugin).methods[method])
        return work(self._workspace, self._solutions, *given, **named)
