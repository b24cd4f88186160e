"""What rots and what rises in one workspace: the methods of ``kb.curation`` and ``kb.usage`` call these."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from autokb.app.doors.memory_door import MemoryDoor
from autokb.core.errors import NothingPublishedError

if TYPE_CHECKING:
    from autokb.app.memory import WorkspaceMemory
    from autokb.core.findings import FindingStatus
    from autokb.core.progress import Progress
    from autokb.plugins.insight.digest import Digest
    from autokb.plugins.insight.judged_pairs import JudgedPairs, Told
    from autokb.plugins.insight.stale import FindingSettled, Stale
    from autokb.plugins.insight.trends import Trends


class InsightDoor(MemoryDoor):
    """What rots and what rises in one workspace, with the nodes of conversations that were looked up."""

    def __init__(self, memory: WorkspaceMemory) -> None:
        super().__init__(memory)
        self._nodes: tuple[object, dict[str, str]] = ("", {})  # of added conversations, as one publication has them
        self._asking = Lock()  # held while they are looked up, so that each is asked for once

    def stale(self, kind: str, *, every_kind: bool, settled: bool) -> Stale:
        """Return what rots."""
        from autokb.plugins.insight.stale import find_stale

        memory = self._memory.views.solutions
        return find_stale(self._memory.workspace, memory, kind, every_kind=every_kind, settled=settled)

    def judge_contradictions(self, budget: float | None, progress: Progress, told: Told | None) -> JudgedPairs:
        """Ask the settings' model which pairs of solutions and sections disagree."""
        from autokb.pipeline.model_session import ModelOptions
        from autokb.plugins.insight.stale import judge_contradictions

        memory = self._memory.views.solutions
        return judge_contradictions(self._memory.workspace, memory, ModelOptions(budget), progress, told)

    def settle_finding(self, finding: str, status: FindingStatus, author: str) -> FindingSettled:
        """Keep what a person says of a finding."""
        from autokb.plugins.insight.stale import settle_finding

        return settle_finding(self._memory.workspace, self._memory.views.solutions, finding, status, author)

    def trends(self, weeks: int | None, until: str | None) -> Trends:
        """Return what rises, what is new, and what solutions did."""
        from autokb.plugins.insight.trends import find_all_trends

        self._memory.flush_log()
        memory = self._memory
        return find_all_trends(memory.workspace, memory.views.solutions, self._nodes_of, weeks, until)

    def digest(self, since: str) -> Digest:
        """Return one page of Markdown about what happened since a day."""
        from autokb.plugins.insight.digest import write_digest

        self._memory.flush_log()
        memory = self._memory
        return write_digest(memory.workspace, memory.views.solutions, self._nodes_of, since)

    def _nodes_of(self, texts: Sequence[str]) -> list[str]:
        """Return the node that each text would be shown first for, without a model.

        Each is looked up once a publication: a decision about a solution moves no conversation into another tree.
        """
        try:
            index = self._memory.open_index()
        except NothingPublishedError:
            return [""] * len(texts)
        publication = index.index.generation if index.undecided is None else index.undecided.publication
        with self._asking:
            if self._nodes[0] != publication:
                self._nodes = publication, {}
            nodes = self._nodes[1]
            for text in set(texts) - set(nodes):
                matches = index.ask(text).matches if text.strip() else ()
                nodes[text] = matches[0].issue.id if matches else ""
            return [nodes[text] for text in texts]
