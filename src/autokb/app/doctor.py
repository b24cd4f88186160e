"""What a person pastes into an issue: versions, encoder, store, disk, settings, model, speed; nobody's secrets."""

from __future__ import annotations

import os
import platform
import re
import shutil
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from autokb import __version__
from autokb.app.api_keys import list_keys
from autokb.app.plugins import out_of_reach
from autokb.app.private_words import PrivateWords
from autokb.core.errors import AutokbError, AutokbWarning, BadEntryError, NothingPublishedError
from autokb.core.plugins import at_fault, call, lines_of, plugins
from autokb.core.results import Result
from autokb.core.settings import NO_RERANKER, OFFLINE_MODEL, OVERRIDABLE, AskSettings, Settings, section_of
from autokb.llm.keys import VARIABLES
from autokb.stores.database import RESTORE
from autokb.stores.health import look_at_file
from autokb.stores.schema import EARLIER
from autokb.stores.store import StoreHealth, store_of
from autokb.stores.workspace import KNOWLEDGE_FILE, SETTINGS_FILE, Workspace, open_workspace, settings_from

if TYPE_CHECKING:
    from autokb.llm.free_request import FreeReply

NOT_HERE = "is not set here (a service has an environment of its own); where it is not set,"
LIBRARIES = ("numpy", "scikit-learn", "onnxruntime", "tokenizers", "pydantic", "pydantic-ai-slim", "fastapi", "psycopg")
# Variables beside those of models and those that the settings name.
OTHERS = ("AUTOKB_ENCODER_THREADS", "RERANKER_API_KEY", "PGPASSWORD")
DEVELOPERS = ("test", "check", "bench")  # extras that nobody installs to use autokb
# Of twelve words each, as those that the figures below are of.
QUESTIONS = [
    f"Why does {what} not switch on after a night on charge?" for what in ("it", "this", "mine", "that", "one")
]
# Seconds on two cores (benchmarks/results/ask.json: 7000.first_ask, 12_words.p50, 12_words.embedding_alone_p50). Both
# opening and answering take longer with more solutions, as the figures of 70,000 say. Of several runs the fastest is
# compared with them, so that what else runs for a moment counts for little.
OPENING, ANSWERING, ENCODING = 1.6, 0.0084, 0.0046
SOLUTIONS = 7_000  # of that knowledge base
SLOW = 5  # times as long as there is called slow: other machines, and what else runs, make a factor of two or three
HINT = "autokb plan WORKSPACE shows the words that are hidden here."
IN_SETTINGS = "The words that are hidden here stand in settings.yaml, or in a variable whose name begins with AUTOKB_."
SPARE = 200 * 2**20  # bytes that a disk should have left beside a second copy of the workspace, as a vacuum makes one


@dataclass(frozen=True, slots=True)
class Timed(Result):
    """How long something took, and usually takes on two cores; both in seconds."""

    what: str
    seconds: float
    usual: float

    @property
    def is_slow(self) -> bool:
        """Whether it took several times as long as usual."""
        return self.seconds > SLOW * self.usual


