"""Adding sources: new, changed and unchanged ones are told apart, and nothing half-read is stored."""

from __future__ import annotations

import filecmp
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from autokb.app.notes_of_add import (
    audiences_of_folders,
    by_path,
    content,
    earlier_again,
    links_of_issues,
    lost_links,
    named_items,
    other_ids,
    path_of,
    unused_attributes,
    with_earlier,
)
from autokb.chunking.auto.filtered_page import filter_page
from autokb.chunking.boilerplate.site_boilerplate import SiteBoilerplate, page_blocks
from autokb.chunking.chunk_result import MarkedPage, Noise
from autokb.core.errors import BadInputError
from autokb.core.nouns import Document, Skipped
from autokb.core.results import Result
from autokb.sources import Fields, Reading, SourceRecord, read_documents, read_issues
from autokb.sources.chats import read_chats
from autokb.sources.documents import NO_ID
from autokb.sources.formats import uncompressed
from autokb.sources.tickets import read_tickets
from autokb.stores.chats import CONVERSATION_CODEC
from autokb.stores.codecs import DOCUMENT, RAW_ISSUE, Codec
from autokb.stores.staged import (
    ADDED,
    DROPPED,
    EARLIER,
    added_folders,
    fields_read,
    note_added_folders,
    note_fields_read,
    note_losses,
    staged_sources,
)
from autokb.stores.ticket_tables import TICKET_CODEC
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import Staged, WorkspaceFile

# Of a source of ``sync``, whichever its type.
TOO_MANY_GONE = (
    "{gone:,} of {before:,} items are gone, and less than half of what it once had would be left: they stay. If they "
    "are really gone, run autokb sync with --source and --accept."
)
Kind = Literal["documents", "issues", "tickets", "chats"]
# From what is stored, by id, and what is to replace some of it: which of these stay as they are, and why.
Keep = Callable[[Mapping[str, Staged], Sequence[Staged]], Mapping[str, str]]
# How each kind is read and stored that comes in records alone.
_RECORDS: Mapping[str, tuple[Callable[..., Reading[Any]], Codec[Any]]] = {
    "issues": (read_issues, RAW_ISSUE),
    "tickets": (read_tickets, TICKET_CODEC),
    "chats": (read_chats, CONVERSATION_CODEC),
}


@dataclass(frozen=True, slots=True)
class Added(Result):
    """What one ``add`` did; ``gone`` counts what the sources no longer have and what stays until a sync.

    ``left`` names the first of what is gone, by ids and titles, in one line.
    ``dropped`` says how many spans of web pages were left out for which reason, ``unresolved`` how often which template
    or icon of a wiki was, the most frequent first. ``columns`` names the fields of records that hold ``id``,
    ``title`` and ``text`` of documents and issues, and ``date`` and ``resolved_by`` of issues. ``notes`` are sentences
    about what was taken, but not as a person may expect. ``titles`` counts the links of issues that mean a document by
    its title.
    """

    added: int
    updated: int
    unchanged: int
    removed: int
    skipped: tuple[Skipped, ...]
    gone: int = 0
    dropped: tuple[tuple[str, int], ...] = ()
    unresolved: tuple[tuple[str, int], ...] = ()
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    titles: int = 0
    left: str = ""

    @property
    def took_nothing(self) -> bool:
        """Whether nothing that was given is in the workspace now, and nothing was taken out of it."""
        return not (self.added or self.updated or self.unchanged or self.removed)

    def as_json(self) -> dict[str, Any]:
        """Return the contract's shape; with ``notes`` where there are any."""
        shape = Result.as_json(self)
        for name in ("gone", "dropped", "unresolved", "columns", "titles", "left", *(() if self.notes else ("notes",))):
            del shape[name]
        return shape


@dataclass(frozen=True, slots=True)
class AddOptions:
    """What may go and be replaced when sources are added.

    ``sync`` removes what the paths no longer hold, and all that a folder gave if it holds nothing any more only with
    ``yes``; where fewer than ``least`` would be left of what the folders gave, or less than half of it, it removes
    nothing. ``keep`` names changed items that are skipped. ``update`` replaces issues, tickets and conversations whose
    ids another file gave. Links that lead out of an added folder are followed with ``follow_links`` only.
    """

    sync: bool = False
    update: bool = False
    yes: bool = False
    follow_links: bool = False
    least: int = 0
    keep: Keep | None = None


