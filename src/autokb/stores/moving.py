"""A workspace moved from its folder to a server, or back: nothing is switched over until all is equal.

What is filled lies beside its place, in a schema or a folder of its own, so that half a copy is never taken for whole.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.files import replace_private
from autokb.core.ids import digest
from autokb.core.progress import Progress, silent
from autokb.core.results import Result
from autokb.core.settings import read_settings
from autokb.core.yaml_text import parse_yaml
from autokb.stores.database import failures_as_sentences
from autokb.stores.plugin_tables import migrations_of, noted_plugins, update_tables
from autokb.stores.store import Store, an_address, is_address, store_of
from autokb.stores.table_copies import (
    Table,
    Told,
    all_tables,
    copy_table,
    count_rows,
    empty_table,
    fingerprint,
    read_bytes_as_text,
)
from autokb.stores.workspace import (
    DOMAIN_FILE,
    KNOWLEDGE_FILE,
    LOCK_FILE,
    MOVING_FOLDER,
    SETTINGS_FILE,
    Workspace,
    one_at_a_time,
    read_yaml_file,
)
from autokb.stores.workspace_file import WorkspaceFile

TICKET = ".autokb-move"  # in a folder that is moved to a server: whose copy the schema is
MOVED = ".moved"  # ends the name of what is no longer the truth
_STORE = re.compile(r"^store[ \t]*:.*(?:\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Moved(Result):
    """The rows of each table, where they are now (a URL without its password, or a folder), and what is ``left``."""

    tables: Mapping[str, int]
    to: str
    seconds: float
    left: str

    def as_json(self) -> dict[str, Any]:
        """Return the contract's shape."""
        return {"tables": dict(self.tables), "to": self.to, "seconds": self.seconds}


def move(workspace: Workspace, to: str, progress: Progress = silent) -> Moved:
    """Copy a workspace to a server or into a new folder, compare both, and switch over (BadInputError, AutokbError).

    A move that was killed goes on when it is called again.
    """
    start = time.monotonic()
    is_url = is_address(to)
    if not is_url and "://" in to:
        raise BadInputError(f"--to takes {an_address()}, or a folder.")
    if is_url:
        tables, shown, left = _to_server(workspace, to, progress)
    else:
        tables, shown, left = _to_folder(workspace, Path(to), progress)
    return Moved(tables, shown, round(time.monotonic() - start, 3), left)


# -- to a server -----------------------------------------------------------------------------------


def _to_server(workspace: Workspace, url: str, progress: Progress) -> tuple[dict[str, int], str, str]:
    server = store_of(url)
    if workspace.is_on_server:
        owner = _owner_of(workspace)
        if not owner or workspace.settings.store != url or not server.is_copy_of(owner):
            raise BadInputError(
                f"{workspace.folder} is kept on a server already (store: in settings.yaml, or AUTOKB_STORE); move it "
                "into a folder first: --to FOLDER"
            )
        with workspace.build_lock(), workspace.file() as file:  # it was killed at its very end
            tables = {table.name: count_rows(file, table) for table in all_tables(migrations_of(file))}
        return _finish_on_server(workspace, server, tables)
    settings = settings_with_store(_settings_text(workspace), url)
    with workspace.build_lock():
        beside = server.begin_copy(_owner_of(workspace))
        with (
            beside.build_lock("Another command moves a workspace to that schema"),
            workspace.file() as source,
            closing(WorkspaceFile(workspace.knowledge_path, url=beside.address)) as target,
        ):
            _fill(source, target, progress)
            with source.transaction():  # nobody writes into the file any more
                tables = _make_equal(source, target, progress)
                server.end_copy()
                replace_private(workspace.folder / SETTINGS_FILE, settings.encode("utf-8"))
        return _finish_on_server(workspace, server, tables)


def _finish_on_server(workspace: Workspace, server: Store, tables: dict[str, int]) -> tuple[dict[str, int], str, str]:
    """Take the file out of the place of the truth, then forget that the schema is a copy of it."""
    left = workspace.folder / (KNOWLEDGE_FILE + MOVED)
    for end in ("", "-wal", "-shm"):  # a journal that somebody still holds open belongs to its file
        there = workspace.folder / (KNOWLEDGE_FILE + end)
        if there.exists():
            there.replace(f"{left}{end}")
    server.forget_owner()
    (workspace.folder / TICKET).unlink(missing_ok=True)
    return tables, server.without_password(), str(left)


def _owner_of(workspace: Workspace) -> str:
    """Return what tells this workspace's copy from another's; it lies in the folder until the move has ended."""
    file = workspace.folder / TICKET
    if not file.exists():
        if workspace.is_on_server:
            return ""
        replace_private(file, token_hex(16).encode())
    return file.read_text(encoding="utf-8")


def _settings_text(workspace: Workspace) -> str:
    file = workspace.folder / SETTINGS_FILE
    return read_yaml_file(file) if file.exists() else ""


