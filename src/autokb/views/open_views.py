"""What people leaf through, held in memory: solutions, the trees and documents of the pages, lists of plug-ins."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, RLock
from typing import Any, TypeVar

from autokb.core.errors import UnknownIdError
from autokb.core.plugins import built_in, of_ours
from autokb.stores.workspace import Workspace
from autokb.views.knowledge import ReadModel, open_knowledge, read_knowledge
from autokb.views.solutions_in_memory import SolutionsInMemory

T = TypeVar("T")


class OpenViews:
    """The read models of a workspace; each is looked at for a later build, or an edit, when it is asked for.

    Who serves calls ``load`` with ``follows``: a later build is then loaded beside, while the one before is read.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.solutions = SolutionsInMemory()  # read once a build; lists, the queue and decisions share them
        self._lock = RLock()
        self._knowledge: ReadModel | None = None
        self._loading = Lock()  # held while a later build is loaded beside
        self._follows = False  # whether somebody does that; else who comes first waits for it
        self._lists: dict[str, Any] = {}

    def load(self, *, follows: bool = False) -> None:
        """Put into memory what people leaf through, so that the first page does not wait.

        Who ``follows`` calls this every second or so: from then on a later build is loaded here, beside, and people
        leaf through the one before until it is there, with what they decide meanwhile.
        """
        with self._loading:
            with self._lock:
                before = self._knowledge
                is_later = before is not None and not before.is_of_latest_build()
            if is_later:
                read = read_knowledge(self.workspace, before)
                with self._lock:
                    self._knowledge = read.open(self._knowledge)
            opened = self.knowledge()
            opened.warm()
            self.solutions.keep(opened.publication, opened.built)
            self.solutions.follows = self._follows = follows
        for kind in built_in("lists"):
            self.list_of(kind)

    def knowledge(self) -> ReadModel:
        with self._lock:
            if self._knowledge is None or not self._knowledge.is_current():
                before = self._knowledge
                self._knowledge = open_knowledge(self.workspace, before, keeps_build=self._follows)
            return self._knowledge

    def look_up(self, look: Callable[[ReadModel], T]) -> T:
        """Look for an id in what is open, and where it is not there in a build that is not loaded yet."""
        opened = self.knowledge()
        try:
            return look(opened)
        except UnknownIdError:
            with self._lock:
                if opened.is_of_latest_build():
                    raise
        self.load(follows=self._follows)
        return look(self.knowledge())

    def list_of(self, kind: str) -> Any:
        """Return what a plug-in opens with the workspace to be searched (PluginError: none does).

        It has ``search`` (of a query, from the first on, and how many at most) and ``is_current``.
        """
        with self._lock:
            if kind not in self._lists or not self._lists[kind].is_current():
                self._lists[kind] = of_ours("lists", kind)(self.workspace)
            return self._lists[kind]

    def close(self) -> None:
        """Let go of what is open, which is closed when nobody reads it any longer."""
        with self._lock:
            self._knowledge, self._lists = None, {}
