"""A workspace is a folder with ``domain.yaml``, ``settings.yaml`` and ``knowledge.db``."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autokb.core.domain import DomainSpec, read_domain
from autokb.core.errors import AutokbError, BadInputError, UnwritableWorkspaceError, WorkspaceBusyError
from autokb.core.files import PRIVATE, read_regular_file
from autokb.core.settings import Settings, read_settings
from autokb.core.storable import without_surrogates
from autokb.core.yaml_text import MOST_CHARACTERS, parse_yaml
from autokb.stores.database import check_is_ours, failures_as_sentences
from autokb.stores.store import Store, store_of
from autokb.stores.versions import Made
from autokb.stores.workspace_file import WorkspaceFile

DOMAIN_FILE = "domain.yaml"
SETTINGS_FILE = "settings.yaml"
KNOWLEDGE_FILE = "knowledge.db"
MODES = ("economical", "paper")
LOCK_FILE = ".build.lock"
STAGING_FOLDER = ".autokb-init"  # where a new workspace is made before its files are moved into its folder
MOVING_FOLDER = ".autokb-moving"  # where those of one that is moved here lie until all of them are whole
DEFAULT_SETTINGS = """\
# Everything here is optional; environment variables such as AUTOKB_MODEL override it.
model: offline        # offline | openai:NAME | anthropic:NAME | ...
embedder: packaged    # packaged | openai:NAME | local:FOLDER
reranker: none        # none | local:FOLDER (a cross-encoder in ONNX) | http:URL (a server's /rerank)
chunker: fixed        # fixed | headings | auto_chunker | semantic | llm_semantic | lumber_chunker
                      # | recursive (by the kind of a document) | recursive_text | recursive_html | recursive_markdown
answer:
  caution: 0.5        # a question that is on topic with a lower probability is not answered
