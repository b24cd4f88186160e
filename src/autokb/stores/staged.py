"""What was added and waits for the next build, as nouns, and the folders, files and imports it came from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from autokb.core.ids import canonical_json
from autokb.core.nouns import Document, RawIssue, Skipped
from autokb.stores.codecs import DOCUMENT, RAW_ISSUE, Codec
from autokb.stores.database import damaged_rows
from autokb.stores.workspace_file import StagedPlace, WorkspaceFile

N = TypeVar("N")
STAGED_KINDS = ("documents", "issues", "tickets", "chats")
ADDED = "added"  # in the body of a staged document: the day on which its text was added as it is
DROPPED = "dropped"  # in the body of a staged web page: each span that was left out of it, with the reason
EARLIER = "earlier"  # in the body of what changed: a digest of each content that it had before, the newest last
SYNCED = "sync:"  # stands before a source's name where what it gave says from where it is
LOSSES = "losses"  # meta: what was not read of added files
NAMELESS_IMPORT = "import"  # what an import is called whose file's name was not stored, as in workspaces of before


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """A folder or file that was added, by its resolved path, an import, by its file's name, or a source of ``sync``."""

    kind: Literal["folder", "file", "import", "sync"]
    path: str


def staged_documents(file: WorkspaceFile) -> list[Document]:
    """Return the added documents, ordered by id."""
    return staged_nouns(file, "documents", DOCUMENT)


def staged_raw_issues(file: WorkspaceFile) -> list[RawIssue]:
    """Return the added raw issues, ordered by id."""
    return staged_nouns(file, "issues", RAW_ISSUE)


def staged_nouns(file: WorkspaceFile, kind: str, codec: Codec[N]) -> list[N]:
    """Return what was added of a kind, ordered by id."""
    with damaged_rows("staged"):
        return [codec.read(s.body, id=s.id) for s in file.staged(kind)]


def added_days(file: WorkspaceFile) -> dict[str, str]:
    """Return by the ids of added documents the day on which each got the text that it has; unknown of earlier ones."""
    return {one.id: str(one.body.get(ADDED) or "") for one in file.staged("documents")}


def staged_sources(file: WorkspaceFile) -> list[tuple[StagedPlace, Source]]:
    """Return where each added document and issue lies, with the source it belongs to, ordered by kind and id."""
    places = file.staged_places()
    folders = {kind: _noted_folders(file, kind, places) for kind in {place.kind for place in places}}
    return [(place, _source(place, folders[place.kind])) for place in places]


def added_folders(file: WorkspaceFile, kind: str) -> set[str]:
    """Return the roots of the staged documents (or issues) that are added folders; other roots hold added files."""
    return {s.path for place, s in staged_sources(file) if place.kind == kind and s.kind == "folder"}


def note_added_folders(file: WorkspaceFile, kind: str, folders: Iterable[str]) -> None:
    """Store which roots are added folders, but for those from which nothing is staged any more.

    Call it inside a transaction, after the change.
    """
    roots = {place.root for place in file.staged_places() if place.kind == kind}
    file.note(_folders_key(kind), canonical_json(sorted(roots.intersection(folders))))


def fields_read(file: WorkspaceFile, kind: str) -> dict[str, dict[str, str]]:
    """Return the fields that were named when an added file was read the last time, by its path, where any were."""
    noted = file.meta(_fields_key(kind))
    with damaged_rows("meta"):
        return {} if noted is None else dict(json.loads(noted))


def note_fields_read(file: WorkspaceFile, kind: str, fields: Mapping[str, Mapping[str, str]]) -> None:
    """Store the fields that were named for added files, but for those of which nothing is staged any more.

    Call it inside a transaction, after the change.
    """
    if not any(fields.values()) and file.meta(_fields_key(kind)) is None:
        return
    staged = {str(Path(place.root, place.relative)) for place in file.staged_places() if place.kind == kind}
    kept = {path: named for path, named in fields.items() if named and path in staged}
    file.note(_fields_key(kind), canonical_json(kept))


def losses(file: WorkspaceFile) -> list[list[str]]:
    """Return what was not read of added files: of each the kind, the file, the place in it, and the reason."""
    with damaged_rows("meta"):
        return [list(map(str, one)) for one in json.loads(file.meta(LOSSES) or "[]")]


def note_losses(file: WorkspaceFile, kind: str, files: Mapping[str, str], skipped: Iterable[Skipped]) -> None:
    """Store what was not read of ``files`` (paths by their names) in the place of what is known of them.

    Call it inside a transaction.
    """
    read = set(files.values())
    kept = [one for one in losses(file) if one[0] != kind or one[1] not in read]
    for one in skipped:
        names = (one.path, one.path.rpartition(":")[0], one.path.rpartition(", ")[0])
        name = next((name for name in names if name in files), "")
        kept.append([kind, files.get(name, next(iter(read), "")), one.path.removeprefix(name), one.reason])
    keep_losses(file, kept)


def keep_losses(file: WorkspaceFile, kept: Sequence[Sequence[str]]) -> None:
    """Store what was not read, as ``losses`` returns it; call it inside a transaction."""
    if kept or file.meta(LOSSES) is not None:
        file.note(LOSSES, canonical_json(kept))


def _fields_key(kind: str) -> str:
    return f"fields read of {kind}"


def _noted_folders(file: WorkspaceFile, kind: str, places: Iterable[StagedPlace]) -> set[str]:
    files: dict[str, set[str]] = {}
    for place in places:
        if place.kind == kind and place.root:
            files.setdefault(place.root, set()).add(place.relative)
    deep = {root for root, names in files.items() if any("/" in name for name in names)}
    noted = file.meta(_folders_key(kind))
    if noted is not None:
        with damaged_rows("meta"):
            return deep.union(json.loads(noted))
    # A workspace of before did not store it: what gave several files is taken for a folder.
    return deep.union(root for root, names in files.items() if len(names) > 1)


def _folders_key(kind: str) -> str:
    return f"added folders of {kind}"


def _source(place: StagedPlace, folders: Set[str]) -> Source:
    if not place.root and place.relative.startswith(SYNCED):
        return Source("sync", place.relative.removeprefix(SYNCED))
    if not place.root:
        return Source("import", place.relative or NAMELESS_IMPORT)
    if place.root in folders:
        return Source("folder", place.root)
    return Source("file", str(Path(place.root, place.relative)))
