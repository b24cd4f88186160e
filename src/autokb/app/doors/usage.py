"""What becomes of answers: feedback, gaps, outcomes, figures in use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from autokb.app.doors.memory_door import MemoryDoor
from autokb.core.one_or_many import listed

if TYPE_CHECKING:
    from autokb.app.memory import WorkspaceMemory
    from autokb.core.in_use import FeedbackVerdict, GapStatus, SuggestionSource
    from autokb.sources.outcomes import OutcomeFields
    from autokb.usage.feedback import FedFeedback, FeedbackPage, GivenFeedback, UndoneFeedback
    from autokb.usage.gaps import ForgottenQuestions, Gaps, SettledGap
    from autokb.usage.in_use import InUse
    from autokb.usage.outcomes import ImportedOutcomes, ReportedOutcome


class UsageDoor(MemoryDoor):
    """What becomes of answers: feedback, gaps, outcomes, figures in use."""

    def __init__(self, memory: WorkspaceMemory) -> None:
        super().__init__(memory)
        self._nodes: tuple[object, dict[str, str]] = ("", {})  # of added conversations, as one publication has them
        self._asking = Lock()  # held while they are looked up, so that each is asked for once

    def give_feedback(
        self,
        query: str,
        verdict: FeedbackVerdict,
        solution_id: str | None = None,
        text: str = "",
        *,
        documents: Sequence[str] | str = (),
        source: SuggestionSource = "",
        conversation: str = "",
        author: str = "",
        group: str = "",
    ) -> GivenFeedback:
        """Store what became of a suggestion: ``used``, ``edited`` (``text`` is what was sent), ``rejected``, ...

        ``query`` is what was asked, ``solution_id`` that of the suggestion, None for one from a ticket, whose id stands
        in ``documents``, or a question back. The same feedback is stored once; nothing counts before
        ``ingest_feedback``.
        """
        from autokb.core.in_use import Feedback
        from autokb.usage.feedback import give_feedback

        cited = tuple(listed(documents))
        given = Feedback(
            id="",
            query=query,
            verdict=verdict,
            solution_id=solution_id,
            text=text,
            suggested="",
            documents=cited,
            source=source,
            conversation=conversation,
            author=author,
            group=group,
        )
        return give_feedback(self._memory.workspace, given, self._memory.held_index, self._memory.open_index)

    def feedback(self, limit: int = 100, after: str = "") -> FeedbackPage:
        """Return feedback in the order of its taking; ``after`` is the ``next`` of the page before."""
        from autokb.usage.feedback import list_feedback

        return list_feedback(self._memory.workspace, limit, after)

    def undo_feedback(self, feedback: str) -> UndoneFeedback:
        """Take a feedback back by its id; where it was fed, its question is no resolved one any more."""
        from autokb.usage.feedback import undo_feedback

        return undo_feedback(self._memory.workspace, feedback)

    def ingest_feedback(self) -> FedFeedback:
        """Make what was used, edited or helped count: as history from now on, as raw issues of the next build."""
        from autokb.usage.feedback import feed_feedback

        return feed_feedback(self._memory.workspace)

    def gaps(self, limit: int = 50, *, newest: bool = False, closed: bool = False) -> Gaps:
        """Return what the knowledge base lacks: questions nobody could answer, issues without solution, idle documents.

        The most asked first, or the ``newest``; ``limit`` bounds each list. With ``closed`` those that people closed.
        """
        from autokb.usage.gaps import find_gaps

        self._memory.flush_log()
        return find_gaps(self._memory.workspace, self._memory.views.solutions, limit, newest=newest, closed=closed)

    def dismiss_gap(self, gap: str, *, done: bool = False, undo: bool = False, author: str = "") -> SettledGap:
        """Close a gap for good, or as ``done`` until it is asked again; ``undo`` opens it (BadInputError)."""
        from autokb.usage.gaps import settle_gap

        status: GapStatus = "open" if undo else "done" if done else "dismissed"
        return settle_gap(self._memory.workspace, self._memory.views.solutions, gap, status, author)

    def forget_questions(self) -> ForgottenQuestions:
        """Empty the log of questions; nothing of it is left in the file."""
        from autokb.usage.gaps import forget_all_questions

        self._memory.flush_log()
        return forget_all_questions(self._memory.workspace)

    def in_use(self, since: str | None = None) -> InUse:
        """Return what is made of suggestions and what becomes of conversations, with 95 % intervals.

        ``since`` is a day (2026-03-01) from which on everything counts.
        """
        from autokb.usage.in_use import measure_use

        self._memory.flush_log()
        return measure_use(self._memory.workspace, since)

    def trends(self, weeks: int | None = None, until: str | None = None) -> Any:
        """Return what customers ask more than before, new topics since the last build, and the effect of solutions.

        The last ``weeks`` (4) whole weeks, of ISO 8601 in UTC, up to a day (2026-03-01; by default today) are compared
        with those before (BadInputError).
        """
        self._memory.flush_log()
        return self._by_plugin("insight", "usage.trends", self._nodes_of, weeks, until)

    def digest(self, since: str) -> Any:
        """Return one page of Markdown about what happened since a day (BadInputError): for a weekly meeting."""
        self._memory.flush_log()
        return self._by_plugin("insight", "usage.digest", self._nodes_of, since)

    def _nodes_of(self, texts: Sequence[str]) -> list[str]:
        """Return the node that each text would be shown first for, without a model.

        Each is looked up once a publication: a decision about a solution moves no conversation into another tree.
        """
        from autokb.core.errors import NothingPublishedError

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

    def report_outcome(
        self,
        conversation: str,
        resolved: bool | None = None,
        returned: bool | None = None,
        seconds: float | None = None,
        date: str = "",
    ) -> ReportedOutcome:
        """Store how a conversation ended, which is on the disk when this returns; what is None stays as it was.

        ``returned``: the customer came back with it; ``seconds``: how long it took; ``date``: when (now, where empty).
        """
        from autokb.core.in_use import ConversationOutcome
        from autokb.usage.outcomes import report_outcome

        return report_outcome(
            self._memory.workspace, ConversationOutcome(conversation, resolved, returned, seconds, date)
        )

    def import_outcomes(self, source: Path | str, fields: OutcomeFields | None = None) -> ImportedOutcomes:
        """Store how the conversations of a file ended: CSV, TSV, JSON or JSONL, a record each."""
        from autokb.usage.outcomes import import_outcomes

        return import_outcomes(self._memory.workspace, Path(source), fields)