"""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder and what its two YAML files say."""

    folder: Path
    spec: DomainSpec
    settings: Settings
    domain_text: str
    mode: str = "economical"
    model: str = ""  # what the caller named instead of the settings' model
    shows: str = ""  # a version by its number, or the candidate, in the place of what readers see

    @property
    def knowledge_path(self) -> Path:
        """Where the truth lies."""
        return self.folder / KNOWLEDGE_FILE

    def reopened(self) -> Workspace:
        """Return the workspace as its files are now, opened in the same way."""
        return open_workspace(self.folder, model=self.model, mode=self.mode, shows=self.shows)

    def of(self, shows: str) -> Workspace:
        """Return the workspace as a version, by its number, or as the candidate."""
        return replace(self, shows=shows)

    def publication_by(self, by: str, inputs: Mapping[str, str] | None = None) -> Made:
        """Return who publishes, now, and how many versions the settings keep."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return Made(by, now, self.settings.keep_versions, dict(inputs or {}))

    def copied_to(self, folder: Path) -> Workspace:
        """Return the workspace as it will be as a file in another folder, wherever it is kept now."""
        return replace(self, folder=folder, settings=replace(self.settings, store=""))

    @property
    def is_on_server(self) -> bool:
        """Whether a server keeps the workspace, and not a file in its folder."""
        return bool(self.settings.store)

    @property
    def store(self) -> Store:
        """What keeps a workspace that is on a server (BadInputError: nothing knows its address)."""
        return store_of(self.settings.store)

    def open_file(self) -> WorkspaceFile:
        """Open the knowledge file; whoever opens it closes it."""
        return WorkspaceFile(self.knowledge_path, shows=self.shows, url=self.settings.store)

    def let_go(self) -> None:
        """Close the connections that this process keeps open to a server for later, where one keeps the workspace."""
        if self.is_on_server:
            self.store.let_go()

    @contextmanager
    def file(self) -> Iterator[WorkspaceFile]:
        """Open the knowledge file for the length of a block."""
        with failures_as_sentences(self.knowledge_path), closing(self.open_file()) as file:
            yield file

    def build_lock(self) -> AbstractContextManager[None]:
        """Hold the one build that a workspace may have; the system frees it when the process dies."""
        busy = f"Another build is at work in {self.folder.name}"
        return self.store.build_lock(busy) if self.is_on_server else one_at_a_time(self.folder / LOCK_FILE, busy)


def create_workspace(folder: Path, domain_text: str, settings_text: str = DEFAULT_SETTINGS) -> Workspace:
    """Make a new workspace; a folder that is one already is refused and left as it is."""
    with new_workspace(folder, domain_text, settings_text):
        pass
    return open_workspace(folder)


@contextmanager
def new_workspace(folder: Path, domain_text: str, settings_text: str = DEFAULT_SETTINGS) -> Iterator[Workspace]:
    """Give a new workspace to be filled; it stands in its folder when the block has ended, and not at all if it fails.

    A folder that is a workspace already is refused (BadInputError). What an ``init`` that was killed left is completed:
    a ``domain.yaml`` or ``settings.yaml`` that is there stays.
    """
    read_domain(_parse_domain(domain_text))
    _check_free(folder, domain_text)
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(folder / LOCK_FILE, f"Another command is at work in {folder}"):
            _check_free(folder, domain_text)
            staging = folder / STAGING_FOLDER
            try:
                shutil.rmtree(staging, ignore_errors=True)  # of an ``init`` that was killed
                staging.mkdir(mode=0o700)
                (staging / DOMAIN_FILE).write_text(domain_text, encoding="utf-8")
                (staging / SETTINGS_FILE).write_text(settings_text, encoding="utf-8")
                if not settings_from(staging / SETTINGS_FILE).store:
                    WorkspaceFile(staging / KNOWLEDGE_FILE, create=True).close()
                yield open_workspace(staging)
                for name in (DOMAIN_FILE, SETTINGS_FILE, KNOWLEDGE_FILE):  # the last one makes it a workspace
                    if (staging / name).exists() and not (folder / name).exists():
                        (staging / name).replace(folder / name)
            finally:
                shutil.rmtree(staging, ignore_errors=True)
    except BaseException as error:
        if made:  # nobody else's lock yet
            (folder / LOCK_FILE).unlink(missing_ok=True)
            with suppress(OSError):  # somebody else put something there
                folder.rmdir()
        if isinstance(error, OSError):
            raise AutokbError(
                f"{folder} cannot be made a workspace ({error.strerror}); nothing was. Free some disk space, or choose "
                "a folder that you can write to."
            ) from error
        raise


def _check_free(folder: Path, domain_text: str) -> None:
    """Refuse a folder that is a workspace, or has another ``domain.yaml`` than the new one is to have."""
    if folder.exists() and not folder.is_dir():
        raise BadInputError(f"{folder} is a file; name a folder for the workspace.")
    knowledge, domain = folder / KNOWLEDGE_FILE, folder / DOMAIN_FILE
    if os.path.lexists(knowledge):
        with failures_as_sentences(knowledge):
            check_is_ours(knowledge)
        if not domain.exists():
            raise BadInputError(_domain_is_gone(folder))
        raise BadInputError(
            f"{folder} is a workspace already; choose another folder, or go on with: "
            f"autokb add {shlex.quote(str(folder))} ... (in Python: SupportKB.open)"
        )
    if domain.exists() and read_yaml_file(domain) != domain_text:
        raise BadInputError(
            f"{folder} has a {DOMAIN_FILE} of its own; leave --domain out to make a workspace with it, or move it away."
        )


def _no_workspace(folder: Path) -> str:
    return f"{folder} is no workspace; make one with: autokb init {shlex.quote(str(folder))}"


def _knowledge_is_gone(folder: Path) -> str:
    """Say how a workspace gets its ``knowledge.db`` again."""
    return (
        f"{folder} has its {DOMAIN_FILE}, and its {KNOWLEDGE_FILE} is gone; restore your backup of it, or begin an "
        f"empty one beside your {DOMAIN_FILE}: autokb init {shlex.quote(str(folder))}"
    )


def _domain_is_gone(folder: Path) -> str:
    """Say how a workspace gets its ``domain.yaml`` again."""
    domain = shlex.quote(str(folder / DOMAIN_FILE))
    return (
        f"{folder} is a workspace whose {DOMAIN_FILE} is gone; put a copy back, or write a new one, of which one line "
        f"is enough (echo 'name: NAME' > {domain}); a shipped one comes with: autokb init NEW_FOLDER --domain NAME"
    )


def open_workspace(folder: Path, *, model: str = "", mode: str = "economical", shows: str = "") -> Workspace:
    """Open an existing workspace (BadInputError when it is none or its YAML is wrong).

    ``model`` overrides that of the settings; ``mode`` says how a model is asked and changes nothing offline. It is read
    as a version, by its number, or as the candidate where it ``shows`` one of them.
    """
    if mode not in MODES:
        raise BadInputError(f"--mode takes {' or '.join(MODES)}, not {mode!r}.")
    domain, knowledge = folder / DOMAIN_FILE, folder / KNOWLEDGE_FILE
    settings_file = folder / SETTINGS_FILE
    settings = settings_from(settings_file if settings_file.exists() else None, model)
    if not (settings.store or knowledge.exists()):
        if (folder / MOVING_FOLDER).exists():
            raise BadInputError(f"A workspace is being moved to {folder}; if that was stopped, run autokb move again.")
        raise BadInputError(_knowledge_is_gone(folder) if domain.exists() else _no_workspace(folder))
    if not domain.exists():
        raise BadInputError(_domain_is_gone(folder))
    text = read_yaml_file(domain)
    return Workspace(
        folder=folder,
        spec=read_domain(_parse_domain(text)),
        settings=settings,
        domain_text=text,
        mode=mode,
        model=model,
        shows=shows,
    )


@contextmanager
def one_at_a_time(lock_file: Path, busy: str, wait: float = 0) -> Iterator[None]:
    """Hold a lock that the system frees when the process dies; WorkspaceBusyError begins with ``busy``.

    ``wait`` is for how many seconds others are waited for.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(lock_file, timeout=wait, mode=PRIVATE)
    try:
        lock.acquire()
    except Timeout as error:
        raise WorkspaceBusyError(f"{busy}; wait until it has ended and run this again.") from error
    except OSError as error:
        raise UnwritableWorkspaceError(
            f"{lock_file.parent} cannot be written ({error.strerror}); make the folder writable."
        ) from error
    try:
        yield
    finally:
        lock.release()


