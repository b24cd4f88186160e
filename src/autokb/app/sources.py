"""What was added and imported: listed, and taken out of the next build again."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from autokb.core.errors import BadInputError
from autokb.core.nouns import Skipped
from autokb.core.results import Listed, Result
from autokb.sources.outside_readers import left_out
from autokb.stores.staged import (
    STAGED_KINDS,
    Source,
    added_folders,
    fields_read,
    keep_losses,
    losses,
    note_added_folders,
    note_fields_read,
    staged_sources,
)
from autokb.stores.sync_state import read_sync_items
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import Staged, StagedPlace, WorkspaceFile

_ORDER = ("folder", "file", "sync", "import")
_UNKNOWN_SHOWN = 3  # names that name nothing and are listed one by one


@dataclass(frozen=True, slots=True)
class ListedSource(Result):
    """One folder, file, import or source of ``sync``, and how many documents, raw issues, tickets and chats it gave."""

    kind: str
    path: str
    documents: int
    issues: int
    tickets: int
    chats: int = 0


@dataclass(frozen=True, slots=True)
class Sources(Listed, Result):
    """What was added or imported: folders first, then files and imports, each by its path.

    ``losses`` is what was not read of them, where that was asked for.
    """

    LIST: ClassVar[str] = "sources"
    sources: tuple[ListedSource, ...]
    losses: tuple[Skipped, ...] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the contract's shape, with losses only where they were asked for."""
        shape = Result.as_json(self)
        return shape if self.losses is not None else {self.LIST: shape[self.LIST]}


@dataclass(frozen=True, slots=True)
class Removed(Result):
    """What one ``remove`` took out of the next build; ``removed`` counts all kinds together."""

    removed: int
    documents: int
    issues: int
    tickets: int
    chats: int = 0


def list_sources(workspace: Workspace, *, with_losses: bool = False) -> Sources:
    """Return what was added or imported, with how many documents, raw issues, tickets and chats each gave.

    ``with_losses`` has what was not read of them, too.
    """
    with workspace.file() as file, file.snapshot():
        counts = Counter((source, place.kind) for place, source in staged_sources(file))
        synced = {*workspace.settings.sources, *(one.path for one, _ in counts if one.kind == "sync")}
        lost = [*_losses(file, sorted(synced))] if with_losses else None
    found = sorted({source for source, _ in counts}, key=lambda s: (_ORDER.index(s.kind), s.path))
    return Sources(
        tuple(ListedSource(s.kind, s.path, *(counts[s, kind] for kind in STAGED_KINDS)) for s in found),
        None if lost is None else tuple(lost),
    )


def _losses(file: WorkspaceFile, synced: Iterable[str]) -> Iterator[Skipped]:
    """Give what was not read of added files, and of what sources of ``sync`` gave."""
    yield from (Skipped(name + place, reason) for _, name, place, reason in losses(file))
    staged = {(place.kind, place.id) for place in file.staged_places()}
    for source in synced:
        for key, note in sorted(read_sync_items(file, source).items()):
            if note.get("reason"):
                yield Skipped(key, str(note["reason"]))
            elif (note.get("kind"), note.get("id")) in staged:
                yield from left_out(key, note.get("left_out", ()))


def move_source(workspace: Workspace, old: str, new: str) -> Sources:
    """Take what was added from ``old`` as added from ``new``, a folder or file that was moved there; nothing is read.

    Return the sources as they are then. Raises BadInputError where ``old`` is no source or holds none, where there is
    nothing at ``new``, and where something else was added from there; then nothing changes.
    """
    target = Path(_spellings(new)[-1]) if new.strip() else None
    if target is None or not target.exists():
        raise BadInputError(f"There is nothing at {new!r}; name where {old} lies now. Nothing was changed.")
    with workspace.file() as file, file.transaction():
        root = _added_path(workspace, staged_sources(file), old)
        for kind in STAGED_KINDS:
            _move_kind(file, kind, root, target)
        keep_losses(file, [[kind, _path_at(name, root, target), *rest] for kind, name, *rest in losses(file)])
    return list_sources(workspace)


def _added_path(workspace: Workspace, staged: Iterable[tuple[StagedPlace, Source]], name: str) -> Path:
    """Return a name as the path that sources lie at or below; BadInputError where none does."""
    paths = [Path(source.path) for _, source in staged if source.kind in ("folder", "file")]
    for spelled in map(Path, _spellings(name)):
        if any(path.is_relative_to(spelled) for path in paths):
            return spelled
    raise BadInputError(
        f"{name!r} is no source; autokb sources {shlex.quote(str(workspace.folder))} lists what is. "
        "Nothing was changed."
    )


