"""The front door of the library: everything the command line does, as methods; the commands call nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autokb.app.memory import WorkspaceMemory
from autokb.core.errors import BadInputError, NothingPublishedError
from autokb.core.one_or_many import listed
from autokb.core.progress import Progress
from autokb.core.settings import REPLY, STYLES
from autokb.notebook.progress import show_progress
from autokb.stores.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from autokb.answering.answer import Answer
    from autokb.answering.suggest import Suggested
    from autokb.app.add import Added, Kind
    from autokb.app.create import Created
    from autokb.app.demo import Demo
    from autokb.app.doctor import Doctor
    from autokb.app.namespaces.checks import ChecksNamespace
    from autokb.app.namespaces.curation import CurationNamespace
    from autokb.app.namespaces.keys import KeysNamespace
    from autokb.app.namespaces.usage import UsageNamespace
    from autokb.app.namespaces.versions import VersionsNamespace
    from autokb.app.namespaces.views import ViewsNamespace
    from autokb.app.plugins import ListedPlugins
    from autokb.app.settings_in_force import SettingsInForce
    from autokb.app.sources import Removed, Sources
    from autokb.app.store_watch import SharedRates, StoreWatch
    from autokb.app.synced import Synced
    from autokb.core.in_use import AskedBy
    from autokb.core.nouns import Message, Skipped
    from autokb.core.results import Exported, Result
    from autokb.exchange.imported import Imported
    from autokb.pipeline.build_report import BuildReport
    from autokb.pipeline.chunk_files import ChunkedDocument, ChunkRequest
    from autokb.pipeline.draft_spec import Draft
    from autokb.pipeline.plan import Costs, Plan
    from autokb.pipeline.plugin_task import TaskRun
    from autokb.sources import Fields
    from autokb.stores.moving import Moved


# Ours, each in the file of its name below ``namespaces``: a command loads its own.
NAMESPACES = ("checks", "curation", "keys", "usage", "versions", "views")


def namespace_class(name: str) -> Any:
    """Return the class of one of our own namespaces."""
    return getattr(import_module(f"autokb.app.namespaces.{name}"), f"{name.capitalize()}Namespace")


def _namespace(plugin: str) -> Any:
    """Return the class of a plug-in's namespace (PluginError: it is not installed)."""
    from autokb.core.plugins import installed, use

    return use(plugin, installed(plugin).namespace)