@dataclass(frozen=True, slots=True)
class ModelHealth(Result):
    """A model that the settings name; ``key`` is the variable that holds its key, ``answer`` what it said for free."""

    model: str
    key: str
    has_key: bool
    answer: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence of a plug-in, and whether it is of a problem; ``ids`` that hold no word of anybody follow it."""

    sentence: str
    is_problem: bool
    ids: str = ""


@dataclass(slots=True)
class Doctor(Result):
    """How a workspace and what it runs on are. Names of settings and variables, never what they are set to.

    ``exit_status`` is that of the first of ``problems``; what stands in ``notes`` stops nothing. ``not_read`` are the
    parts that could not be looked at, which are empty here. ``hint`` says what shows the words that are hidden here.
    """

    versions: dict[str, str] = field(default_factory=dict)
    extras: dict[str, bool] = field(default_factory=dict)
    encoder: str = ""
    store: StoreHealth | None = None
    published: dict[str, int] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    free_bytes: dict[str, int] = field(default_factory=dict)
    settings: list[str] = field(default_factory=list)
    environment: list[str] = field(default_factory=list)
    models: list[ModelHealth] = field(default_factory=list)
    speed: list[Timed] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    not_read: list[str] = field(default_factory=list)
    hint: str = ""
    exit_status: int = 0


class Asked(Protocol):
    """A knowledge base whose answers are timed."""

    def ask(self, text: str, *, log: bool) -> object:
        """Answer a question."""

    def close(self) -> None:
        """Let go of what was opened."""


def examine(opened: Callable[[Workspace], Asked], folder: Path, *, online: bool = False) -> Doctor:
    """Look at a workspace, also at one that does not open, and say what is wrong; nothing is changed.

    Only ``online`` anything is sent: the request for a list of models, which costs nothing.
    """
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", AutokbWarning)
        found = _Examination(opened, folder).run(online=online)
    for sentence in dict.fromkeys(str(one.message) for one in warned if issubclass(one.category, AutokbWarning)):
        found.tell(sentence)  # once, however many questions were asked
    return found.doctor


class _Examination:
    """The steps, none of which ends another one."""

    def __init__(self, opened: Callable[[Workspace], Asked], folder: Path) -> None:
        self.opened, self.folder = opened, folder
        self.doctor = Doctor()
        self.workspace: Workspace | None = None
        self.settings = Settings()
        self.not_read = {"settings", "models", "store", "published", "keys"}
        self.private = PrivateWords(folder, self.settings)

    def run(self, *, online: bool) -> _Examination:
        """Take all steps."""
        found = self.doctor
        found.versions, found.extras = _versions(), _extras()
        with suppress(AutokbError):  # which opening the workspace tells
            here = self.folder / SETTINGS_FILE
            self.settings = settings_from(here if here.exists() else None)
            self.not_read -= {"settings", "models", "store"}
        self.private = PrivateWords(self.folder, self.settings)
        with self._step():
            self.workspace = open_workspace(self.folder)
        self._look_at_settings()
        self._check_settings()
        with self._step():
            self._look_at_store()
        with self._step():
            self._look_at_disk()
        with self._step():
            self._time_encoder()
        is_whole = self.workspace and found.store and found.store.is_current and found.store.intact is not False
        if is_whole and self.workspace:
            with self._step():
                self._look_inside(self.workspace)
                self.not_read -= {"published", "keys"}
            with self._step():
                self._ask(self.workspace)
        self._ask_plugins(self.workspace if is_whole else None)
        self._look_at_models(online=online)
        for one in found.speed:
            if one.is_slow:
                self.tell(f"{one.what} is slow: more than {SLOW} times what it takes on two cores.")
        found.not_read = sorted(self.not_read - ({"store"} if found.store else set()))
        return self

    @contextmanager
    def _step(self) -> Iterator[None]:
        """Make a problem of what fails inside."""
        try:
            yield
        except BadEntryError as error:
            self._blame(error.without_values, error.exit_status)  # whose examples of ours are not to be hidden
            if error.without_values != str(error):
                self.doctor.hint = HINT
        except AutokbError as error:
            self._blame(self.private.hide(str(error)), error.exit_status)
        except OSError as error:
            said = f"{error.strerror or type(error).__name__}: {error.filename or ''}"
            self._blame(self.private.hide(said), 1)
        except Exception as error:  # of which no text is safe to be shown
            fault = f"This is a fault in autokb ({type(error).__name__}); please report it."
            self._blame(self.private.hide(at_fault(error)) or fault, 1)

    def _blame(self, sentence: str, status: int) -> None:
        if sentence not in self.doctor.problems:  # a setting is read in more than one step
            self.doctor.problems.append(sentence)
        self.doctor.exit_status = self.doctor.exit_status or status

    def tell(self, sentence: str) -> None:
        """Note what stops nothing."""
        self.doctor.notes.append(self.private.hide(sentence))

    def _look_at_settings(self) -> None:
        usual = asdict(Settings())
        self.doctor.settings = [name for name, value in asdict(self.settings).items() if value != usual[name]]
        self.doctor.environment = [name for name in _variables(self.settings) if os.environ.get(name, "").strip()]
        for sentence in filter(None, (desk.missing_variables(NOT_HERE) for desk in self.settings.helpdesks.values())):
            self.tell(sentence)

    def _check_settings(self) -> None:
        """Check what a build and ``sync`` would refuse and no other step here reads."""
        from autokb.pipeline.executors import check_executor
        from autokb.pipeline.model_choice import check_chunking, named_models
        from autokb.pipeline.reranking import check_reranker

        with self._step():
            check_chunking(self.settings)
        with self._step():
            check_reranker(self.settings.reranker)
        with self._step():
            check_executor(self.settings.executor)
        with self._step():
            named_models(self.settings)
        for number, source in enumerate(self.settings.sources.values(), 1):
            with self._step():
                if source.type == "folder" and not source.place_on_disk(self.folder).exists():
                    self._blame(
                        f"settings.yaml: the folder of source {number} of sources: does not exist; mount it, or mend "
                        "its path. autokb sync names it.",
                        1,
                    )

    def _ask_plugins(self, workspace: Workspace | None) -> None:
        """Say which plug-ins do not load and what lacks them, and what each says of a workspace that can be read."""
        for sentence in plugins().problems:
            self.tell(sentence)
        with self._step():
            for sentence in out_of_reach(workspace) if workspace else ():
                self.tell(sentence)
        for plugin in plugins():
            with self._step():
                if plugin.settings:
                    section_of(self.settings, plugin.name)
            with self._step():
                if plugin.doctor and workspace:
                    for line in lines_of(plugin.name, plugin.doctor, workspace):
                        self.tell(f"{plugin.name}: {line}")

    def _look_at_store(self) -> None:
        file = self.folder / KNOWLEDGE_FILE
        if not self.settings.store and not os.path.lexists(file):
            return  # no workspace, which is told already
        store = store_of(self.settings.store).health() if self.settings.store else look_at_file(file)
        # Both are texts of a file that may be anybody's.
        program = store.written_by if re.fullmatch(r"[0-9][\w.+!-]{0,40}", store.written_by) else "another version"
        number = store.schema if re.fullmatch(r"[0-9]{1,4}", store.schema) else "unknown"
        self.doctor.store = store = replace(store, schema=number, written_by=program)
        self._judge(store)

    def _judge(self, store: StoreHealth) -> None:
        if store.busy:
            self.tell(f"The workspace is in use: {store.busy}.")
        if not store.writable:
            self.tell("The workspace cannot be written here: it can be asked, but not built or edited.")
        if store.intact is False:
            self._blame(f"{KNOWLEDGE_FILE} is damaged: SQLite's check of its pages and indexes failed; {RESTORE}.", 1)
        elif store.schema in EARLIER and not self.settings.store:
            self.tell(f"The tables are of version {store.schema}; the next command brings them up to date.")
        elif not store.is_current and self.workspace:
            self.workspace.open_file().close()  # which says what to install

    def _look_at_disk(self) -> None:
        there = next(one for one in (self.folder.absolute(), *self.folder.absolute().parents) if one.exists())
        size = self.doctor.store.bytes if self.doctor.store else 0
        for name, place in (("workspace", there), ("temporary files", Path(tempfile.gettempdir()))):
            free = self.doctor.free_bytes[name] = shutil.disk_usage(place).free
            if free < size + SPARE:
                self.tell(f"The disk of the {name} is nearly full: {free // 2**20} MiB are free.")

    def _time_encoder(self) -> None:
        from autokb.llm.embedders.packaged import check_files
        from autokb.pipeline.embedding import PACKAGED, open_free_embedder, read_embedder_name

        name = read_embedder_name(self.settings.embedder)
        if name.is_paid:
            self.doctor.encoder = self.private.hide(f"{self.settings.embedder} (over the network, not timed)")
            return
        if name.kind == PACKAGED:
            check_files()
        embedder = open_free_embedder(name)
        embedder.embed(QUESTIONS[:1])  # which loads it; the vectors of the last question are kept
        self.doctor.encoder = self.private.hide(embedder.name)
        if name.kind == PACKAGED:  # of no other is known how long it takes
            seconds = [_seconds(lambda text: embedder.embed([text]), text) for text in QUESTIONS[1:]]
            self.doctor.speed.append(Timed("Encoding a question", round(min(seconds), 6), ENCODING))

    def _look_inside(self, workspace: Workspace) -> None:
        with workspace.file() as file:
            self.doctor.published = file.counts_of("")
            if file.has_candidate:
                self.tell("A candidate is waiting: run autokb publish or autokb discard.")
            for plugin in plugins():
                for one in call(plugin.name, plugin.findings, file, self.settings) if plugin.findings else ():
                    said = self.private.hide(one.sentence) + one.ids
                    if one.is_problem:
                        self._blame(said, 1)
                    else:
                        self.doctor.notes.append(said)
        listed = list_keys(workspace).keys
        self.doctor.keys = dict(Counter("revoked" if one.revoked else one.role for one in listed))

    def _ask(self, workspace: Workspace) -> None:
        """Time what a reader waits for; no model and no server is asked for it."""
        from autokb.pipeline.embedding import read_embedder_name

        settings = replace(self.settings, ask=AskSettings())
        if read_embedder_name(settings.embedder).is_paid or settings.reranker.startswith("http"):
            self.tell("Questions are not timed: a server is asked for each of them.")
            return
        kb = self.opened(replace(workspace, settings=settings))
        solutions = self.doctor.published.get("solution", 0)
        more = max(1.0, solutions / SOLUTIONS)
        try:
            opening, *later = (_seconds(lambda text: kb.ask(text, log=False), text) for text in QUESTIONS)
        except NothingPublishedError:
            self.tell("Nothing is published yet; autokb build publishes.")
            return
        finally:
            kb.close()
        self.doctor.speed.append(Timed("The first question of a process", round(opening, 6), OPENING * more))
        usual = ANSWERING * (1 + (more - 1) / 7.5)
        if settings.reranker == NO_RERANKER:
            self.doctor.speed.append(Timed("A later question", round(min(later), 6), usual))

    def _look_at_models(self, *, online: bool) -> None:
        from autokb.pipeline.embedding import read_embedder_name

        named = {self.settings.model, self.settings.ask.model, *self.settings.tasks.values()} - {OFFLINE_MODEL}
        with suppress(AutokbError):
            named |= {read_embedder_name(self.settings.embedder).price_key} - {""}
        for model in sorted(named):
            with self._step():
                self._look_at_model(model, online=online)

    # Complex: what is wrong with a name, a key and a server is said of the same model.
    def _look_at_model(self, model: str, *, online: bool) -> None:
        from autokb.llm.free_request import REFUSED, ask_for_models
        from autokb.llm.keys import variable_of
        from autokb.llm.providers import check_provider

        provider = model.partition(":")[0]
        names = VARIABLES.get(provider, (variable_of(provider),))
        key = next((one for one in names if os.environ.get(one, "").strip()), "")
        shown = self.private.hide(model)
        answer = "not asked (--online does, at no cost)"
        try:
            check_provider(model, self.settings.base_url)
        except BadEntryError as error:  # nothing is known of what somebody wrote there, so nothing of it is shown
            self._blame(error.without_values, error.exit_status)
            self.doctor.hint = self.doctor.hint or IN_SETTINGS
            return
        except AutokbError as error:
            self._blame(self.private.hide(str(error)), error.exit_status)
            if shown != model:
                self.doctor.hint = self.doctor.hint or IN_SETTINGS
        else:
            if online:
                reply = ask_for_models(model, self.settings.base_url)
                answer = _answer(reply)
                if reply is not None and not reply.status:
                    self._blame(f"The server of {shown} did not answer; see the network, and base_url if it is set.", 1)
                elif reply is not None and reply.status in REFUSED:
                    self._blame(f"{names[0]} was refused for {shown}; set a key that may use it.", 2)
        self.doctor.models.append(ModelHealth(shown, key or names[0], bool(key), answer))


def _answer(reply: FreeReply | None) -> str:
    if reply is None:
        return "no free request is known"
    if not reply.status:
        return "no reply"
    listed = {True: ", lists the model", False: ", does not list the model", None: ""}[reply.listed]
    return f"HTTP {reply.status} after {reply.seconds:.1f} s{listed}"


def _variables(settings: Settings) -> dict[str, None]:
    """Return the names of the variables that are read here, those that the settings name at the end."""
    ours = [f"AUTOKB_{name.upper()}" for name in OVERRIDABLE]
    models = [one for names in VARIABLES.values() for one in names]
    desks = [name for one in settings.helpdesks.values() for name in (one.secret_env, one.token_env)]
    sources = [one.token_env for one in settings.sources.values()]
    return dict.fromkeys([*ours, *OTHERS, *models, *desks, *sources])


def _seconds(work: Callable[[str], object], text: str) -> float:
    started = time.perf_counter()
    work(text)
    return time.perf_counter() - started


def _versions() -> dict[str, str]:
    libc = " ".join(filter(None, platform.libc_ver()))
    found = {
        "autokb": __version__,
        "Python": platform.python_version(),
        "system": " ".join(filter(None, (platform.system(), platform.machine(), libc))),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
    }
    for name in LIBRARIES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _extras() -> dict[str, bool]:
    """Return which extras are installed, as the metadata of this installation names them."""
    packages: dict[str, list[str]] = {}
    with suppress(PackageNotFoundError):
        for line in requires("autokb") or ():
            name = re.match(r"[\w.-]+", line)
            extra = re.search(r"""extra == ['"]([\w-]+)['"]""", line)
            if name and extra and extra[1] not in DEVELOPERS:
                packages.setdefault(extra[1], []).append(name[0])
    return {extra: all(map(_is_installed, names)) for extra, names in sorted(packages.items())}


def _is_installed(name: str) -> bool:
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False