# Complex: what moves, what stays and what is known of both must agree before anything is stored.
def _move_kind(file: WorkspaceFile, kind: str, old: Path, new: Path) -> None:
    """Move what was added of one kind from a path to another, with what is known of its folders and files."""
    folders, fields = added_folders(file, kind), fields_read(file, kind)
    staged = file.staged(kind)
    moving = [one for one in staged if one.root and Path(one.root, one.relative).is_relative_to(old)]
    moved = [_moved(one, folders, old, new) for one in moving]
    stays = {Path(one.root, one.relative) for one in staged} - {Path(one.root, one.relative) for one in moving}
    if clash := next((one for one in moved if Path(one.root, one.relative) in stays), None):
        raise BadInputError(f"{clash.relative} of {new} was added already. Nothing was changed.")
    file.stage(kind, moved)
    note_added_folders(file, kind, {_path_at(path, old, new) for path in folders})
    note_fields_read(file, kind, {_path_at(path, old, new): some for path, some in fields.items()})


def _moved(item: Staged, folders: Collection[str], old: Path, new: Path) -> Staged:
    """Return what was added at its new place; of an added folder what lies in it keeps its path in there."""
    if item.root in folders:
        return replace(item, root=_path_at(item.root, old, new))
    place = Path(_path_at(str(Path(item.root, item.relative)), old, new))
    return replace(item, root=str(place.parent), relative=place.name)


def _path_at(path: str, old: Path, new: Path) -> str:
    return str(new / Path(path).relative_to(old)) if Path(path).is_relative_to(old) else path


def remove(workspace: Workspace, names: Iterable[str]) -> Removed:
    """Take documents, raw issues, tickets, chats and whole sources out again.

    A name is an id, else a source as ``list_sources`` gives it, else the path of a source or of what lies in an added
    folder, there or not. Raises BadInputError when one of them names nothing; then nothing is removed.
    """
    with workspace.file() as file, file.transaction():
        staged = staged_sources(file)
        names = list(names)
        removed = _named(workspace, staged, names)
        for kind in STAGED_KINDS:
            folders = {s.path for place, s in staged if place.kind == kind and s.kind == "folder"}
            file.unstage(kind, (place.id for place in removed if place.kind == kind))
            note_added_folders(file, kind, folders)
        _forget_losses(file, names)
    counts = Counter(place.kind for place in removed)
    return Removed(len(removed), *(counts[kind] for kind in STAGED_KINDS))


def _forget_losses(file: WorkspaceFile, names: Iterable[str]) -> None:
    gone = [*map(Path, (spelled for name in names for spelled in _spellings(name)))]
    keep_losses(file, [one for one in losses(file) if not any(map(Path(one[1]).is_relative_to, gone))])


def _named(
    workspace: Workspace, staged: Iterable[tuple[StagedPlace, Source]], names: Iterable[str]
) -> set[StagedPlace]:
    """Return what the names name; BadInputError where one names nothing."""
    by_id: dict[str, set[StagedPlace]] = {}
    by_source: dict[str, set[StagedPlace]] = {}
    below: dict[str, set[StagedPlace]] = {}
    for place, source in staged:
        by_id.setdefault(place.id, set()).add(place)
        by_source.setdefault(source.path, set()).add(place)
        if source.kind == "folder":
            relative = PurePosixPath(place.relative)
            for inside in (relative, *relative.parents):
                below.setdefault(str(Path(place.root, inside)), set()).add(place)
    removed: set[StagedPlace] = set()
    unknown = []
    for name in names:
        known = [(by_id, name), (by_source, name), *product((by_source, below), _spellings(name))]
        found = next((where[key] for where, key in known if key in where), None)
        removed |= found or set()
        unknown += [] if found else [name]
    if unknown:
        listed = ", ".join(map(repr, unknown[:_UNKNOWN_SHOWN])) + (", ..." if len(unknown) > _UNKNOWN_SHOWN else "")
        raise BadInputError(
            f"Nothing was removed: {listed} names no document, raw issue, ticket or chat and no source here; "
            f"autokb sources {shlex.quote(str(workspace.folder))} lists what is."
        )
    return removed


def _spellings(name: str) -> list[str]:
    """Return the paths that a name may mean: as it is typed, and with its links resolved, its own or those above it.

    A folder that is gone has no links; a file that is a link itself was added under its own name.
    """
    if not name.strip():
        return []  # it would mean the current folder
    path = Path(name).absolute()
    typed = [os.path.normpath(path), str(path.parent.resolve() / path.name), str(path.resolve())]
    return [p.encode("utf-8", "backslashreplace").decode("utf-8") for p in dict.fromkeys(typed)]
