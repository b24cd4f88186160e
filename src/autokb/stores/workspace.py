"""A workspace is a folder with ``domain.yaml``, ``settings.yaml`` and ``knowledge.db``."""

from __future__ import annotations

import os
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autokb.core.domain import DomainSpec, read_domain
from autokb.core.errors import AutokbError, BadInputError, WorkspaceBusyError
from autokb.core.settings import Settings, read_settings
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.storable import without_surrogates

DOMAIN_FILE = "domain.yaml"
SETTINGS_FILE = "settings.yaml"
KNOWLEDGE_FILE = "knowledge.db"
MODES = ("economical", "paper")
LOCK_FILE = ".build.lock"
NUMBER_CHARACTERS = 80  # of a whole number in YAML; 64 bits have that many when written as bits
DEFAULT_SETTINGS = """\
# Everything here is optional; environment variables such as AUTOKB_MODEL override it.
model: offline        # offline | openai:NAME | anthropic:NAME | ...
embedder: packaged    # packaged | openai:NAME | local:FOLDER
chunker: fixed        # fixed | headings | auto_chunker | semantic | llm_semantic | lumber_chunker
                      # | recursive (by the kind of a document) | recursive_text | recursive_html | recursive_markdown
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

    @property
    def knowledge_path(self) -> Path:
        """Where the truth lies."""
        return self.folder / KNOWLEDGE_FILE

    def reopened(self) -> Workspace:
        """Return the workspace as its files are now, opened in the same way."""
        return open_workspace(self.folder, model=self.model, mode=self.mode)

    @contextmanager
    def file(self) -> Iterator[WorkspaceFile]:
        """Open the knowledge file for the length of a block."""
        file = WorkspaceFile(self.knowledge_path)
        try:
            yield file
        except sqlite3.DatabaseError as error:
            raise AutokbError(
                f"{self.knowledge_path} cannot be read ({error}); if it is damaged, import your last export into a new "
                "workspace."
            ) from error
        finally:
            file.close()

    @contextmanager
    def build_lock(self) -> Iterator[None]:
        """Hold the one build that a workspace may have; the system frees it when the process dies."""
        with one_at_a_time(self.folder / LOCK_FILE, f"Another build is at work in {self.folder.name}"):
            yield


def create_workspace(folder: Path, domain_text: str, settings_text: str = DEFAULT_SETTINGS) -> Workspace:
    """Make a new workspace; a folder that is one already is refused and left as it is."""
    if (folder / KNOWLEDGE_FILE).exists() or (folder / DOMAIN_FILE).exists():
        command = f"autokb add {shlex.quote(str(folder))} ..."
        raise BadInputError(f"{folder} is a workspace already; choose another folder, or go on with: {command}")
    if folder.exists() and not folder.is_dir():
        raise BadInputError(f"{folder} is a file; name a folder for the workspace.")
    read_domain(parse_yaml(domain_text, DOMAIN_FILE))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / DOMAIN_FILE).write_text(domain_text, encoding="utf-8")
        (folder / SETTINGS_FILE).write_text(settings_text, encoding="utf-8")
    except OSError as error:
        raise AutokbError(
            f"{folder} cannot be made ({error.strerror}); choose a folder that you can write to."
        ) from error
    WorkspaceFile(folder / KNOWLEDGE_FILE, create=True).close()
    return open_workspace(folder)


def open_workspace(folder: Path, *, model: str = "", mode: str = "economical") -> Workspace:
    """Open an existing workspace (BadInputError when it is none or its YAML is wrong).

    ``model`` overrides that of the settings; ``mode`` says how a model is asked and changes nothing offline.
    """
    if mode not in MODES:
        raise BadInputError(f"--mode takes {' or '.join(MODES)}, not {mode!r}.")
    domain = folder / DOMAIN_FILE
    if not (folder / KNOWLEDGE_FILE).exists() or not domain.exists():
        raise BadInputError(f"{folder} is no workspace; make one with: autokb init {shlex.quote(str(folder))}")
    settings = folder / SETTINGS_FILE
    text = _text_of(domain)
    return Workspace(
        folder=folder,
        spec=read_domain(parse_yaml(text, DOMAIN_FILE)),
        settings=settings_from(settings if settings.exists() else None, model),
        domain_text=text,
        mode=mode,
        model=model,
    )


@contextmanager
def one_at_a_time(lock_file: Path, busy: str) -> Iterator[None]:
    """Hold a lock that the system frees when the process dies; WorkspaceBusyError begins with ``busy``."""
    from filelock import FileLock, Timeout

    lock = FileLock(lock_file, timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise WorkspaceBusyError(f"{busy}; wait until it has ended and run this again.") from error
    except OSError as error:
        raise AutokbError(
            f"{lock_file.parent} cannot be written ({error.strerror}); make the folder writable."
        ) from error
    try:
        yield
    finally:
        lock.release()


def settings_from(file: Path | None, model: str = "") -> Settings:
    """Read the settings of a file (none: as they come); the environment and then ``model`` override them."""
    data = None if file is None else parse_yaml(_text_of(file), file.name)
    environment = {**os.environ, **({"AUTOKB_MODEL": model} if model else {})}
    return read_settings(data, {name: without_surrogates(value) for name, value in environment.items()})


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadInputError(
            f"{path.name} cannot be read ({error.strerror}); see that it is a file, there and readable."
        ) from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path.name} is no UTF-8 text; save it as such.") from error


def parse_yaml(text: str, name: str) -> Any:
    """Parse YAML in which Yes, No, On and 1.10 stay the words they are, as attribute values must."""
    import yaml

    class LiteralLoader(yaml.SafeLoader):
        """A safe loader that resolves whole numbers and null only, and knows texts, lists and mappings beside them."""

        def construct_scalar(self, node: Any) -> Any:
            """Return a scalar's text without halves of characters, which a quoted scalar may escape."""
            return without_surrogates(super().construct_scalar(node))

        def construct_yaml_int(self, node: Any) -> int:
            """Return a whole number that fits into 64 bits."""
            if len(node.value) <= NUMBER_CHARACTERS and abs(number := int(super().construct_yaml_int(node))) < 2**63:
                return number
            raise yaml.constructor.ConstructorError(None, None, "the number is too large", node.start_mark)

    kept = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:null", "tag:yaml.org,2002:merge")
    resolvers = {
        first: [(tag, pattern) for tag, pattern in found if tag in kept]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    LiteralLoader.yaml_implicit_resolvers = resolvers
    plain = {f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map", "null")}
    makers = {tag: make for tag, make in yaml.SafeLoader.yaml_constructors.items() if tag is None or tag in plain}
    LiteralLoader.yaml_constructors = {**makers, "tag:yaml.org,2002:int": LiteralLoader.construct_yaml_int}
    try:
        return yaml.load(text, Loader=LiteralLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        place = getattr(error, "problem_mark", None)
        where = f" in line {place.line + 1}" if place else ""
        raise BadInputError(f"{name} is no valid YAML{where}: {getattr(error, 'problem', None) or error}.") from error
