"""Questions that must stay right: kept, and asked of what readers see or of a candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autokb.app.doors.memory_door import MemoryDoor
from autokb.core.one_or_many import listed
from autokb.core.plugins import built_in

if TYPE_CHECKING:
    from autokb.core.checks import CheckList
    from autokb.core.results import KeptChecks
    from autokb.pipeline.gate.checks import CheckRun


class ChecksDoor(MemoryDoor):
    """Questions that must stay right: kept, and asked of what readers see or of a candidate."""

    def add(self, file: Path | str) -> KeptChecks:
        """Keep the checks of a JSONL file, each in the place of one with its id (BadInputError names the line)."""
        from autokb.pipeline.checks import add_checks

        return add_checks(self._memory.workspace, Path(file))

    def add_one(self, check: Mapping[str, Any]) -> KeptChecks:
        """Keep one check as a line of such a file, as an object (BadInputError)."""
        from autokb.pipeline.checks import add_checks
        from autokb.pipeline.gate.checks import read_check

        return add_checks(self._memory.workspace, [read_check(check, "The check")])

    def keep(
        self,
        text: str,
        *,
        document: str = "",
        start: int = 0,
        solution: str = "",
        attributes: Mapping[str, Sequence[str] | str] | None = None,
        author: str = "",
    ) -> KeptChecks:
        """Keep that the section of a document at a place, or else a solution, is right for a question.

        ``start`` is an offset in code points; BadInputError where neither is named, or an attribute is unknown.
        """
        from autokb.pipeline.checks import keep_check

        return keep_check(
            self._memory.workspace,
            text,
            document=document,
            start=start,
            solution=solution,
            attributes={name: listed(values) for name, values in (attributes or {}).items()},
            author=author,
        )

    def list(self) -> CheckList:
        """Return all checks, in the order of their adding."""
        from autokb.pipeline.checks import list_checks

        return list_checks(self._memory.workspace)

    def remove(self, ids: Sequence[str] | str) -> CheckList:
        """Forget checks by their ids (BadInputError where there is none with one); returns those that are left."""
        from autokb.pipeline.checks import remove_checks

        return remove_checks(self._memory.workspace, listed(ids))

    def run(self, *, candidate: bool = False) -> CheckRun:
        """Ask every check's question, offline, of what readers see, or of the candidate beside it (BadInputError)."""
        from autokb.pipeline.checks import run_checks

        tickets = self._memory.beside("ticket")

        def ask(text: str) -> tuple[str, Sequence[str]]:
            return tickets.found(text) if tickets else ("abstains", ())

        asked = ask if "ticket" in built_in("beside") else None
        return run_checks(self._memory.workspace, asked, candidate=candidate)
