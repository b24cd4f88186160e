"""All solutions as people left them, kept in memory from one request to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock

from autokb.core.decisions import Decided, apply_decisions
from autokb.core.nouns import DISPLAYED, Issue, Solution
from autokb.stores.codecs import ISSUE, SOLUTION
from autokb.stores.database import damaged_rows
from autokb.stores.published import read_decisions
from autokb.stores.workspace_file import WorkspaceFile


@dataclass(frozen=True)
class Built:
    """What a build published of solutions, until the next one does; ``titles`` are those of the documents."""

    issues: Mapping[str, Issue]
    solutions: Mapping[str, Solution]
    titles: Mapping[str, str]


@dataclass(frozen=True)
class AllSolutions:
    """The solutions of one moment."""

    built: Built
    decided: Decided

    @cached_property
    def issues(self) -> Mapping[str, Issue]:
        """The nodes by their ids, with those that only solutions by hand have."""
        return {**self.built.issues, **self.decided.problems}

    @cached_property
    def ids(self) -> list[str]:
        """The ids of all solutions in their order."""
        return sorted(self.decided.solutions)

    @cached_property
    def displayed_ids(self) -> list[str]:
        """The ids of those that customers are shown, in their order."""
        return [i for i in self.ids if self.decided.solutions[i].status in DISPLAYED]


@dataclass
class SolutionsInMemory:
    """Reads all solutions, those of a build once: what people decide since is laid over them anew.

    Threads may share one. Where it ``follows``, somebody reads a later build beside and hands it over (``keep``), and
    readers are shown the build before it until then, with all that people decide.
    """

    follows: bool = False
    _reading: RLock = field(default_factory=RLock)
    _built: tuple[tuple[int, str], Built] | None = None
    _all: tuple[tuple[int, str, str], AllSolutions] | None = None

    def read(self, file: WorkspaceFile) -> AllSolutions:
        """Return the solutions for who reads them; call it in no transaction that has changed anything.

        What is read is kept, and a transaction may come to nothing: ``peek`` keeps nothing.
        """
        return self._read(file, self.follows)

    def read_with(self, file: WorkspaceFile, solution: str) -> AllSolutions:
        """Return the solutions for who reads one of them, perhaps of a build that nobody handed over yet; likewise."""
        found = self.read(file)
        return found if solution in found.decided.solutions else self.read_latest(file)

    def read_latest(self, file: WorkspaceFile) -> AllSolutions:
        """Return the solutions as the file has them now, for who decides something of them; likewise."""
        return self._read(file, False)

    def _read(self, file: WorkspaceFile, follows: bool) -> AllSolutions:
        with file.snapshot(), damaged_rows("record"), self._reading:
            earlier = self._built if follows and self._built and self._built[0][0] == file.inode else None
            publication, built = earlier or self._built_now(file)
            moment = (*publication, file.generation)
            if self._all is None or self._all[0] != moment:
                self._all = moment, self._laid_over(built, file)
            return self._all[1]

    def keep(self, publication: tuple[int, str], make: Callable[[], Built]) -> None:
        """Take over what somebody read of a build: the file's inode and its number of publications."""
        with self._reading:
            if self._built is None or self._built[0] != publication:
                self._built = publication, make()

    def peek(self, file: WorkspaceFile) -> AllSolutions:
        """Return the solutions as a transaction that decided something has made them, after it has read them."""
        with damaged_rows("record"), self._reading:
            return self._laid_over(self._built_now(file)[1], file)

    def _built_now(self, file: WorkspaceFile) -> tuple[tuple[int, str], Built]:
        publication = (file.inode, file.publication)
        if self._built is None or self._built[0] != publication:
            self._built = publication, _read_built(file)
        return self._built

    @staticmethod
    def _laid_over(built: Built, file: WorkspaceFile) -> AllSolutions:
        return AllSolutions(built, apply_decisions(built.solutions, built.issues, read_decisions(file)))


def _read_built(file: WorkspaceFile) -> Built:
    issues = {i: ISSUE.read(body, id=i) for i, body in file.records("issue")}
    solutions = {i: SOLUTION.read(body, id=i) for i, body in file.records("solution")}
    return Built(issues, solutions, file.titles("document"))
