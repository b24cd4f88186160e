"""What plug-ins do beside the requests while one workspace is served, or several."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from autokb.app import SupportKB
from autokb.core.errors import AutokbWarning
from autokb.core.plugins import call, plugins
from autokb.core.settings import Settings
from autokb.web.figures import ServiceFigures


@dataclass(frozen=True, slots=True)
class Served:
    """The workspaces of a service by their names, for the workers of a plug-in; an only one has an empty name.

    ``use`` opens one for a while (UnknownIdError: it is gone); ``settings`` reads those of all that can be read.
    ``figures`` are what is counted of one, ``fault`` logs an error by its class. Where it ``is_shared``, other
    processes serve the same workspaces.
    """

    use: Callable[[str], AbstractContextManager[SupportKB]]
    settings: Callable[[], Mapping[str, Settings]]
    figures: Callable[[str], ServiceFigures]
    fault: Callable[[str, Exception], None]
    is_shared: bool


class Workers(Protocol):
    """Threads of a plug-in: a class that is made with what is ``Served``. No method may wait for long."""

    def begin(self) -> None:
        """Begin, when the service does."""
        ...

    def wake(self, name: str) -> None:
        """Look at a workspace, for which a request has left something to do: it calls ``wake`` of its door."""
        ...

    def close(self) -> None:
        """End, when the service does."""
        ...


class WorkersOfPlugins:
    """The workers of all plug-ins; what fails in one is left out or logged, and stops no other and no request."""

    def __init__(self, served: Served) -> None:
        self._fault = served.fault
        self._each: list[Workers] = []
        for plugin in plugins():
            try:
                self._each += [call(plugin.name, plugin.workers, served)] if plugin.workers else []
            except Exception as error:
                warnings.warn(f"{error} Its workers are left out.", AutokbWarning, stacklevel=2)

    def begin(self) -> None:
        """Begin with all."""
        self._all(lambda one: one.begin())

    def wake(self, name: str) -> None:
        """Have all look at a workspace."""
        self._all(lambda one: one.wake(name), name)

    def close(self) -> None:
        """End all."""
        self._all(lambda one: one.close())

    def _all(self, do: Callable[[Workers], None], name: str = "") -> None:
        for one in self._each:
            try:
                do(one)
            except Exception as error:
                self._fault(name, error)
