"""The front door of the library: everything the command line does, as methods; the commands call nothing else."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING, TypeVar
from weakref import finalize

from autokb.app.snapshot import Snapshot
from autokb.core.errors import NothingPublishedError, UnknownIdError
from autokb.core.progress import Progress, silent
from autokb.stores.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from autokb.answering.answer import Answer
    from autokb.answering.suggest import Suggested
    from autokb.app.add import Kind
    from autokb.app.api_keys import ApiKeys, CreatedKey
    from autokb.app.settings_in_force import SettingsInForce
    from autokb.core.api_keys import ApiKey, Role
    from autokb.core.changes import Changes
    from autokb.core.conversations import Message
    from autokb.core.feedback import FeedbackVerdict, SuggestionSource
    from autokb.core.in_use import GapStatus
    from autokb.core.nouns import Skipped, Span
    from autokb.core.results import (
        Added,
        BuildReport,
        Costs,
        Created,
        Exported,
        Imported,
        Plan,
        Removed,
        Sources,
        TicketBuildReport,
    )
    from autokb.curation.decisions import DismissedEdit, EditedSolution, Judged, Reverted, Verb, Written
    from autokb.curation.review import ReviewPage
    from autokb.curation.solution_history import SolutionHistory
    from autokb.evaluation.chunking.results import ChunkingReport
    from autokb.evaluation.compare import Comparison
    from autokb.evaluation.quality.report import QualityReport
    from autokb.evaluation.retrieval.experiment import RetrievalReport
    from autokb.evaluation.retrieval.paraphrase_experiment import ParaphraseReport
    from autokb.evaluation.suggestions.experiment import SuggestionsReport
    from autokb.exchange.accept_ticket import Accepted
    from autokb.pipeline.calibrate_gate import GateCalibration, GateReset
    from autokb.pipeline.chunk_files import ChunkedDocument, ChunkRequest
    from autokb.pipeline.draft_spec import Draft
    from autokb.pipeline.draft_template import TemplateDraft
    from autokb.pipeline.open_index import OpenIndex
    from autokb.sources import Fields
    from autokb.stores.workspace_file import WorkspaceFile
    from autokb.studies.annotations import SheetPage
    from autokb.studies.draft_cases import CaseSource, DraftedCases
    from autokb.studies.evaluate_chunking import ChunkEvaluation
    from autokb.studies.evaluate_suggestions import SuggestionEvaluation
    from autokb.studies.evaluate_tickets import TicketRetrievalReport
    from autokb.ticket_answers.ask_tickets import TicketAnswer
    from autokb.ticket_answers.knowledge import Fed
    from autokb.ticket_answers.open_tickets import OpenTickets, ShownTicket, ShownTickets, SimilarTickets
    from autokb.ticket_answers.report import TicketReport
    from autokb.usage.feedback import FedFeedback, FeedbackPage, GivenFeedback, UndoneFeedback
    from autokb.usage.gaps import ForgottenQuestions, Gaps, SettledGap
    from autokb.usage.in_use import InUse
    from autokb.usage.outcomes import ImportedOutcomes, OutcomeFields, ReportedOutcome
    from autokb.usage.question_log import QuestionLog
    from autokb.views.document_page import DocumentPage
    from autokb.views.kinds import DocumentView, Found, IssueView, Page, SolutionView
    from autokb.views.knowledge import (
        DocumentList,
        FoundKnowledge,
        KnowledgeFilter,
        KnowledgeOverview,
        ReadModel,
    )
    from autokb.views.knowledge import Kind as KnowledgeKind
    from autokb.views.show import ShownKB
    from autokb.views.solutions_in_memory import SolutionsInMemory
    from autokb.views.ticket_browser import OpenTicketList, TicketView

T = TypeVar("T")


class SupportKB:
    """A knowledge base in a workspace folder.

    >>> kb = SupportKB.create(folder, "headphones", examples=True)  # doctest: +SKIP
    >>> kb.build().solutions  # doctest: +SKIP
    >>> kb.ask("my earbuds do not pair with my iPhone").outcome  # doctest: +SKIP
    'answered'

    What a method returns is typed; its ``as_json()`` is what the command prints with ``--json``. Bad input raises
    BadInputError with a sentence that says what to do, and AutokbError is the class of all errors that are expected.
    Threads may share one to ask, suggest, list, judge and give feedback. One that keeps a log keeps what is asked,
    masked, and the arms of an experiment, unless the settings say no; no answer waits for that.
    """

    def __init__(self, workspace: Workspace, *, keep_log: bool = False) -> None:
        self.workspace = workspace
        self._log: QuestionLog | None = None
        if keep_log:
            from autokb.usage.question_log import QuestionLog

            self._log = QuestionLog(workspace)
            finalize(self, self._log.close)  # of one that nobody closes, and at the end of the process
        self.created: Created | None = None  # what ``create`` put into it
        self._opening = RLock()  # held while what questions hold in memory is looked at, opened or exchanged
        self._snapshot: Snapshot | None = None
        self._held_solutions: SolutionsInMemory | None = None
        self._following = Lock()  # held while a later build is loaded beside
        self._is_followed = False  # whether somebody follows builds; else each question looks itself
        self._connection_lock = RLock()  # held while the connection that stays open is read
        self._shared_connection: WorkspaceFile | None = None
        self._files_opened = 0  # how often another file stood in its place, plus one
        self._views_lock = RLock()  # of its own, so that no suggestion waits for what is loaded for people who read
        self._knowledge: ReadModel | None = None
        self._loading_knowledge = Lock()  # held while a later build is loaded for them, beside
        self._follows_builds = False  # whether somebody does that; else who comes first waits for it
        self._ticket_list: OpenTicketList | None = None

    # -- a workspace -------------------------------------------------------------------------------

    @classmethod
    def create(cls, folder: Path | str, domain: str = "", *, examples: bool = False) -> SupportKB:
        """Make a workspace; ``domain`` is a shipped name or the path of a ``domain.yaml``."""
        from autokb.app.create import create

        created = create(Path(folder), domain, examples=examples)
        kb = cls.open(folder)
        kb.created = created
        return kb

    @classmethod
    def open(
        cls, folder: Path | str, *, model: str = "", mode: str = "economical", keep_log: bool = False
    ) -> SupportKB:
        """Open a workspace that exists (BadInputError when it does not); ``model`` stands before the settings'.

        With ``keep_log`` the questions that it is asked are kept for ``gaps`` and ``in_use``, as the service does.
        """
        return cls(open_workspace(Path(folder), model=model, mode=mode), keep_log=keep_log)

    def add(
        self,
        paths: Iterable[Path | str],
        kind: Kind = "documents",
        fields: Fields | None = None,
        *,
        sync: bool = False,
        update: bool = False,
        yes: bool = False,
        follow_links: bool = False,
        progress: Callable[[str], None] | None = None,
    ) -> Added:
        """Stage documents, raw issues, past tickets or chats; ``progress`` is told each file that is read.

        ``sync`` also removes what the paths no longer hold (from a folder without any file only with ``yes``);
        ``update`` replaces issues whose ids another file gave. Links that lead out of an added folder are left out and
        named, unless ``follow_links``.
        """
        from autokb.app.add import add

        files = [Path(p) for p in paths]
        return add(
            self.workspace,
            files,
            kind,
            fields,
            sync=sync,
            update=update,
            yes=yes,
            follow_links=follow_links,
            progress=progress,
        )

    def sources(self) -> Sources:
        """Return what was added or imported: folders, files and imports, with their counts."""
        from autokb.app.sources import list_sources

        return list_sources(self.workspace)

    def remove(self, names: Iterable[Path | str]) -> Removed:
        """Take sources, documents or raw issues out of the next build: ids, and paths as ``sources`` gives them.

        A name that names nothing raises BadInputError, and nothing is removed.
        """
        from autokb.app.sources import remove

        return remove(self.workspace, [str(name) for name in names])

    def draft_spec(self, *, budget: float | None = None, progress: Progress = silent) -> Draft:
        """Propose attributes and rules from what was added, in a file beside ``domain.yaml``."""
        from autokb.pipeline.draft_spec import draft_spec
        from autokb.pipeline.model_session import ModelOptions

        return draft_spec(self.workspace, options=ModelOptions(budget), progress=progress)

    def draft_cases(
        self,
        target: Path | str,
        source: CaseSource = "chats",
        out_of_domain: Path | str | None = None,
        *,
        budget: float | None = None,
        progress: Progress = silent,
    ) -> DraftedCases:
        """Write questions with their replies as cases for a test set, private data masked.

        They are those of the added chats, or made of the added documents; ``out_of_domain`` is a JSONL of questions
        that are to be refused.
        """
        from autokb.pipeline.model_session import ModelOptions
        from autokb.studies.draft_cases import draft_cases

        others = Path(out_of_domain) if out_of_domain else None
        return draft_cases(
            self.workspace, Path(target), source, others, options=ModelOptions(budget), progress=progress
        )

    # -- the build ---------------------------------------------------------------------------------

    def plan(self, *, progress: Progress = silent) -> Plan:
        """Return what a build would cost, before a cent is spent."""
        from autokb.pipeline.plan import plan

        return plan(self.workspace, progress)

    def build(
        self,
        *,
        rethink: bool = False,
        budget: float | None = None,
        batch: bool = False,
        batch_files: Path | str | None = None,
        wait: bool = False,
        yes: bool = False,
        progress: Progress = silent,
        notify: Callable[[tuple[str, ...]], None] = lambda _sentences: None,
    ) -> BuildReport:
        """Build and publish; a domain that lacks a rule of the published one needs ``yes`` (else BadInputError).

        Raises StoppedOnPurposeError when ``budget`` (USD) is reached or a batch's replies are awaited; call it again
        to go on, or let it ``wait`` for the replies: ``notify`` then gets the sentences of each round.
        """
        from autokb.pipeline.build import build
        from autokb.pipeline.model_session import ModelOptions

        options = ModelOptions(budget, batch, Path(batch_files) if batch_files else None)
        if wait:
            from autokb.pipeline.waiting import build_and_wait

            return build_and_wait(self.workspace, options, rethink=rethink, yes=yes, progress=progress, notify=notify)
        return build(self.workspace, rethink=rethink, yes=yes, options=options, progress=progress)

    def costs(self) -> Costs:
        """Return what was spent in the workspace's life."""
        from autokb.pipeline.plan import costs

        return costs(self.workspace)

    # -- what was built ----------------------------------------------------------------------------

    def show(self, *, most: int | None = None) -> ShownKB:
        """Return the trees; ``most`` keeps those that most customers reported."""
        from autokb.views.show import show_trees

        return show_trees(self.workspace, most)

    def show_issue(self, issue: str) -> IssueView:
        """Return one issue with its solutions, by its id or the first letters of it."""
        from autokb.views.show import show_issue

        return show_issue(self.workspace, issue)

    def ask(
        self,
        text: str,
        attributes: Mapping[str, Sequence[str]] | None = None,
        k: int = 5,
        *,
        log: bool = True,
        explain: bool = False,
    ) -> Answer:
        """Answer a question from what the last build published; the index stays in memory until the next one.

        ``attributes`` (name to values) override what is read from the text; ``k`` bounds matches and documents. Without
        ``log`` it is no customer's question, but one that somebody tries, and not kept.
        To ``explain``, the answer says of the best candidates what each feature counted, and how probable it is.
        """
        from autokb.retrieval.read_question import read_values

        opened = self._open_index()
        answer = opened.ask(text, read_values(opened.index.spec, attributes or {}), k, explain=explain)
        if self._log is not None and log:
            self._log.note_answer(answer, opened.index.spec.language, opened.index.chunks.words.vocabulary)
        return answer

    def _now(self) -> Snapshot:
        """Return what is published, as questions hold it in memory; without anybody who follows builds it is looked at.

        Call it, and open parts of it, under the lock.
        """
        if self._snapshot is None or not self._is_followed:
            published = self._published()
            if self._snapshot is None or self._snapshot.published != published:
                self._snapshot = Snapshot(self.workspace, published)
        return self._snapshot

    def _published(self) -> Hashable:
        """Return what tells one publication from another: the file, its generation, and that of the tickets."""
        from autokb.stores.ticket_tables import GENERATION

        with self.shared_connection() as file:
            return self._files_opened, file.meta("generation"), file.meta(GENERATION)

    def _open_index(self) -> OpenIndex:
        with self._opening:
            return self._now().index

    @property
    def _held_index(self) -> OpenIndex | None:
        """What answers questions already, None where nothing was asked yet."""
        return None if self._snapshot is None else self._snapshot.held_index

    def load(self) -> None:
        """Put what is published into memory, so that no question waits for it (NothingPublishedError)."""
        if self._is_followed:
            self.follow()
        with self._opening:
            self._now().open()

    def follow(self) -> bool:
        """Load what was published since the last call, and answer from it from then on.

        It is loaded beside: from the first call on no question looks whether something was published, or waits for it.
        Who serves calls this every second or so. Returns whether there was something new.
        """
        with self._following:
            if not self._is_followed:
                self.load()  # for which questions have to wait
                with self._opening:
                    now, self._is_followed = self._now(), True
                now.warm()
                return True
            published = self._published()
            if self._snapshot is not None and self._snapshot.published == published:
                return False
            beside = Snapshot(self.workspace, published)
            with suppress(NothingPublishedError):  # all of it was taken out; the next question says so
                beside.open()
            beside.warm()
            beside.warm_languages()
            with self._opening:
                self._snapshot = beside
            return True

    def warm_languages(self) -> None:
        """Load what the first question in another language would wait for, where that is installed."""
        with self._opening:
            now = self._snapshot
        if now is not None:
            now.warm_languages()

    @property
    def waits_for_servers(self) -> bool:
        """Whether questions may wait for a model or an embedder over the network, not only for this machine."""
        from autokb.pipeline.embedding import read_embedder_name
        from autokb.pipeline.model_choice import OFFLINE

        settings = self.workspace.settings
        models = (settings.model, *settings.tasks.values())
        return read_embedder_name(settings.embedder).is_paid or any(model != OFFLINE for model in models)

    @contextmanager
    def shared_connection(self) -> Iterator[WorkspaceFile]:
        """Give a connection that stays open, for what is read with every request; do not write through it."""
        from autokb.stores.database import failures_as_sentences
        from autokb.stores.workspace_file import WorkspaceFile

        with self._connection_lock, failures_as_sentences(self.workspace.knowledge_path):
            if self._shared_connection is not None and not self._shared_connection.is_in_place():
                self._shared_connection.close()
                self._shared_connection = None
            if self._shared_connection is None:
                self._shared_connection = WorkspaceFile(self.workspace.knowledge_path)
                self._files_opened += 1
            yield self._shared_connection

    def suggest(
        self,
        messages: Sequence[Message] | str = (),
        *,
        chat: Path | None = None,
        strategy: str = "plain",
        passages: int = 3,
        budget: float | None = None,
        conversation: str = "",
        log: bool = True,
    ) -> Suggested:
        """Return up to three replies to a customer's last message, read with what was said before.

        ``messages`` are those of a conversation, the last one the customer's, or that one alone as text; ``chat`` is a
        file of those before them (JSON, JSONL or CSV). Where the settings name a model, it writes them by a
        ``strategy`` (plain, react, chain_of_thought, chain_of_verification) from 1 or 3 ``passages``, for at most
        ``budget`` USD; where it fails, the knowledge base's own words stand in and ``fallback`` says why.
        ``conversation`` is its id, by which an experiment of the settings puts it into an arm: that of ``control`` gets
        no suggestions, and no model is asked. Without ``log`` nothing of it is kept.
        """
        from autokb.suggesting.suggest import join_messages
        from autokb.suggesting.suggest_by_strategy import suggest_by_strategy
        from autokb.usage.experiment import assign_arm
        from autokb.usage.feedback import cleaned_name

        conversation = cleaned_name(conversation, "conversation")
        with self._opening:
            now = self._now()
            index, tickets = now.known, now.past_tickets
            models = now.suggestion_models if budget is None else now.suggestion_models_for(budget)
        said = join_messages(messages, chat)
        found, assigned = assign_arm(
            conversation,
            self.workspace.settings.experiment,
            lambda models_are_asked: suggest_by_strategy(
                index,
                said,
                strategy=strategy,
                passages=passages,
                models=models,
                tickets=tickets,
                own_words=not models_are_asked,
            ),
        )
        if self._log is not None and log:
            if assigned is not None:
                self._log.note_arm(assigned)
            if index is None:
                self._log.note_suggested(found, conversation, self.workspace.spec.language)
            else:
                vocabulary = index.index.chunks.words.vocabulary
                self._log.note_suggested(found, conversation, index.index.spec.language, vocabulary)
        return found

    def differing_languages(self, found: Suggested) -> tuple[str, str] | None:
        """Return the names of the customer's language and of that of the suggestions, None where they are one."""
        from autokb.suggesting.suggest import differing_languages

        try:
            index = self._open_index()
        except NothingPublishedError:
            return None  # suggestions from past tickets alone
        return differing_languages(index, found)

    def issues(self, limit: int = 100, after: str = "") -> Page[IssueView]:
        """Return published issues by their ids; ``after`` is the ``next`` of the page before."""
        from autokb.views.browse import list_issues

        return list_issues(self.workspace, limit, after)

    def solutions(self, limit: int = 100, after: str = "", *, role: Role = "admin") -> Page[SolutionView]:
        """Return solutions by their ids, as people left them; a ``role`` below agent gets those that are displayed."""
        from autokb.views.browse import list_solutions

        return list_solutions(self.workspace, self._solutions, limit, after, role)

    @property
    def _solutions(self) -> SolutionsInMemory:
        """All solutions, read once a build; lists, the queue and decisions share them."""
        from autokb.views.solutions_in_memory import SolutionsInMemory

        with self._opening:
            self._held_solutions = self._held_solutions or SolutionsInMemory()
            return self._held_solutions

    def solution(self, solution: str, *, role: Role = "admin") -> SolutionView:
        """Return one solution by its id (UnknownIdError; NotForRoleError where the ``role`` does not see it)."""
        from autokb.views.browse import show_solution

        return show_solution(self.workspace, self._solutions, solution, role)

    def history(self, solution: str) -> SolutionHistory:
        """Return who did what to a solution and when, the newest first (UnknownIdError)."""
        from autokb.curation.solution_history import show_history

        return show_history(self.workspace, self._solutions, solution)

    def review(self, limit: int = 100, after: str = "", kind: str = "") -> ReviewPage:
        """Return what a person should look at, the highest impact first; ``kind`` keeps one kind of reason.

        ``after`` is the ``next`` of the page before.
        """
        from autokb.curation.review import list_review

        return list_review(self.workspace, self._solutions, limit, after, kind)

    def changes(self) -> Changes:
        """Return what the last build changed for readers."""
        from autokb.stores.published import read_changes

        with self.workspace.file() as file:
            return read_changes(file)

    # -- what people leaf through --------------------------------------------------------------------

    def knowledge(self) -> KnowledgeOverview:
        """Return what there is to leaf through: themes, the values of attributes, counts."""
        return self._open_knowledge().overview

    def trees(self, wanted: KnowledgeFilter | None = None, first: int = 0, most: int = 25) -> Found[IssueView]:
        """Return trees, those that most customers reported first; a filter keeps those of a theme or with values."""
        from autokb.views.knowledge import KnowledgeFilter

        return self._open_knowledge().trees(wanted or KnowledgeFilter(), first, most)

    def search_knowledge(
        self,
        query: str,
        wanted: KnowledgeFilter | None = None,
        kinds: Sequence[KnowledgeKind] = ("issue", "solution", "document", "ticket"),
        first: int = 0,
        most: int = 10,
        *,
        withheld: bool = True,
    ) -> FoundKnowledge:
        """Return what has every word of a query, whole or begun: ``most`` of each kind, from the ``first`` on.

        Where nothing has them all, that is what has the most of them, at least half (``partly``), of any kind but
        tickets. A filter leaves documents and tickets out; ``withheld`` also finds solutions that nobody is shown.
        """
        from autokb.views.knowledge import FoundKnowledge, KnowledgeFilter

        filtered, opened = wanted or KnowledgeFilter(), self._open_knowledge()
        found = opened.search(query, filtered, kinds, first, most, withheld=withheld)
        tickets = FoundKnowledge(query, {"ticket": 0}, ())
        if not filtered:
            tickets = self._open_ticket_list().search(query, first, most if "ticket" in kinds else 0)
        if not any((*found.totals.values(), *tickets.totals.values())):
            found = opened.search(query, filtered, kinds, first, most, withheld=withheld, partly=True)
        return replace(found, totals={**found.totals, **tickets.totals}, items=(*found.items, *tickets.items))

    def known_issue(self, issue: str) -> IssueView:
        """Return a node by its whole id with its tree, its solutions and what customers wrote, private data masked."""
        return self._look_up(lambda opened: opened.issue(issue))

    def known_solution(self, solution: str, *, role: Role = "admin") -> tuple[SolutionView, IssueView]:
        """Return a solution with the node that it is for (UnknownIdError, NotForRoleError)."""
        return self._look_up(lambda opened: opened.solution(solution, role))

    def find_documents(self, query: str = "", first: int = 0, most: int = 50, *, uncited: bool = False) -> DocumentList:
        """Return documents by title, or those with every word of a query; ``uncited`` keeps what nothing cites."""
        return self._open_knowledge().documents(query, first, most, uncited=uncited)

    def view_document(self, document: str, places: Sequence[Span] = (), page: int | None = None) -> DocumentPage:
        """Return a page of a document, the one on which the first of some places begins where no page is named."""
        return self._look_up(lambda opened: opened.document(document, places, page))

    def find_tickets(self, query: str = "", first: int = 0, most: int = 50) -> Found[TicketView]:
        """Return tickets, the newest first, or those that have every word of a query, private data masked."""
        return self._open_ticket_list().listed(query, first, most)

    def browse_ticket(self, ticket: str, neighbours: int = 12) -> TicketView:
        """Return a ticket with at most so many neighbours as a graph, private data masked (UnknownIdError)."""
        from autokb.views.ticket_browser import browse_ticket

        return browse_ticket(self.workspace, ticket, neighbours)

    def browse_similar(self, ticket: str, k: int = 5) -> SimilarTickets:
        """Return the tickets most like the one of this id, private data masked (UnknownIdError)."""
        from autokb.views.ticket_browser import mask_similar

        if not self._open_ticket_list().tickets.get(ticket):
            raise UnknownIdError(f"There is no published ticket {ticket!r}; the list of tickets has those there are.")
        return mask_similar(self.similar_tickets(ticket, k))

    def load_knowledge(self, *, follows: bool = False) -> None:
        """Put into memory what people leaf through, so that the first page does not wait.

        Who ``follows`` calls this every second or so: from then on a later build is loaded here, beside, and people
        leaf through the one before until it is there, with what they decide meanwhile.
        """
        from autokb.views.knowledge import read_knowledge

        with self._loading_knowledge:
            with self._views_lock:
                before = self._knowledge
                is_later = before is not None and not before.is_of_latest_build()
            if is_later:
                read = read_knowledge(self.workspace, before)
                with self._views_lock:
                    self._knowledge = read.open(self._knowledge)
            opened = self._open_knowledge()
            opened.warm()
            self._solutions.keep(opened.publication, opened.built)
            self._solutions.follows = self._follows_builds = follows
        self._open_ticket_list()

    def _open_knowledge(self) -> ReadModel:
        from autokb.views.knowledge import open_knowledge

        with self._views_lock:
            if self._knowledge is None or not self._knowledge.is_current():
                before = self._knowledge
                self._knowledge = open_knowledge(self.workspace, before, keeps_build=self._follows_builds)
            return self._knowledge

    def _look_up(self, look: Callable[[ReadModel], T]) -> T:
        """Look for an id in what is open, and where it is not there in a build that is not loaded yet."""
        opened = self._open_knowledge()
        try:
            return look(opened)
        except UnknownIdError:
            with self._views_lock:
                if opened.is_of_latest_build():
                    raise
        self.load_knowledge(follows=self._follows_builds)
        return look(self._open_knowledge())

    def _open_ticket_list(self) -> OpenTicketList:
        from autokb.views.ticket_browser import open_ticket_list

        with self._views_lock:
            if self._ticket_list is None or not self._ticket_list.is_current():
                self._ticket_list = open_ticket_list(self.workspace)
            return self._ticket_list

    def documents(self, limit: int = 100, after: str = "") -> Page[DocumentView]:
        """Return published documents by their ids, without their texts."""
        from autokb.views.browse import list_documents

        return list_documents(self.workspace, limit, after)

    def document(self, document: str) -> DocumentView:
        """Return one published document with its text, which evidence refers to (UnknownIdError)."""
        from autokb.views.browse import show_document

        return show_document(self.workspace, document)

    def tickets(self, limit: int = 100, after: str = "", *, role: Role = "admin") -> Page[TicketView]:
        """Return published tickets by their ids; ``show_ticket`` has the whole of one, masked alike for a role."""
        from autokb.views.ticket_browser import list_tickets

        return list_tickets(self.workspace, limit, after, role)

    def give_feedback(
        self,
        query: str,
        verdict: FeedbackVerdict,
        solution_id: str | None = None,
        text: str = "",
        *,
        documents: Sequence[str] = (),
        source: SuggestionSource = "",
        conversation: str = "",
        author: str = "",
        group: str = "",
    ) -> GivenFeedback:
        """Store what became of a suggestion: ``used``, ``edited`` (``text`` is what was sent), ``rejected``, ...

        ``query`` is what was asked, ``solution_id`` that of the suggestion, None for one from a ticket, whose id stands
        in ``documents``, or a question back. The same feedback is stored once; nothing counts before ``feed_feedback``.
        """
        from autokb.core.feedback import Feedback
        from autokb.usage.feedback import give_feedback

        cited = tuple(documents)
        given = Feedback("", query, verdict, solution_id, text, "", cited, source, conversation, author, group)
        return give_feedback(self.workspace, given, self._held_index, self._open_index)

    def feedback(self, limit: int = 100, after: str = "") -> FeedbackPage:
        """Return feedback in the order of its taking; ``after`` is the ``next`` of the page before."""
        from autokb.usage.feedback import list_feedback

        return list_feedback(self.workspace, limit, after)

    def undo_feedback(self, feedback: str) -> UndoneFeedback:
        """Take a feedback back by its id; where it was fed, its question is no resolved one any more."""
        from autokb.usage.feedback import undo_feedback

        return undo_feedback(self.workspace, feedback)

    def feed_feedback(self) -> FedFeedback:
        """Make what was used, edited or helped count: as history from now on, as raw issues of the next build."""
        from autokb.usage.feedback import feed_feedback

        return feed_feedback(self.workspace)

    def calibrate_gate(self, in_domain: Path | str, out_of_domain: Path | str) -> GateCalibration:
        """Calibrate the gate on a team's own questions: two JSONL files with ``id`` and ``text``.

        From now on it says which questions are off topic, until it is calibrated anew or reset; builds keep it.
        """
        from autokb.pipeline.calibrate_gate import calibrate_gate

        return calibrate_gate(self.workspace, Path(in_domain), Path(out_of_domain))

    def reset_gate(self) -> GateReset:
        """Drop the calibration of the gate, so that the gate of the build decides again."""
        from autokb.pipeline.calibrate_gate import reset_gate

        return reset_gate(self.workspace)

    def export(self, target: Path | str) -> Exported:
        """Write the knowledge base as JSONL, Markdown or CSV, by the suffix."""
        from autokb.exchange.export_kb import export_kb

        return export_kb(self.workspace, Path(target))

    def import_(self, source: Path | str, *, replace: bool = False, progress: Progress = silent) -> Imported:
        """Take in what ``export`` wrote, edited or not; model and mode stay as they were opened.

        A workspace that holds something takes the decisions of people only; ``replace`` takes a JSONL whole, in place
        of all that is there, as an empty workspace does.
        """
        from autokb.exchange.import_kb import import_file

        done = import_file(self.workspace, Path(source), whole=replace, progress=progress)
        self.workspace = self.workspace.reopened()
        return done

    # -- past tickets ------------------------------------------------------------------------------

    def build_tickets(
        self, *, rethink: bool = False, budget: float | None = None, progress: Progress = silent
    ) -> TicketBuildReport:
        """Build and publish the ticket graph; only tickets that changed are worked out.

        ``rethink`` chooses anew how alike titles must be and what each signal counts.
        """
        from autokb.pipeline.model_session import ModelOptions
        from autokb.pipeline.tickets import build_tickets

        return build_tickets(self.workspace, rethink=rethink, options=ModelOptions(budget), progress=progress)

    def show_ticket(self, ticket: str, *, role: Role = "admin") -> ShownTicket:
        """Return one ticket as a tree of sections with its links; a ``role`` below agent gets private data masked."""
        from autokb.views.ticket_browser import ticket_for

        return ticket_for(self.workspace, ticket, role)

    def show_tickets(self) -> ShownTickets:
        """Return how many tickets there are, their sections and links, and what each signal counts."""
        from autokb.ticket_answers.open_tickets import show_tickets

        return show_tickets(self.workspace)

    def similar_tickets(self, text: str, k: int = 5) -> SimilarTickets:
        """Return the tickets most like a text, or like the ticket of this id."""
        return self._open_tickets().similar(text, k)

    def ask_tickets(self, text: str, k: int = 5, *, cypher: bool = False, budget: float | None = None) -> TicketAnswer:
        """Answer a question from past tickets, with evidence; ``k`` bounds the tickets.

        ``cypher`` shows what is asked of the graph: what a model wrote, where one is set and an engine is installed.
        """
        from autokb.pipeline.model_session import ModelOptions

        with self._opening:
            asking = self._now().asking
        asking.options = ModelOptions(budget)
        return asking.ask(text, k, cypher=cypher)

    def accept_ticket(self, question: str, ticket: str, *, author: str = "", undo: bool = False) -> Accepted:
        """Store that a ticket answers a question, which counts from the next question on; ``undo`` takes it back."""
        from autokb.exchange.accept_ticket import accept_ticket

        return accept_ticket(self.workspace, question, ticket, author=author, undo=undo)

    def report_tickets(self, by: str) -> TicketReport:
        """Return how long groups of tickets took to be resolved; ``by`` is a field, or ``created<2015-01-01``."""
        from autokb.ticket_answers.report import report_tickets

        return report_tickets(self.workspace, by)

    def draft_template(self, *, budget: float | None = None, progress: Progress = silent) -> TemplateDraft:
        """Propose sections of tickets from what was added, in a file beside ``domain.yaml``."""
        from autokb.pipeline.draft_template import draft_ticket_template
        from autokb.pipeline.model_session import ModelOptions

        return draft_ticket_template(self.workspace, options=ModelOptions(budget), progress=progress)

    def feed_tickets(self) -> Fed:
        """Stage resolved tickets as documents, and what they reported as raw issues, for the next build."""
        from autokb.ticket_answers.knowledge import feed_tickets

        return feed_tickets(self.workspace)

    def _open_tickets(self) -> OpenTickets:
        """Return the published tickets, in memory until a later build publishes others."""
        with self._opening:
            return self._now().tickets

    # -- what people decide ------------------------------------------------------------------------

    def approve(self, solutions: Iterable[str], *, author: str = "", undo: bool = False, version: str = "") -> Judged:
        """Approve solutions by their ids, as their texts are now; ``undo`` takes an approval back.

        All of them or none: an unknown id, or a solution that is withheld, is a BadInputError; with the ``version`` of
        the text that was read, another one is a ChangedMeanwhileError. Where the domain asks for more approvals than
        one, they are of as many authors.
        """
        return self._judge(solutions, "approve", author, undo, version)

    def reject(self, solutions: Iterable[str], *, author: str = "", undo: bool = False, version: str = "") -> Judged:
        """Reject solutions: nobody sees them until ``undo`` takes it back, whatever is built or imported."""
        return self._judge(solutions, "reject", author, undo, version)

    def hide(self, solutions: Iterable[str], *, author: str = "", undo: bool = False, version: str = "") -> Judged:
        """Hide solutions that are right but not to be shown; ``undo`` takes it back."""
        return self._judge(solutions, "hide", author, undo, version)

    def _judge(self, solutions: Iterable[str], verb: Verb, author: str, undo: bool, version: str) -> Judged:
        from autokb.curation.decisions import judge

        some, memory = list(solutions), self._solutions
        return judge(self.workspace, some, verb, author=author, undo=undo, version=version, memory=memory)

    def edit(
        self, solution: str, text: str = "", steps: Sequence[str] = (), *, author: str = "", version: str = ""
    ) -> EditedSolution:
        """Give a solution another text, or other steps; the other follows from it, and builds keep it.

        One that breaks a rule of the domain is kept and not shown. ``version`` is that of the text that was read:
        ChangedMeanwhileError where the solution has another one by now.
        """
        from autokb.curation.decisions import edit

        memory = self._solutions
        return edit(self.workspace, solution, text=text, steps=steps, author=author, version=version, memory=memory)

    def undo(self, solution: str, *, author: str = "", version: str = "") -> Reverted:
        """Take back the newest edit or verdict of a solution; again takes back the one before (BadInputError: none)."""
        from autokb.curation.decisions import undo

        return undo(self.workspace, solution, author=author, version=version, memory=self._solutions)

    def dismiss_edit(self, edit: str, *, undo: bool = False, author: str = "") -> DismissedEdit:
        """Take an edit whose solution is gone out of the review queue; ``undo`` puts it there again (UnknownIdError).

        It is kept, and counts again when its solution returns.
        """
        from autokb.curation.decisions import dismiss_edit

        return dismiss_edit(self.workspace, edit, undo=undo, author=author, memory=self._solutions)

    def write(self, issue: str, source: Path | str, *, author: str = "") -> Written:
        """Put a solution by hand on an issue, from a Markdown file; it is approved and outlives builds."""
        from autokb.curation.decisions import write_by_hand

        return write_by_hand(self.workspace, issue, Path(source), author=author)

    # -- in use ------------------------------------------------------------------------------------

    def gaps(self, limit: int = 50, *, newest: bool = False, closed: bool = False) -> Gaps:
        """Return what the knowledge base lacks: questions nobody could answer, issues without solution, idle documents.

        The most asked first, or the ``newest``; ``limit`` bounds each list. With ``closed`` those that people closed.
        """
        from autokb.usage.gaps import find_gaps

        if self._log is not None:
            self._log.flush()
        return find_gaps(self.workspace, self._solutions, limit, newest=newest, closed=closed)

    def dismiss_gap(self, gap: str, *, done: bool = False, undo: bool = False, author: str = "") -> SettledGap:
        """Close a gap for good, or as ``done`` until it is asked again; ``undo`` opens it (BadInputError)."""
        from autokb.usage.gaps import settle_gap

        status: GapStatus = "open" if undo else "done" if done else "dismissed"
        return settle_gap(self.workspace, self._solutions, gap, status, author)

    def forget_questions(self) -> ForgottenQuestions:
        """Empty the log of questions; nothing of it is left in the file."""
        from autokb.usage.gaps import forget_all_questions

        if self._log is not None:
            self._log.flush()
        return forget_all_questions(self.workspace)

    def in_use(self, since: str | None = None) -> InUse:
        """Return what is made of suggestions and what becomes of conversations, with 95 % intervals.

        ``since`` is a day (2026-03-01) from which on everything counts.
        """
        from autokb.usage.in_use import measure_use

        if self._log is not None:
            self._log.flush()
        return measure_use(self.workspace, since)

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

        return report_outcome(self.workspace, ConversationOutcome(conversation, resolved, returned, seconds, date))

    def import_outcomes(self, source: Path | str, fields: OutcomeFields | None = None) -> ImportedOutcomes:
        """Store how the conversations of a file ended: CSV, TSV, JSON or JSONL, a record each."""
        from autokb.usage.outcomes import import_outcomes

        return import_outcomes(self.workspace, Path(source), fields)

    # -- who may use the service ---------------------------------------------------------------------

    def create_key(self, role: str, name: str = "") -> CreatedKey:
        """Make a key of the service for a role: reader, agent, editor or admin; only its hash is kept.

        Its id, which begins with ``name`` where one is given, is the author of what is done with it.
        """
        from autokb.app.api_keys import create_key

        return create_key(self.workspace, role, name)

    def keys(self) -> ApiKeys:
        """Return the keys, revoked ones too, without what they are."""
        from autokb.app.api_keys import list_keys

        return list_keys(self.workspace)

    def revoke_key(self, key_id: str) -> ApiKey:
        """Let a key count no more, by its id (UnknownIdError where no key has it)."""
        from autokb.app.api_keys import revoke_key

        return revoke_key(self.workspace, key_id)

    def find_key(self, key: str) -> ApiKey | None:
        """Return which key was shown; None where it is wrong or revoked."""
        from autokb.app.api_keys import find_key

        with self.shared_connection() as file:
            return find_key(file, key)

    def needs_key(self) -> bool:
        """Return whether a key was ever made here; to revoke the last one opens nothing."""
        from autokb.app.api_keys import needs_key

        with self.shared_connection() as file:
            return needs_key(file)

    def settings(self) -> SettingsInForce:
        """Return the settings that this process works by."""
        from autokb.app.settings_in_force import settings_in_force

        return settings_in_force(self.workspace)

    # -- what it is worth --------------------------------------------------------------------------

    def evaluate_retrieval(
        self,
        queries: Path | str,
        qrels: Path | str,
        systems: Sequence[str] = (),
        *,
        budget: float | None = None,
        progress: Progress = silent,
    ) -> RetrievalReport:
        """Measure retrieval systems on labelled questions; without names every system that asks no model."""
        from autokb.pipeline.model_session import ModelOptions
        from autokb.studies.evaluate import evaluate_workspace_retrieval

        return evaluate_workspace_retrieval(
            self.workspace, Path(queries), Path(qrels), systems, progress, ModelOptions(budget)
        )

    def evaluate_variations(
        self,
        systems: Sequence[str] = (),
        sample: int = 50,
        *,
        budget: float | None = None,
        progress: Progress = silent,
    ) -> ParaphraseReport:
        """Measure retrieval systems on paraphrases of ``sample`` nodes and of as many chunks of the workspace."""
        from autokb.pipeline.model_session import ModelOptions
        from autokb.studies.evaluate import evaluate_workspace_paraphrases

        return evaluate_workspace_paraphrases(self.workspace, systems, sample, progress, ModelOptions(budget))

    def evaluate_tickets(
        self, queries: Path | str, qrels: Path | str, systems: Sequence[str] = (), *, progress: Progress = silent
    ) -> TicketRetrievalReport:
        """Measure how tickets are ranked, on labelled questions: each signal alone and together."""
        from autokb.studies.evaluate_tickets import evaluate_workspace_tickets

        return evaluate_workspace_tickets(self.workspace, Path(queries), Path(qrels), systems, progress)

    def evaluate_suggestions(
        self, wanted: SuggestionEvaluation, *, budget: float | None = None, progress: Progress = silent
    ) -> SuggestionsReport:
        """Measure what systems suggest for the cases of a test set, beside what people replied."""
        from autokb.pipeline.model_session import ModelOptions
        from autokb.studies.evaluate_suggestions import evaluate_workspace_suggestions

        with self._opening:
            now = self._now()
            tickets, index = now.past_tickets, now.index
        return evaluate_workspace_suggestions(index, tickets, wanted, progress, ModelOptions(budget))

    def evaluate_quality(
        self,
        sheet: Path | str | None = None,
        read: Path | str | None = None,
        most: int | None = None,
        *,
        judge: bool = False,
        budget: float | None = None,
        progress: Progress = silent,
    ) -> QualityReport:
        """Measure granularity and rules kept; ``sheet`` writes the annotators' sheet, ``read`` takes a filled one in.

        ``judge`` has the model judge the displayed solutions, ``most`` of them.
        """
        from autokb.pipeline.model_session import ModelOptions
        from autokb.studies.evaluate import evaluate_workspace_quality

        return evaluate_workspace_quality(
            self.workspace,
            Path(sheet) if sheet else None,
            Path(read) if read else None,
            most,
            judge=judge,
            progress=progress,
            options=ModelOptions(budget),
        )

    def sheet_item(self, annotator: str = "1", item: str = "") -> SheetPage:
        """Return what an annotator (1 or 2) has not judged yet, or the ``item`` named: is the solution correct?"""
        from autokb.studies.annotations import next_item

        return next_item(self.workspace, annotator, item)

    def annotate(self, item: str, annotator: str, is_correct: bool | None, *, author: str = "") -> SheetPage:
        """Keep an annotator's answer, None takes it back; ``evaluate_quality`` counts it while the words stay so."""
        from autokb.studies.annotations import annotate

        return annotate(self.workspace, item, annotator, is_correct, author=author)

    @staticmethod
    def compare(
        before: Path | str, after: Path | str, metric: str | None = None, gate: float | None = None
    ) -> Comparison:
        """Compare two stored answers of ``evaluate``; ``gate`` is how much ``metric`` may fall."""
        from autokb.evaluation.compare import compare, read_answer

        return compare(read_answer(Path(before)), read_answer(Path(after)), metric, gate)

    # -- without a workspace -----------------------------------------------------------------------

    @staticmethod
    def chunk(
        paths: Iterable[Path | str],
        request: ChunkRequest,
        *,
        budget: float | None = None,
        progress: Progress = silent,
    ) -> Iterator[ChunkedDocument | Skipped]:
        """Chunk documents one after the other; what cannot be chunked is given with its reason."""
        from autokb.pipeline.chunk_files import chunk_files
        from autokb.pipeline.model_session import ModelOptions

        return chunk_files([Path(p) for p in paths], request, options=ModelOptions(budget), progress=progress)

    @staticmethod
    def evaluate_chunking(
        paths: Iterable[Path | str],
        wanted: ChunkEvaluation,
        *,
        budget: float | None = None,
        progress: Progress = silent,
    ) -> ChunkingReport:
        """Measure chunkers on documents: what is counted and what a model judges stand apart."""
        from autokb.pipeline.model_session import ModelOptions
        from autokb.studies.evaluate_chunking import evaluate_chunking

        return evaluate_chunking([Path(p) for p in paths], wanted, progress, ModelOptions(budget))

    def close(self) -> None:
        """Let go of what questions hold in memory, and close it, whoever uses it."""
        with self._opening:
            if self._snapshot is not None:
                self._snapshot.close()
            self._snapshot = None
        if self._log is not None:
            self._log.close()
        with self._connection_lock:
            if self._shared_connection is not None:
                self._shared_connection.close()
                self._shared_connection = None
        with self._views_lock:
            for read in (self._knowledge, self._ticket_list):
                if read is not None:
                    read.close()
            self._knowledge = self._ticket_list = None