def add(
    workspace: Workspace,
    paths: Sequence[Path],
    kind: Kind = "documents",
    fields: Fields | None = None,
    options: AddOptions = AddOptions(),
    progress: Callable[[str], None] | None = None,
) -> Added:
    """Stage documents, raw issues, tickets or conversations; the next build works with all but the conversations.

    A file that is read by other fields than before gives nothing any more but what it gives now. Raises BadInputError
    when a path does not exist, when no record has a field that was named, when two folders hold different files of one
    name, and when an issue, ticket or conversation has the id of another one from another file.
    """
    fields = fields or Fields()
    with workspace.file() as file, file.snapshot():
        sources = staged_sources(file)
    known = {source.path for place, source in sources if place.kind == kind and source.kind in ("folder", "file")}
    reading: Reading[Any]
    if kind == "documents":
        reading = read_documents(
            paths,
            fields,
            progress=progress,
            added=known,
            follow_links=options.follow_links,
            templates=workspace.spec.templates,
            convert=workspace.settings.convert,
            ocr=workspace.settings.ocr,
        )
        _refuse_misspelt(reading)
        staged, without_text = staged_documents(reading.records, progress)
        reading = replace(reading, skipped=(*reading.skipped, *without_text))
    else:
        read, codec = _RECORDS[kind]
        reading = read(paths, fields, progress=progress, added=known, follow_links=options.follow_links)
        _refuse_misspelt(reading)
        staged = [Staged(r.item.id, _named(r.root), _named(r.relative), codec.body(r.item)) for r in reading.records]
    done = _store(workspace, kind, reading, staged, paths, fields, options=options)
    dropped = Counter(noise["reason"] for one in staged for noise in one.body.get(DROPPED, ()))
    skipped = (*done.skipped, *_empty_folders(paths, reading))
    issues: list[Any] = [record.item for record in reading.records] if kind == "issues" else []
    titles, lost = links_of_issues(workspace, issues)
    seem = audiences_of_folders(kind, reading.records, workspace.spec)
    return replace(
        done,
        skipped=skipped,
        dropped=tuple(dropped.most_common()),
        unresolved=reading.unresolved,
        columns=reading.columns,
        notes=(*done.notes, *unused_attributes(reading.unused, workspace.spec.attributes), *lost, *seem),
        titles=titles,
    )


def _refuse_misspelt(reading: Reading[Any]) -> None:
    if reading.misspelt:
        raise BadInputError(f"{reading.misspelt} Nothing was added.")


def _empty_folders(paths: Iterable[Path], reading: Reading[Any]) -> list[Skipped]:
    """Return the given folders in which there was no file to read."""
    reason = "holds no file to read (hidden ones are left out); see that it is the folder you meant."
    folders = [path for path in paths if path.is_dir()]
    empty = (path for path in folders if not any(Path(r, n).is_relative_to(path.resolve()) for r, n in reading.present))
    return [Skipped(_named(str(path)), reason) for path in empty]


# Complex: web pages and texts go through one loop, and only pages have marks, blocks and a site.
def staged_documents(
    records: Sequence[SourceRecord[Document]],
    progress: Callable[[str], None] | None = None,
    known: Set[str] = frozenset(),
) -> tuple[list[Staged], list[Skipped]]:
    """Return the documents as they are stored, web pages without their boilerplate, and pages of nothing else.

    What many of the pages of a site have is known of those that are added together, as ``chunk`` knows it, and what is
    ``known`` of those before (``repeated_blocks``).
    """
    staged, empty = [], []
    site = SiteBoilerplate()
    blocks = [page_blocks(r.item) for r in records] if any(r.marks for r in records) else []
    for one in blocks:
        site.add(one)
    for n, record in enumerate(records):
        if progress and record.marks:
            progress(f"menus and the like left out, {n + 1:,} of {len(records):,}, {record.relative}")
        repeated = site.on(blocks[n]) | (known & blocks[n].hashes) if record.marks else frozenset()
        document, dropped = without_boilerplate(MarkedPage(record.item, record.marks, repeated))
        if not document.text.strip():
            empty.append(Skipped(record.relative, "holds menus, links and the like, but no text; leave it out."))
            continue
        body = DOCUMENT.body(document)
        if dropped:
            body[DROPPED] = [{"reason": noise.reason, "text": noise.text} for noise in dropped]
        staged.append(Staged(document.id, _named(record.root), _named(record.relative), body))
    return staged, empty


