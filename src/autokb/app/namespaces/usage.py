"""What becomes of answers: feedback, gaps, outcomes, figures in use."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from autokb.app.namespaces.namespace import Namespace
from autokb.core.errors import BadInputError, NothingPublishedError, UnknownIdError
from autokb.core.in_use import (
    ClosedGap,
    ConversationOutcome,
    Feedback,
    FeedbackVerdict,
    GapStatus,
    SuggestionSource,
    moment,
)
from autokb.core.nouns import Skipped
from autokb.core.one_or_many import listed
from autokb.pipeline.fed_questions import SOURCE, fed_questions, staged_feedback
from autokb.pipeline.open_index import embed_published
from autokb.sources.outcomes import OutcomeFields, read_outcomes
from autokb.stores.codecs import RAW_ISSUE
from autokb.stores.feedback import feedback_ids, find_feedback, keep_feedback, read_feedback, take_back
from autokb.stores.outcomes import keep_outcome
from autokb.stores.question_log import close_gaps, forget_questions, open_gaps, read_closed_gaps
from autokb.stores.workspace_file import Staged
from autokb.usage.feedback import (
    FedFeedback,
    FeedbackPage,
    GivenFeedback,
    UndoneFeedback,
    checked_feedback,
    cleaned_name,
    find_suggested,
    left_out_of_history,
)
from autokb.usage.gaps import ForgottenQuestions, Gaps, SettledGap, find_all_gaps, find_gaps, forget_wordings
from autokb.usage.in_use import InUse, measure_use
from autokb.usage.outcomes import ImportedOutcomes, ReportedOutcome, checked_outcome
from autokb.views.browse import check_limit

if TYPE_CHECKING:
    from autokb.app.memory import WorkspaceMemory


class UsageNamespace(Namespace):
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

        It is on the disk when this returns (BadInputError where it is none). ``query`` is what was asked,
        ``solution_id`` that of the suggestion, None for one from a ticket, whose id stands in ``documents``, or a
        question back. The same feedback is stored once; nothing counts before ``ingest_feedback``.
        """
        given = checked_feedback(
            Feedback(
                id="",
                query=query,
                verdict=verdict,
                solution_id=solution_id,
                text=text,
                suggested="",
                documents=tuple(listed(documents)),
                source=source,
                conversation=conversation,
                author=author,
                group=group,
            )
        )
        with self._workspace.file() as file:
            # what is in memory suggested it, perhaps from an earlier build; the current one has what no record names
            found = find_suggested(file, given.solution_id, self._memory.held_index, self._memory.open_index)
            stored = replace(
                given,
                suggested=found.text,
                documents=found.documents or given.documents,
                source=found.source or given.source,
                date=moment(),
            )
            with file.transaction():
                kept = keep_feedback(file, stored)
            known = kept or find_feedback(file, stored.id) or stored
        return GivenFeedback(known, int(kept is not None))

    def feedback(self, limit: int = 100, after: str = "") -> FeedbackPage:
        """Return feedback that nobody took back, in the order of its taking; ``after`` is the ``next`` before."""
        check_limit(limit)
        with self._workspace.file() as file, file.snapshot():
            start = find_feedback(file, after) if after else None
            if after and start is None:
                raise BadInputError(
                    f"There is no feedback {after!r} to go on behind; take the next of the page before."
                )
            found = read_feedback(file, after=start.number if start else 0, limit=limit + 1)
        return FeedbackPage(tuple(found[:limit]), found[limit - 1].id if len(found) > limit else None)

    def undo_feedback(self, feedback: str) -> UndoneFeedback:
        """Take a feedback back by its id; where it was fed, its question is no resolved one any more."""
        with self._workspace.file() as file, file.transaction():
            if feedback not in feedback_ids(file, undone=False):
                folder = shlex.quote(str(self._workspace.folder))
                raise BadInputError(f"There is no feedback {feedback!r}; autokb feedback list {folder} names them.")
            take_back(file, feedback)
            staged = feedback in staged_feedback(file)
            if staged:
                file.unstage("issues", [feedback])
                file.count_generation()
        if staged:
            with self._workspace.file() as file:  # what follows from history is learnt anew; no question waits for it
                embed_published(self._workspace, file)
        return UndoneFeedback(feedback, int(staged))

    def ingest_feedback(self) -> FedFeedback:
        """Make what was used, edited or helped count: as history from now on, as raw issues of the next build.

        Private data are masked. What was fed before and no longer counts goes; to ingest twice changes nothing.
        """
        with self._workspace.file() as file:
            with file.transaction():
                everything = read_feedback(file)
                before = staged_feedback(file)
                issues = {issue.id: issue for issue in fed_questions(everything)}
                stale = sorted(set(before) - set(issues))
                changed = (issue for i, issue in issues.items() if before.get(i) != issue)
                new = [Staged(issue.id, "", SOURCE, RAW_ISSUE.body(issue)) for issue in changed]
                file.unstage("issues", stale)
                file.stage("issues", new)
                if stale or new:
                    file.count_generation()
            if stale or new:
                embed_published(self._workspace, file)
        return FedFeedback(len(issues), len(new), len(stale), left_out_of_history(everything, len(issues)))

    def gaps(self, limit: int = 50, *, newest: bool = False, closed: bool = False) -> Gaps:
        """Return what the knowledge base lacks: questions nobody could answer, issues without solution, idle documents.

        The most asked first, or the ``newest``; ``limit`` bounds each list. With ``closed`` those that people closed.
        """
        self._memory.flush_log()
        return find_gaps(self._workspace, self._solutions, limit, newest=newest, closed=closed)

    def dismiss_gap(self, gap: str, *, done: bool = False, undo: bool = False, author: str = "") -> SettledGap:
        """Close a gap for good, or as ``done`` until it is asked again; ``undo`` opens it (UnknownIdError).

        A question is closed with all that it was joined with, so that the next wording finds it closed.
        """
        status: GapStatus = "open" if undo else "done" if done else "dismissed"
        named = cleaned_name(author, "author")
        with self._workspace.file() as file:
            with file.snapshot():
                before = read_closed_gaps(file)
                found = find_all_gaps(file, self._solutions, self._workspace.spec.language).status_of(gap)
            if found is None and gap in before:  # its question left the log since
                found = frozenset({gap}), before[gap].status
            if found is None:
                folder = shlex.quote(str(self._workspace.folder))
                raise UnknownIdError(f"There is no gap {gap!r}; this lists them: autokb gaps {folder}")
            ids, was = found
            with file.transaction():
                if status == "open":
                    open_gaps(file, sorted(ids))
                else:
                    close_gaps(file, [ClosedGap(one, status, named, moment()) for one in sorted(ids)])
        return SettledGap(gap, status, int(was != status))

    def forget_questions(self) -> ForgottenQuestions:
        """Empty the log of questions, and forget what was read of it here; nothing of it is left in the file."""
        self._memory.flush_log()
        forget_wordings()
        with self._workspace.file() as file:
            return ForgottenQuestions(forget_questions(file))

    def in_use(self, since: str | None = None) -> InUse:
        """Return what is made of suggestions and what becomes of conversations, with 95 % intervals.

        ``since`` is a day (2026-03-01) from which on everything counts (BadInputError).
        """
        self._memory.flush_log()
        return measure_use(self._workspace, since)

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
        BadInputError where nothing is said.
        """
        given = checked_outcome(ConversationOutcome(conversation, resolved, returned, seconds, date))
        with self._workspace.file() as file, file.transaction():
            known, changed = keep_outcome(file, given)
        return ReportedOutcome(
            known.conversation, known.resolved, known.returned, known.seconds, known.date, int(changed)
        )

    def import_outcomes(self, source: Path | str, fields: OutcomeFields | None = None) -> ImportedOutcomes:
        """Store how the conversations of a file ended, in one transaction: CSV, TSV, JSON or JSONL, a record each.

        A record that says nothing is named.
        """
        found, unread = read_outcomes(Path(source), fields)
        skipped = list(unread)
        taken = 0
        with self._workspace.file() as file, file.transaction():
            for one in found:
                try:
                    taken += keep_outcome(file, checked_outcome(one))[1]
                except BadInputError as error:
                    skipped.append(Skipped(cleaned_name(one.conversation[:40], "conversation"), str(error)))
        return ImportedOutcomes(taken, len(found) - taken - (len(skipped) - len(unread)), tuple(skipped))
