"""What people decide about solutions, its history, and what waits for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autokb.app.doors.memory_door import MemoryDoor
from autokb.core.one_or_many import listed
from autokb.core.progress import Progress
from autokb.notebook.progress import show_progress

if TYPE_CHECKING:
    from autokb.core.findings import FindingStatus
    from autokb.core.results import Told
    from autokb.curation.decisions import DismissedEdit, EditedSolution, Judged, Reverted, Verb, Written
    from autokb.curation.review import ReviewPage
    from autokb.curation.solution_history import SolutionHistory


class CurationDoor(MemoryDoor):
    """What people decide about solutions, its history, and what waits for them."""

    def approve(
        self, solutions: Iterable[str] | str, *, author: str = "", undo: bool = False, version: str = ""
    ) -> Judged:
        """Approve solutions by their ids, as their texts are now; ``undo`` takes an approval back.

        All of them or none: an unknown id, or a solution that is withheld, is a BadInputError; with the ``version`` of
        the text that was read, another one is a ChangedMeanwhileError. Where the domain asks for more approvals than
        one, they are of as many authors.
        """
        return self._judge(solutions, "approve", author, undo, version)

    def reject(
        self, solutions: Iterable[str] | str, *, author: str = "", undo: bool = False, version: str = ""
    ) -> Judged:
        """Reject solutions: nobody sees them until ``undo`` takes it back, whatever is built or imported."""
        return self._judge(solutions, "reject", author, undo, version)

    def hide(
        self, solutions: Iterable[str] | str, *, author: str = "", undo: bool = False, version: str = ""
    ) -> Judged:
        """Hide solutions that are right but not to be shown; ``undo`` takes it back."""
        return self._judge(solutions, "hide", author, undo, version)

    def _judge(self, solutions: Iterable[str] | str, verb: Verb, author: str, undo: bool, version: str) -> Judged:
        from autokb.curation.decisions import judge

        some, memory = listed(solutions), self._memory.views.solutions
        return judge(self._memory.workspace, some, verb, author=author, undo=undo, version=version, memory=memory)

    def edit(
        self, solution: str, text: str = "", steps: Sequence[str] | str = (), *, author: str = "", version: str = ""
    ) -> EditedSolution:
        """Give a solution another text, or other steps; the other follows from it, and builds keep it.

        One that breaks a rule of the domain is refused (BadInputError names the rule). ``version`` is that of the text
        that was read: ChangedMeanwhileError where the solution has another one by now.
        """
        from autokb.curation.decisions import edit

        memory = self._memory.views.solutions
        return edit(
            self._memory.workspace,
            solution,
            text=text,
            steps=listed(steps),
            author=author,
            version=version,
            memory=memory,
        )

    def undo(self, solution: str, *, author: str = "", version: str = "") -> Reverted:
        """Take back the newest edit or verdict of a solution; again takes back the one before (BadInputError: none)."""
        from autokb.curation.decisions import undo

        return undo(
            self._memory.workspace, solution, author=author, version=version, memory=self._memory.views.solutions
        )

    def dismiss_edit(self, edit: str, *, undo: bool = False, author: str = "") -> DismissedEdit:
        """Take an edit whose solution is gone out of the review queue; ``undo`` puts it there again (UnknownIdError).

        It is kept, and counts again when its solution returns.
        """
        from autokb.curation.decisions import dismiss_edit

        return dismiss_edit(self._memory.workspace, edit, undo=undo, author=author, memory=self._memory.views.solutions)

    def write(self, issue: str, source: Path | str, *, author: str = "") -> Written:
        """Put a solution by hand on an issue, from a Markdown file; it is approved and outlives builds."""
        from autokb.curation.decisions import write_by_hand

        return write_by_hand(self._memory.workspace, issue, Path(source), author=author)

    def history(self, solution: str) -> SolutionHistory:
        """Return who did what to a solution and when, the newest first (UnknownIdError)."""
        from autokb.curation.solution_history import show_history

        return show_history(self._memory.workspace, self._memory.views.solutions, solution)

    def review(self, limit: int = 100, after: str = "", kind: str = "") -> ReviewPage:
        """Return what a person should look at, the highest impact first; ``kind`` keeps one kind of reason.

        ``after`` is the ``next`` of the page before.
        """
        from autokb.curation.review import list_review

        return list_review(self._memory.workspace, self._memory.views.solutions, limit, after, kind)

    def stale(self, kind: str = "", *, settled: bool = False) -> Any:
        """Return what needs attention: sources that changed since an approval, old documents, contradictions.

        Of one ``kind`` or of all; with ``settled`` what people said something of.
        """
        return self._by_plugin("insight", "curation.stale", kind, settled=settled)

    def judge_contradictions(
        self, *, budget: float | None = None, progress: Progress = show_progress, told: Told | None = None
    ) -> Any:
        """Ask the settings' model which pairs of solutions and sections disagree, for at most ``budget`` USD.

        ``stale`` tells its answers from then on, and asks nobody. ``told`` is given first how many pairs are to be
        asked about, and what that may cost.
        """
        from autokb.pipeline.model_session import ModelOptions

        return self._by_plugin("insight", "curation.judge_contradictions", ModelOptions(budget), progress, told)

    def settle_finding(self, finding: str, status: FindingStatus = "settled", *, author: str = "") -> Any:
        """Keep that a finding is ``settled``, ``dismissed`` or ``open`` again, over all builds (UnknownIdError).

        A join of two trees is taken back by ``open``.
        """
        return self._by_plugin("insight", "curation.settle_finding", finding, status, author)

    def join_trees(self, issue: str, other: str, *, author: str = "") -> Any:
        """Make the trees of two issues one, from the next build on (UnknownIdError, BadInputError)."""
        return self._by_plugin("insight", "curation.join_trees", issue, other, author)