def repeated_blocks(records: Sequence[SourceRecord[Document]]) -> set[str]:
    """Return the hashes of the blocks that many of these web pages have."""
    site = SiteBoilerplate()
    blocks = [page_blocks(record.item) for record in records if record.marks]
    for one in blocks:
        site.add(one)
    return {block for one in blocks for block in site.on(one)}


def without_boilerplate(page: MarkedPage) -> tuple[Document, tuple[Noise, ...]]:
    """Return a page's document with the text that ``chunk`` would keep of it, and what goes, with its reasons.

    Only what a web page marks is filtered: any other document is its author's, word for word.
    """
    if not page.marks:
        return page.document, ()
    filtered = filter_page(page)
    return replace(page.document, text=filtered.kept_text()), filtered.noise()


def _named(path: str) -> str:
    """Write a path whose bytes are no text as it can be stored."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


# Complex: all that sync, update and a kind refuse must be refused before the one transaction writes anything.
def _store(
    workspace: Workspace,
    kind: Kind,
    reading: Reading[Any],
    items: list[Staged],
    paths: Sequence[Path],
    fields: Fields,
    *,
    options: AddOptions,
) -> Added:
    given = [p.resolve() for p in paths if p.is_dir()]
    filecmp.clear_cache()  # it knows files by size and time, and a long-lived process may see both again
    with workspace.file() as file, file.transaction():
        old = {s.id: s for s in file.staged(kind)}
        folders = added_folders(file, kind)
        new, changed, moved = _compared(items, old)
        changed, kept = _without_kept(old, changed, options.keep)
        if kind == "documents":
            _refuse_namesakes(workspace, old, changed)
        elif not options.update:
            _refuse_ids_of_other_files(kind, old, changed)
        named = fields_read(file, kind)
        replaced, named_now = _read_otherwise(old.values(), items, named, fields)
        _refuse_to_lose(workspace, replaced.values(), reading.skipped, named, fields)
        gone = [s for s in _gone(old.values(), reading, items, given) if s.id not in replaced]
        if options.sync and not options.yes:
            _refuse_to_empty_folders(given, folders, reading, gone)
            _refuse_to_lose_most(given, old.values(), len(new), len(gone), least=options.least)
        taken_out, left = (gone, []) if options.sync else ([], gone)
        removed = [*replaced.values(), *taken_out]
        file.stage(kind, [*added_today(kind, [*new, *changed]), *(m for m in moved if not _still_there(old[m.id]))])
        file.unstage(kind, (s.id for s in removed))
        note_added_folders(file, kind, _with_given(folders, given))
        note_fields_read(file, kind, named | named_now)
        _note_lost(file, kind, reading)
    unchanged = len(items) - len(new) - len(changed)
    done = Added(len(new), len(changed), unchanged, len(removed), (*reading.skipped, *kept), len(left))
    notes = (*reading.notes, *other_ids(kind, old.values(), items, named), *lost_links(kind, old, items))
    return replace(done, notes=(*notes, *earlier_again(kind, old, changed)), left=named_items(left))


def _note_lost(file: WorkspaceFile, kind: Kind, reading: Reading[Any]) -> None:
    """Note what was not read of the files of a reading, for whoever asks later."""
    files = {_named(relative): _named(str(Path(root, relative))) for root, relative in reading.present}
    note_losses(file, kind, files, (*reading.skipped, *(Skipped("", note) for note in reading.notes)))


def _refuse_to_lose_most(given: Iterable[Path], old: Iterable[Staged], new: int, gone: int, *, least: int) -> None:
    """Refuse where fewer than ``least`` items would be left of what the folders gave, or most of those before go."""
    roots = {_named(str(folder)) for folder in given}
    before = sum(one.root in roots for one in old)
    if least and gone and (before + new - gone < least or before - gone < gone):
        raise BadInputError(TOO_MANY_GONE.format(gone=gone, before=before))


def added_today(kind: str, items: Iterable[Staged]) -> Iterable[Staged]:
    """Return new or changed items as they are staged: a document with the day from which on its text is as it is."""
    if kind != "documents":
        return items
    today = datetime.now(UTC).date().isoformat()
    return [replace(one, body={**one.body, ADDED: today}) for one in items]


def _compared(items: Iterable[Staged], old: Mapping[str, Staged]) -> tuple[list[Staged], list[Staged], list[Staged]]:
    """Return which items are new, which have another content, and which have the same one in another place."""
    new, changed, moved = [], [], []
    for one in items:
        before = old.get(one.id)
        if before is None:
            new.append(one)
        elif differs(before, one):
            changed.append(with_earlier(before, one))
        elif _place(before) != _place(one):
            kept = {name: before.body[name] for name in (ADDED, EARLIER) if name in before.body}
            moved.append(replace(one, body={**one.body, **kept}))
    return new, changed, moved


def _without_kept(
    old: Mapping[str, Staged], changed: list[Staged], keep: Keep | None
) -> tuple[list[Staged], list[Skipped]]:
    """Return the changed items that are taken, and why others stay as they are."""
    kept = keep(old, changed) if keep else {}
    skipped = [Skipped(old[one.id].relative, kept[one.id]) for one in changed if one.id in kept]
    return [one for one in changed if one.id not in kept], skipped


def _read_otherwise(
    old: Iterable[Staged], items: Iterable[Staged], before: Mapping[str, Mapping[str, str]], fields: Fields
) -> tuple[dict[str, Staged], dict[str, dict[str, str]]]:
    """Return what files gave that are read by other fields now and give it no more, and the fields of all files."""
    ids = {s.id for s in items}
    now = {name: value for name, value in asdict(fields).items() if value}
    read = {str(path_of(s)): now for s in items}
    other = {path for path in read if before.get(path, {}) != now}
    return {s.id: s for s in old if s.root and s.id not in ids and str(path_of(s)) in other}, read


def _refuse_to_lose(
    workspace: Workspace,
    replaced: Iterable[Staged],
    skipped: Iterable[Skipped],
    before: Mapping[str, Mapping[str, str]],
    fields: Fields,
) -> None:
    """Refuse other ids than before where some records of a file have none: what they gave before would be lost."""
    without = {_named(s.path).rpartition(":")[0]: s for s in reversed(list(skipped)) if s.reason.startswith(NO_ID)}
    for path, lost in by_path(replaced).items():
        first = without.get(lost[0].relative)
        if first and fields.id != before.get(path, {}).get("id"):
            command = f"autokb remove {shlex.quote(str(workspace.folder))} {shlex.quote(path)}"
            raise BadInputError(
                f"{Path(path).name} was added under other ids before, and what has none now would be lost: "
                f"{first.path} {first.reason} Or take out what the file gave before ({command}) and add it again. "
                "Nothing was added."
            )


def _with_given(folders: Set[str], given: Iterable[Path]) -> set[str]:
    """Return the added folders with those given now; one that lies in another added folder is a part of that one."""
    found = set(folders)
    for folder in given:
        if not any(str(above) in found for above in (folder, *folder.parents)):
            found.add(_named(str(folder)))
    return found


def differs(old: Staged, new: Staged) -> bool:
    """Return whether a source changed; that a page has another menu now is no change of its text."""
    return content(old) != content(new)


def _place(staged: Staged) -> tuple[str, str]:
    return staged.root, staged.relative


def _still_there(staged: Staged) -> bool:
    return bool(staged.root) and path_of(staged).exists()


def _refuse_namesakes(workspace: Workspace, old: Mapping[str, Staged], changed: Iterable[Staged]) -> None:
    for new in changed:
        before = old[new.id]
        name = uncompressed(new.relative)
        if before.root != new.root and uncompressed(before.relative) == name and _holds_other(before, name, new):
            command = f"autokb remove {shlex.quote(str(workspace.folder))} {shlex.quote(str(path_of(before)))}"
            raise BadInputError(
                f"{name} lies in {before.root} and in {new.root} with different content; rename one of the two files, "
                f"or remove the first one ({command}), and add again. Nothing was added."
            )


def _refuse_ids_of_other_files(kind: Kind, old: Mapping[str, Staged], changed: Iterable[Staged]) -> None:
    given = [new for new in changed if kind != "issues" or not _is_id_of_text(old[new.id], new)]
    taken = [
        (old[new.id], new)
        for new in given
        if _place(old[new.id]) != _place(new) and _holds_other(old[new.id], old[new.id].relative, new)
    ]
    if taken:
        before, new = taken[0]
        more = f" (and {len(taken) - 1} more ids like it)" if len(taken) > 1 else ""
        raise BadInputError(
            f"The id {new.id!r} in {path_of(new)} belongs to another record, from {path_of(before)}{more}. If they are "
            "newer versions of the same records, say --update. If not, name a field with other ids (--id-field), or "
            "give the records of this file ids of their own, say with the queue's name in front. Nothing was added."
        )


def _is_id_of_text(before: Staged, new: Staged) -> bool:
    """Return whether the id was made from the text, which both have: then no file gave it."""
    if not new.id.startswith("raw-"):
        return False
    words = RAW_ISSUE.read(new.body, id=new.id).full_text
    return words == RAW_ISSUE.read(before.body, id=before.id).full_text


def _holds_other(before: Staged, name: str, new: Staged) -> bool:
    """Return whether the folder of the one before still holds a file of this name, and other bytes in it."""
    files = [Path(before.root, name + suffix) for suffix in ("", ".gz")] if before.root else []
    return any(first.exists() and not _have_same_bytes(first, path_of(new)) for first in files)


def _have_same_bytes(one: Path, two: Path) -> bool:
    try:
        return filecmp.cmp(one, two, shallow=False)
    except OSError:  # what cannot be read now may hold anything
        return False


def _gone(old: Iterable[Staged], reading: Reading[Any], items: Iterable[Staged], given: Sequence[Path]) -> list[Staged]:
    """Return what the given folders and the files read no longer hold; what is there but unreadable now stays."""
    present = {(_named(root), _named(relative)) for root, relative in reading.present}
    seen = {s.id for s in items}
    skipped = [_named(s.path) for s in reading.skipped]
    doubtful = {*skipped, *(place.rpartition(":")[0] for place in skipped)}
    missing = (s for s in old if s.id not in seen and (_place(s) in present or _lies_in(given, s)))
    return [s for s in missing if not _unread(s, doubtful)]


def _lies_in(folders: Iterable[Path], staged: Staged) -> bool:
    return any(path_of(staged).is_relative_to(_named(str(folder))) for folder in folders)


def _unread(staged: Staged, doubtful: Set[str]) -> bool:
    """Return whether the file, a line of it or a folder above it was skipped."""
    relative = PurePosixPath(staged.relative)
    return any(str(place) in doubtful for place in (relative, *relative.parents))


def _refuse_to_empty_folders(
    given: Sequence[Path], added: Iterable[str], reading: Reading[Any], gone: Sequence[Staged]
) -> None:
    """Refuse to sync with a folder that holds no file at all: it may be a share that is not mounted.

    One that was ``added`` before and lies in a given one may be such a share too.
    """
    inside = [Path(folder) for folder in added if any(Path(folder).is_relative_to(one) for one in given)]
    present = [Path(root, relative) for root, relative in reading.present]
    for folder in (*given, *inside):
        lost = sum(_lies_in([folder], s) for s in gone)
        if lost and not any(path.is_relative_to(folder) for path in present):
            raise BadInputError(
                f"{folder} holds no file, and --sync would remove what it gave before ({lost}); see that it is "
                "mounted, or say --yes to remove that. Nothing was changed."
            )
