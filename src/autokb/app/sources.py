"""What was added and imported: listed, and taken out of the next build again."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable
from itertools import product
from pathlib import Path, PurePosixPath

from autokb.core.errors import BadInputError
from autokb.core.results import ListedSource, Removed, Sources
from autokb.stores.staged import STAGED_KINDS, Source, note_added_folders, staged_sources
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import StagedPlace

_ORDER = ("folder", "file", "import")
_UNKNOWN_SHOWN = 3  # names that name nothing and are listed one by one


def list_sources(workspace: Workspace) -> Sources:
    """Return what was added or imported, with how many documents, raw issues, tickets and chats each gave."""
    with workspace.file() as file, file.snapshot():
        counts = Counter((source, place.kind) for place, source in staged_sources(file))
    found = sorted({source for source, _ in counts}, key=lambda s: (_ORDER.index(s.kind), s.path))
    return Sources(
        tuple(ListedSource(s.kind, s.path, *(counts[s, kind] for kind in STAGED_KINDS)) for s in found),
    )


def remove(workspace: Workspace, names: Iterable[str]) -> Removed:
    """Take documents, raw issues, tickets, chats and whole sources out again.

    A name is an id, else a source as ``list_sources`` gives it, else the path of a source or of what lies in an added
    folder, there or not. Raises BadInputError when one of them names nothing; then nothing is removed.
    """
    with workspace.file() as file, file.transaction():
        staged = staged_sources(file)
        removed = _named(workspace, staged, list(names))
        for kind in STAGED_KINDS:
            folders = {s.path for place, s in staged if place.kind == kind and s.kind == "folder"}
            file.unstage(kind, (place.id for place in removed if place.kind == kind))
            note_added_folders(file, kind, folders)
    counts = Counter(place.kind for place in removed)
    return Removed(len(removed), *(counts[kind] for kind in STAGED_KINDS))


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