class SupportKB:
    """A knowledge base in a workspace folder.

        >>> kb = SupportKB.create(folder, "headphones", examples=True)  # doctest: +SKIP
        >>> kb.build().solutions  # doctest: +SKIP
        >>> kb.ask("my earbuds do not pair with my iPhone").outcome  # doctest: +SKIP
        'answered'

    Its namespaces: ``views`` (what people read), ``tickets``, ``curation`` (what people decide), ``usage``,
    ``evaluate``, ``keys``, ``versions`` (what readers saw before, what waits to be seen), ``checks`` (questions that
    must stay right) and ``helpdesks`` (whose customers' messages get notes).

    What a method returns is typed; its ``as_json()`` is what the command prints with ``--json``. Bad input raises
    BadInputError with a sentence that says what to do, and AutokbError is the class of all errors that are expected.
    Threads may share one to ask, suggest, list, judge and give feedback. One that keeps a log keeps what is asked,
    masked, and the arms of an experiment, unless the settings say no; no answer waits for that.
    """

    def __init__(self, workspace: Workspace, *, keep_log: bool = False) -> None:
        self._memory = WorkspaceMemory(workspace, keep_log=keep_log)
        self.created: Created | None = None  # what ``create`` put into it

    if TYPE_CHECKING:  # where the other would make any name right
        checks: ChecksNamespace
        curation: CurationNamespace
        evaluate: Any
        helpdesks: Any
        keys: KeysNamespace
        tickets: Any
        usage: UsageNamespace
        versions: VersionsNamespace
        views: ViewsNamespace
    else:

        def __getattr__(self, name: str) -> object:
            """Return a namespace, ours or that of a plug-in, made when it is first asked for."""
            if name.startswith("_"):
                raise AttributeError(f"SupportKB has no {name!r}.")
            from autokb.core.plugins import with_namespace

            if name in NAMESPACES:
                kind = namespace_class(name)
                return self.__dict__.setdefault(name, kind(self._memory))
            return self.__dict__.setdefault(name, self._of_plugin(with_namespace(name).name))

    def _of_plugin(self, name: str) -> Any:
        """Return the namespace of a plug-in, made anew (PluginError: it is not installed)."""
        from autokb.core.plugins import call, installed

        return call(name, installed(name).namespace, self)

    @property
    def workspace(self) -> Workspace:
        """The folder, its settings and its specification."""
        return self._memory.workspace

    # -- a workspace -------------------------------------------------------------------------------

    @classmethod
    def create(cls, folder: Path | str, domain: str = "", *, examples: bool = False) -> SupportKB:
        """Make a workspace; ``domain`` is a shipped name or the path of a ``domain.yaml``.

        A folder that is a workspace already is refused (BadInputError); ``open`` opens it.
        """
        from autokb.app.create import create

        created = create(Path(folder), domain, examples=examples)
        kb = cls.open(folder)
        kb.created = created
        return kb

    @classmethod
    def open(
        cls,
        folder: Path | str,
        *,
        model: str = "",
        mode: str = "economical",
        keep_log: bool = False,
        shows: int | str = "",
    ) -> SupportKB:
        """Open a workspace that exists (BadInputError when it does not); ``model`` stands before the settings'.

        With ``keep_log`` the questions that it is asked are kept for ``gaps`` and ``in_use``, as the service does. It
        ``shows`` what readers see, a version by its number, or the "candidate", which is for asking and looking.
        """
        return cls(open_workspace(Path(folder), model=model, mode=mode, shows=str(shows)), keep_log=keep_log)

    def add(
        self,
        paths: Iterable[Path | str] | Path | str,
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
        from autokb.app.add import AddOptions, add

        files, options = [Path(p) for p in listed(paths)], AddOptions(sync, update, yes, follow_links)
        return add(self.workspace, files, kind, fields, options, progress)

    def study(self, name: str) -> Result:
        """Return what a plug-in's study finds of this knowledge base; PLUGIN.NAME, as for ``autokb evaluate``."""
        found: Result = self.evaluate.study(self, name)
        return found

    def run_task(self, name: str, items: Sequence[object], *, budget: float | None = None) -> TaskRun:
        """Answer a plug-in's task PLUGIN.NAME for each item, for at most ``budget`` USD; what is known is not asked."""
        from autokb.pipeline.plugin_task import run_plugin_task

        return run_plugin_task(self.workspace, name, items, budget)

    def sources(self, *, losses: bool = False) -> Sources:
        """Return what was added or imported: folders, files and imports, with their counts.

        With ``losses`` it also has what was not read of them, and why.
        """
        from autokb.app.sources import list_sources

        return list_sources(self.workspace, with_losses=losses)

    def move_source(self, old: Path | str, new: Path | str) -> Sources:
        """Take what was added from ``old`` as added from ``new``, where it was moved; nothing is read or built."""
        from autokb.app.sources import move_source

        return move_source(self.workspace, str(old), str(new))

    def remove(self, names: Iterable[Path | str] | Path | str) -> Removed:
        """Take sources, documents or raw issues out of the next build: ids, and paths as ``sources`` gives them.

        A name that names nothing raises BadInputError, and nothing is removed.
        """
        from autokb.app.sources import remove

        return remove(self.workspace, [str(name) for name in listed(names)])

    def sync(
        self,
        sources: Iterable[str] | str = (),
        *,
        accept: bool = False,
        build: bool = False,
        progress: Callable[[str], None] | None = None,
    ) -> Synced:
        """Read what is new, changed or gone in the sources of the settings, or in those of these names, and stage it.

        ``build`` builds after it, where something changed. A source that fails stops no other: ``errors`` of the result
        names it. What was read is kept, and a run that was killed goes on where it was. Where less than half of a
        source would be left, nothing of it is removed but with ``accept``.
        """
        names, then = filter(None, listed(sources)), self.build if build else None
        done: Synced = self._of_plugin("sync").sync(names, accept=accept, build=then, progress=progress)
        return done

    def watch(
        self, sources: Iterable[str] | str = (), *, build: bool = False, tell: Callable[[Synced | str], None]
    ) -> None:
        """Sync each source as often as its ``every`` says, until KeyboardInterrupt; ``tell`` is told of each run."""

        def reopened() -> Workspace:
            self._memory.reopen()
            return self.workspace

        self._of_plugin("sync").watch(reopened, listed(sources), self.build if build else None, tell)

    def draft_spec(self, *, budget: float | None = None, progress: Progress = show_progress) -> Draft:
        """Propose attributes and rules from what was added, in a file beside ``domain.yaml``."""
        from autokb.pipeline.draft_spec import draft_spec
        from autokb.pipeline.model_session import ModelOptions

        return draft_spec(self.workspace, options=ModelOptions(budget), progress=progress)

    # -- the build ---------------------------------------------------------------------------------

    def plan(self, *, progress: Progress = show_progress) -> Plan:
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
        candidate: bool = False,
        force: str = "",
        progress: Progress = show_progress,
        notify: Callable[[tuple[str, ...]], None] = lambda _sentences: None,
    ) -> BuildReport:
        """Build and publish; a domain that lacks a rule of the published one needs ``yes`` (else BadInputError).

        A ``candidate`` is kept beside what readers see, until ``versions.publish`` or ``versions.discard``. So is what
        the settings' gate refuses and what has less than half of what readers see, as the report's ``refusal`` says;
        ``force`` names who publishes it all the same.

        Raises StoppedOnPurposeError when ``budget`` (USD) is reached or a batch's replies are awaited; call it again
        to go on, or let it ``wait`` for the replies: ``notify`` then gets the sentences of each round. StageFailedError
        where more of a stage failed than the settings tolerate, for example because the model is down.
        """
        from autokb.pipeline.build import build
        from autokb.pipeline.model_session import ModelOptions
        from autokb.pipeline.waiting import build_and_wait

        def build_round(options: ModelOptions) -> BuildReport:
            return build(
                self.workspace,
                rethink=rethink,
                yes=yes,
                candidate=candidate,
                force=force,
                options=options,
                progress=progress,
            )

        options = ModelOptions(budget, batch, Path(batch_files) if batch_files else None)
        return build_and_wait(self.workspace, options, build_round, notify) if wait else build_round(options)

    def costs(self) -> Costs:
        """Return what was spent in the workspace's life."""
        from autokb.pipeline.plan import costs

        return costs(self.workspace)

    # -- questions ---------------------------------------------------------------------------------

    def ask(
        self,
        text: str,
        attributes: Mapping[str, Sequence[str]] | None = None,
        k: int = 5,
        *,
        model: str = "",
        log: bool = True,
        asked_by: AskedBy = "ask",
        explain: bool = False,
        style: str = "",
        first: Callable[[Answer], None] = lambda _answer: None,
    ) -> Answer:
        """Answer a question from what the last build published; the index stays in memory until the next one.

        ``attributes`` (name to values) override what is read from the text; ``k`` bounds matches and documents. Without
        ``log`` it is no customer's question, but one that somebody tries, and not kept; ``asked_by`` names in the log
        where it was asked.
        To ``explain``, the answer says of the best candidates what each feature counted, and how probable it is.
        A ``model`` (PROVIDER:NAME, else the settings' ``ask: model``) chooses among them; ``first`` is told the answer
        before it is asked, which counts where the model fails, is late or has spent its day's budget. In the ``style``
        reply (``steps``, else the settings' ``ask: style``) the model also writes one from the steps that are shown.
        """
        from autokb.retrieval.read_question import read_values

        if (style := style or self.workspace.settings.ask.style) not in STYLES:
            raise BadInputError(f"There is no style {style!r}; choose one of: {', '.join(STYLES)}.")
        with self._memory.opening:
            now = self._memory.now()
            opened, chooser = now.index, now.choosing_model(model)
        stated = read_values(opened.index.spec, attributes or {})
        choosing = None if chooser is None else chooser.choosing(first=first)
        answer = opened.ask(text, stated, k, explain=explain, choosing=choosing)
        if style == REPLY:
            from autokb.suggesting.choosing_model import with_reply

            answer = with_reply(answer, opened.index.spec, chooser)
        if self._memory.log is not None and log:
            words = opened.index.chunks.words.vocabulary
            self._memory.log.note_answer(answer, opened.index.spec.language, words, asked_by)
        return answer

    @property
    def waits_for_servers(self) -> bool:
        """Whether questions may wait for a model or an embedder over the network, not only for this machine."""
        from autokb.pipeline.embedding import read_embedder_name
        from autokb.pipeline.model_choice import OFFLINE

        settings = self.workspace.settings
        models = (settings.model, settings.ask.model, *settings.tasks.values())
        return read_embedder_name(settings.embedder).is_paid or any(model != OFFLINE for model in models)

    def suggest(
        self,
        messages: Sequence[Message | Mapping[str, str]] | str = (),
        *,
        chat: Path | str | None = None,
        strategy: str = "plain",
        passages: int = 3,
        budget: float | None = None,
        conversation: str = "",
        log: bool = True,
    ) -> Suggested:
        """Return up to three replies to a customer's last message, read with what was said before.

        ``messages`` are those of a conversation, the last one the customer's, or that one alone as text; one is a
        ``Message`` or has ``role`` (customer or agent) and ``text`` (BadInputError). ``chat`` is a file of those before
        them (JSON, JSONL or CSV). Where the settings name a model, it writes them by a
        ``strategy`` (plain, react, chain_of_thought, chain_of_verification, query_rewriting) from 1 or 3 ``passages``,
        for at most ``budget`` USD; where it fails, the knowledge base's own words stand in and ``fallback`` says why.
        The settings' ``ask: model`` chooses among what is found, as for ``ask``, for its own day's budget.
        ``conversation`` is its id, by which an experiment of the settings puts it into an arm: that of ``control`` gets
        no suggestions, and no model is asked. Without ``log`` nothing of it is kept.
        """
        from autokb.core.in_use import CONTROL, AssignedArm, moment
        from autokb.suggesting.suggest import join_messages
        from autokb.suggesting.suggest_by_strategy import suggest_by_strategy
        from autokb.usage.feedback import cleaned_name

        conversation = cleaned_name(conversation, "conversation")
        with self._memory.opening:
            now = self._memory.now()
            index, beside = now.known, tuple(now.beside.values())
            models = now.suggestion_models if budget is None else now.suggestion_models_for(budget)
            chooser = None if index is None else now.choosing_model()
        said = join_messages(messages, chat)
        experiment = self.workspace.settings.experiment
        arm = experiment.arm_of(conversation)
        found = suggest_by_strategy(
            index,
            said,
            strategy=strategy,
            passages=passages,
            models=models,
            beside=beside,
            own_words=arm == CONTROL,  # nobody would see what a model writes
            chooser=chooser,
        )
        found = replace(found, arm=arm, suggestions=() if arm == CONTROL else found.suggestions)
        if self._memory.log is not None and log:
            if arm is not None:
                self._memory.log.note_arm(AssignedArm(conversation, experiment.salt, arm, moment()))
            if index is None:
                self._memory.log.note_suggested(found, conversation, self.workspace.spec.language)
            else:
                vocabulary = index.index.chunks.words.vocabulary
                self._memory.log.note_suggested(found, conversation, index.index.spec.language, vocabulary)
        return found

    def differing_languages(self, found: Suggested) -> tuple[str, str] | None:
        """Return the names of the customer's language and of that of the suggestions, None where they are one."""
        from autokb.suggesting.suggest import differing_languages

        try:
            index = self._memory.open_index()
        except NothingPublishedError:
            return None  # suggestions from past tickets alone
        return differing_languages(index, found)

    # -- what people leaf through --------------------------------------------------------------------

    def export(self, target: Path | str) -> Exported:
        """Write the knowledge base as JSONL, Markdown or CSV, by the suffix."""
        from autokb.exchange.export_kb import export_kb

        return export_kb(self.workspace, Path(target))

    def import_(
        self, source: Path | str, *, replace: bool = False, force: str = "", progress: Progress = show_progress
    ) -> Imported:
        """Take in what ``export`` wrote, edited or not; model and mode stay as they were opened.

        A workspace that holds something takes the decisions of people only; ``replace`` takes a JSONL whole, in place
        of all that is there, as an empty workspace does; ``force`` names who consents where readers lose more than half
        (else HalfLostError).
        """
        from autokb.exchange.import_kb import import_file

        done = import_file(self.workspace, Path(source), whole=replace, force=force, progress=progress)
        self._memory.reopen()
        return done

    def move(self, to: Path | str, *, progress: Progress = show_progress) -> Moved:
        """Move the workspace to a Postgres server (its URL), or from one into a new folder; it is copied and compared.

        Nothing is switched over until both are equal, and one that was killed goes on (BadInputError, AutokbError). A
        move to a server leaves ``knowledge.db.moved`` behind; one into a folder leaves the schema as it is.
        """
        from autokb.stores.moving import move

        self._memory.close()
        done = move(self.workspace, str(to), progress)
        self._memory.reopen()
        return done

    def settings(self) -> SettingsInForce:
        """Return the settings that this process works by."""
        from autokb.app.settings_in_force import settings_in_force

        return settings_in_force(self.workspace)

    @staticmethod
    def compare(before: Path | str, after: Path | str, metric: str | None = None, gate: float | None = None) -> Result:
        """Compare two stored answers of ``evaluate``; ``gate`` is how much ``metric`` may fall."""
        compared: Result = _namespace("lab").compare(Path(before), Path(after), metric, gate)
        return compared

    # -- without a workspace -----------------------------------------------------------------------

    @classmethod
    def demo(cls, folder: Path | str, *, progress: Progress = show_progress) -> Demo:
        """Make the shipped example in a new folder, build it offline and ask it three questions.

        BadInputError where the folder holds something.
        """
        from autokb.app.demo import DOMAIN, QUESTIONS, TREES, Demo, check_new

        check_new(Path(folder))
        with closing(cls.create(folder, DOMAIN, examples=True)) as kb:
            assert kb.created is not None
            built, shown = kb.build(progress=progress), kb.views.show(most=TREES)
            return Demo(str(folder), kb.created, built, shown, tuple(kb.ask(text, k=1) for _, text in QUESTIONS))

    @classmethod
    def doctor(cls, folder: Path | str, *, online: bool = False) -> Doctor:
        """Say how a workspace and what it runs on are, also where it does not open; nothing is changed.

        What is wrong is in ``problems``, not raised. Nothing is sent anywhere but, with ``online``, a request to the
        settings' models that costs nothing.
        """
        from autokb.app.doctor import examine

        return examine(cls, Path(folder), online=online)

    @staticmethod
    def plugins(folder: Path | str = "") -> ListedPlugins:
        """Return the plug-ins that are installed with what each brings, and what does not load.

        Of the workspace in a ``folder`` it also says what is out of reach because its plug-in is missing.
        """
        from autokb.app.plugins import list_plugins

        return list_plugins(Path(folder) if folder else None)

    @staticmethod
    def chunk(
        paths: Iterable[Path | str] | Path | str,
        request: ChunkRequest,
        *,
        budget: float | None = None,
        progress: Progress = show_progress,
    ) -> Iterator[ChunkedDocument | Skipped]:
        """Chunk documents one after the other; what cannot be chunked is given with its reason."""
        from autokb.pipeline.chunk_files import chunk_files
        from autokb.pipeline.model_session import ModelOptions

        return chunk_files([Path(p) for p in listed(paths)], request, options=ModelOptions(budget), progress=progress)

    @staticmethod
    def evaluate_chunking(
        paths: Iterable[Path | str] | Path | str,
        wanted: Any,
        *,
        budget: float | None = None,
        progress: Progress = show_progress,
    ) -> Result:
        """Measure chunkers on documents, as ``wanted``, a ``ChunkEvaluation``, says.

        What is counted and what a model judges stand apart.
        """
        from autokb.pipeline.model_session import ModelOptions

        files = [Path(p) for p in listed(paths)]
        report: Result = _namespace("lab").chunking(files, wanted, progress, ModelOptions(budget))
        return report

    # -- what is held in memory --------------------------------------------------------------------

    def load(self) -> None:
        """Put what is published into memory, so that no question waits for it (NothingPublishedError)."""
        self._memory.load()

    @property
    def is_loaded(self) -> bool:
        """Whether questions are answered from memory already."""
        return self._memory.held_index is not None

    @property
    def is_behind(self) -> bool:
        """Whether something was published or decided that ``follow`` would load; that is looked up, not loaded."""
        return self._memory.is_behind

    def follow(self) -> bool:
        """Load what was published since the last call, beside; no question looks or waits for it from then on.

        Who serves calls this every second or so. Returns whether there was something new.
        """
        return self._memory.follow()

    def watch_store(self, wake: Callable[[], None], rates: SharedRates) -> StoreWatch | None:
        """Share keys and rates with processes on other machines, and ``wake`` when one of them publishes.

        None where the store is a file, which is looked at instead. Who serves closes the watch at the end.
        """
        if not self.workspace.is_on_server:
            return None
        from autokb.app.store_watch import StoreWatch

        return StoreWatch(self._memory, wake, rates)

    def warm_languages(self) -> None:
        """Load what the first question in another language would wait for, where that is installed."""
        self._memory.warm_languages()

    def close(self) -> None:
        """Let go of what is held in memory; what a thread still works with is closed when that has ended."""
        self._memory.close()