def settings_with_store(text: str, url: str) -> str:
    """Return settings that name a server; all other lines stay (BadInputError where a line cannot be added)."""
    rest = settings_without_store(text)
    added = f"{rest}{'' if not rest or rest.endswith(chr(10)) else chr(10)}store: {json.dumps(url)}\n"
    try:
        is_right = read_settings(parse_yaml(added, SETTINGS_FILE), {}).store == url
    except BadInputError:
        is_right = False
    if not is_right:
        raise BadInputError(
            f"A line store: cannot be added to {SETTINGS_FILE} as it is written; write one setting a line, as in "
            "model: offline, and run this again."
        )
    return added


def settings_without_store(text: str) -> str:
    """Return settings without the line that names a server."""
    return _STORE.sub("", text)


# -- into a folder ---------------------------------------------------------------------------------


def _to_folder(workspace: Workspace, folder: Path, progress: Progress) -> tuple[dict[str, int], str, str]:
    if not workspace.is_on_server:
        raise BadInputError(
            f"{workspace.folder} is kept in its folder already; --to takes the URL of a server: {an_address()}"
        )
    left = workspace.store.without_password()
    _check_free(folder)
    staging = folder / MOVING_FOLDER
    with workspace.build_lock(), _locked(folder):
        _check_free(folder)
        staging.mkdir(mode=0o700, exist_ok=True)
        source_name = digest(left)
        said = staging / "from"
        if said.exists() and said.read_text(encoding="utf-8") != source_name:
            raise BadInputError(f"{folder} holds half a copy of another workspace; name another folder, or delete it.")
        replace_private(said, source_name.encode())
        (staging / DOMAIN_FILE).write_text(workspace.domain_text, encoding="utf-8")
        settings = settings_without_store(_settings_text(workspace))
        (staging / SETTINGS_FILE).write_text(settings, encoding="utf-8")
        knowledge = staging / KNOWLEDGE_FILE
        with (
            workspace.file() as source,
            failures_as_sentences(knowledge),
            closing(WorkspaceFile(knowledge, create=True)) as target,
        ):
            _fill(source, target, progress)
            with source.transaction():  # nobody writes on the server any more
                tables = _make_equal(source, target, progress)
        for name in (DOMAIN_FILE, SETTINGS_FILE, KNOWLEDGE_FILE):  # the last one makes it a workspace
            (staging / name).replace(folder / name)
        shutil.rmtree(staging)
    return tables, str(folder), left


def _check_free(folder: Path) -> None:
    """Refuse a folder that holds anything but what a move that was killed left."""
    if folder.exists() and not folder.is_dir():
        raise BadInputError(f"{folder} is a file; name a new folder.")
    there = {one.name for one in folder.iterdir()} if folder.exists() else set()
    ours = {MOVING_FOLDER, LOCK_FILE} | ({DOMAIN_FILE, SETTINGS_FILE} if MOVING_FOLDER in there else set())
    if there - ours:
        raise BadInputError(f"{folder} is not empty; name a new folder.")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AutokbError(f"{folder} cannot be made ({error.strerror}); name one that you can write to.") from error
    with one_at_a_time(folder / LOCK_FILE, f"Another command is at work in {folder}"):
        yield


# -- both ways -------------------------------------------------------------------------------------


def _fill(source: WorkspaceFile, target: WorkspaceFile, progress: Progress) -> None:
    """Copy what the target lacks, while others may still write."""
    read_bytes_as_text(source)
    read_bytes_as_text(target)
    tables = all_tables(migrations_of(source))
    for plugin in noted_plugins(source):
        update_tables(target, plugin)
    tell = _Count("copy", sum(count_rows(source, table) for table in tables), progress)
    for table in tables:
        copy_table(source, target, table, tell)


def _make_equal(source: WorkspaceFile, target: WorkspaceFile, progress: Progress) -> dict[str, int]:
    """Compare each table by its count and its hash; one that differs is copied once more, then AutokbError.

    What was written while the copy was made, or since one was killed, differs. Returns how many rows each table has.
    """
    tables = all_tables(migrations_of(source))
    tell = _Count("compare", 2 * sum(count_rows(source, table) for table in tables), progress)
    for table in tables:
        if differs(source, target, table, tell):
            with target.transaction():
                empty_table(target, table)
                copy_table(source, target, table, _untold)
            if differs(source, target, table, _untold):
                raise AutokbError(
                    f"The copy of the table {table.name} differs from what was copied, twice. Nothing was switched "
                    "over; see the disk and the log of the server, and run this again."
                )
    return {table.name: count_rows(source, table) for table in tables}


def differs(source: WorkspaceFile, target: WorkspaceFile, table: Table, told: Told) -> bool:
    """Return whether a table has not the same rows on both sides."""
    ours = fingerprint(source, table, told)
    return ours != fingerprint(target, table, told) or ours[0] != count_rows(source, table)


def _untold(_rows: int) -> None:
    """Tell nobody."""


class _Count:
    """Rows that are done, of all of a stage."""

    def __init__(self, stage: str, total: int, progress: Progress) -> None:
        self._stage, self._done, self._total, self._progress = stage, 0, total, progress

    def __call__(self, rows: int) -> None:
        self._done += rows
        self._progress(self._stage, min(self._done, self._total), self._total)
