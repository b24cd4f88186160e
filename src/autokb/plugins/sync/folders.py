"""Folders and checkouts are added as ``add --sync`` adds them, where a file of theirs is not as it was."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autokb.app.add import AddOptions, Kind, add
from autokb.app.synced import SyncedSource
from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json, digest
from autokb.core.source_settings import SourceSettings
from autokb.net.fetch import FeedError
from autokb.plugins.sync.feeds.git import MOST_FILES, check_out
from autokb.plugins.sync.guards import ReplacedFiles
from autokb.plugins.sync.side_by_side import Run
from autokb.sources import Fields
from autokb.sources.files import find_files
from autokb.stores.sync_state import (
    UNBUILT,
    forget_sync_items,
    keep_sync_items,
    keep_sync_source,
    read_sync_items,
    read_sync_source,
)
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile


def sync_folder(
    workspace: Workspace,
    source: SourceSettings,
    checkout: Path,
    secret: str,
    run: Run,
    progress: Callable[[str], None] | None,
    *,
    accept: bool,
) -> SyncedSource:
    """Stage what a folder, or a branch of a repository, holds now; what it no longer holds goes at once.

    A folder says what it holds in one moment, so nothing is waited for; one that holds no file at all is refused, as
    ``add --sync`` refuses it, as is one that holds less than half of what it once did: it may not be mounted, or not
    all of it. A file that is something else now keeps its text (``ReplacedFiles``). ``accept`` takes it as it is.
    """
    requests = read = 0
    try:
        if source.type == "git":
            done = check_out(source, checkout, workspace.folder, secret, run.check)
            requests, read = done.requests, done.bytes
            root = _inside(checkout, source.folder)
        else:
            root = source.place_on_disk(workspace.folder)
        return _add(workspace, source, root, (requests, read), run, progress, accept=accept)
    except (BadInputError, FeedError) as error:
        return SyncedSource(0, 0, 0, 0, (), requests=requests, bytes=read, error=str(error))


def _inside(checkout: Path, folder: str) -> Path:
    root = (checkout / folder).resolve()
    is_inside = root.is_relative_to(checkout.resolve()) and root.is_dir()
    if not is_inside or ".git" in (part.casefold() for part in root.relative_to(checkout.resolve()).parts):
        raise FeedError(f"The repository has no folder {folder!r}.")
    return root


# Complex: what is noted before an add, after it and where it is refused belongs to one decision.
def _add(
    workspace: Workspace,
    source: SourceSettings,
    root: Path,
    cost: tuple[int, int],
    run: Run,
    progress: Callable[[str], None] | None,
    *,
    accept: bool,
) -> SyncedSource:
    requests, read = cost
    now = _files_now(root)
    place = digest(canonical_json([*map(str, source.place), str(root)]))
    with workspace.file() as file, file.snapshot():
        body, known = read_sync_source(file, source.name), read_sync_items(file, source.name)
        staged = _staged(file, source.as_kind, root)
        was_unbuilt = file.meta(UNBUILT) or ""
    is_other = body.get("place") != place
    most = 0 if accept or is_other else max(staged, int(body.get("most", 0)))
    if body.get("place") == place and known == now and body.get("staged") == staged:
        return SyncedSource(0, 0, staged, 0, (), requests=requests, bytes=read)
    with workspace.file() as file, file.transaction():  # before what changes, so that no kill can lose it
        file.note(UNBUILT, "1")
    kind: Kind = source.as_kind  # type: ignore[assignment]  # the settings know no other
    guard = ReplacedFiles(source, accept=accept)
    try:
        fields = Fields(**source.fields)
        with run.writing():
            least = -(-most // 2)
            options = AddOptions(sync=True, yes=accept, least=least, keep=guard)
            done = add(workspace, [root], kind, fields, options, progress)
    except BadInputError:  # nothing was added
        with workspace.file() as file, file.transaction():
            file.note(UNBUILT, was_unbuilt)
        raise
    with workspace.file() as file, file.transaction():
        if body.get("place") not in (None, place):
            _remove_earlier(file, body, known, root)
        forget_sync_items(file, source.name, known)
        keep_sync_items(file, source.name, now)
        staged = _staged(file, source.as_kind, root)
        kept: dict[str, Any] = {"place": place, "root": str(root), "kind": source.as_kind, "most": max(most, staged)}
        if not done.skipped:  # else all is read again: a mode that changes is no other size or time
            kept["staged"] = staged
        keep_sync_source(file, source.name, kept)
        changed = done.added + done.updated + done.removed or body.get("place") not in (None, place)
        file.note(UNBUILT, "1" if changed else was_unbuilt)
    if source.type == "folder":
        read = sum(one["size"] for one in now.values())
    counts = (done.added, done.updated, done.unchanged, done.removed)
    return SyncedSource(*counts, done.skipped, requests=requests, bytes=read, kept=guard.kept)


def _files_now(root: Path) -> dict[str, dict[str, int]]:
    """Return the files of a folder, each with what tells whether it is as it was (FeedError)."""
    files, _ = find_files([root])
    if len(files) > MOST_FILES:
        raise FeedError(f"It holds more than {MOST_FILES:,} files; make sources of its parts.")
    return {os.fsencode(one.relative).decode("utf-8", "backslashreplace"): _size_and_time(one.path) for one in files}


def _staged(file: WorkspaceFile, kind: str, root: Path) -> int:
    """Return how many items a folder gave."""
    return sum(one.kind == kind and one.root == str(root) for one in file.staged_places())


def _remove_earlier(file: WorkspaceFile, body: dict[str, Any], known: dict[str, Any], root: Path) -> None:
    """Take out what the source gave when it was another folder, or another type of source."""
    items = [(one["kind"], one["id"]) for one in known.values() if "id" in one]
    earlier, kind = body.get("root"), str(body.get("kind"))
    if earlier not in (None, str(root)):
        items += [(one.kind, one.id) for one in file.staged_places() if (one.root, one.kind) == (earlier, kind)]
    for item_kind, item in items:
        file.unstage(item_kind, [item])


def _size_and_time(path: Path) -> dict[str, int]:
    """Return what tells whether a file is as it was, without reading it."""
    try:
        found = path.stat()
    except OSError:
        return {"size": 0, "time": 0}
    return {"size": found.st_size, "time": found.st_mtime_ns}