def settings_from(file: Path | None, model: str = "") -> Settings:
    """Read the settings of a file (none: the defaults); the environment and then ``model`` override them."""
    text = "" if file is None else read_yaml_file(file)
    environment = {**os.environ, **({"AUTOKB_MODEL": model} if model else {})}
    cleaned = {name: without_surrogates(value) for name, value in environment.items()}
    return read_settings(parse_yaml(text, SETTINGS_FILE), cleaned, text)


def _parse_domain(text: str) -> Any:
    """Parse a ``domain.yaml``; one that somebody emptied, or that was cut before it names its domain, is refused."""
    data = parse_yaml(text, DOMAIN_FILE)
    if data in (None, {}) or (isinstance(data, dict) and "name" in data and data["name"] in (None, "")):
        raise BadInputError(
            f"{DOMAIN_FILE} is empty or cut off, so rules may be missing; restore your backup of it, or write at least "
            "the domain's name: name: NAME"
        )
    return data


def read_yaml_file(path: Path, name: str = "") -> str:
    """Return the text of a file in YAML, called ``name``; BadInputError where it is none, or longer than is read."""
    name = name or path.name
    try:
        data = read_regular_file(path, MOST_CHARACTERS * 4)  # bytes of a character at most
        if data is None:
            raise BadInputError(f"{name} is larger than {MOST_CHARACTERS:,} characters, the most that are read.")
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise BadInputError(
            f"{name} cannot be read ({error.strerror}); see that it is a file, there and readable."
        ) from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{name} is no UTF-8 text; save it as such.") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")
