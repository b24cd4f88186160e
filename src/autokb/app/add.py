"""Adding sources: new, changed and unchanged ones are told apart, and nothing half-read is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from autokb.chunking.auto.filtered_page import filter_page
from autokb.chunking.boilerplate.site_boilerplate import SiteBoilerplate, page_blocks
from autokb.chunking.chunk_result import Noise, Page
from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json
from autokb.core.nouns import Document, RawIssue, Skipped
from autokb.core.results import Added
from autokb.sources import Fields, Reading, SourceRecord, read_documents, read_issues
from autokb.sources.formats import uncompressed
from autokb.stores.codecs import DOCUMENT, RAW_ISSUE
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import Staged, WorkspaceFile

Kind = Literal["documents", "issues"]
DROPPED = "dropped"  # in the body of a stored web page: each span that was left out of it, with the reason


def add(
    workspace: Workspace,
    paths: Sequence[Path],
    kind: Kind = "documents",
    fields: Fields | None = None,
    *,
    sync: bool = False,
    follow_links: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Added:
    """Stage documents or raw issues; the next build works with them.

    Raises BadInputError when a path does not exist or two folders hold different files of one name.
    """
    fields = fields or Fields()
    if kind == "documents":
        documents = read_documents(paths, fields, progress=progress, follow_links=follow_links)
        staged, empty = _staged_documents(documents.records)
        documents = replace(documents, skipped=(*documents.skipped, *empty))
        dropped = Counter(noise["reason"] for one in staged for noise in one.body.get(DROPPED, ()))
        return replace(_store(workspace, kind, documents, staged, paths, sync), dropped=tuple(dropped.most_common()))
    issues = read_issues(paths, fields, progress=progress, follow_links=follow_links)
    return _store(workspace, kind, issues, _staged_issues(issues.records), paths, sync)


def _staged_documents(records: Sequence[SourceRecord[Document]]) -> tuple[list[Staged], list[Skipped]]:
    """Return the documents as they are stored, web pages without their boilerplate, and pages of nothing else.

    What many of the pages of a site have is known of those that are added together, as ``chunk`` knows it.
    """
    staged, empty = [], []
    site = SiteBoilerplate()
    blocks = [page_blocks(r.item) for r in records] if any(r.marks for r in records) else []
    for one in blocks:
        site.add(one)
    for n, record in enumerate(records):
        repeated = site.on(blocks[n]) if record.marks else frozenset()
        document, dropped = without_boilerplate(Page(record.item, record.marks, repeated))
        if not document.text.strip():
            empty.append(Skipped(record.relative, "holds menus, links and the like, but no text; leave it out."))
            continue
        body = DOCUMENT.body(document)
        if dropped:
            body[DROPPED] = [{"reason": noise.reason, "text": noise.text} for noise in dropped]
        staged.append(Staged(document.id, _named(record.root), _named(record.relative), body))
    return staged, empty


def without_boilerplate(page: Page) -> tuple[Document, tuple[Noise, ...]]:
    """Return a page's document with the text that ``chunk`` would keep of it, and what goes, with its reasons.

    Only what a web page marks is filtered: any other document is its author's, word for word.
    """
    if not page.marks:
        return page.document, ()
    filtered = filter_page(page)
    return replace(page.document, text=filtered.kept_text()), filtered.noise()


def _staged_issues(records: Iterable[SourceRecord[RawIssue]]) -> list[Staged]:
    return [Staged(r.item.id, _named(r.root), _named(r.relative), RAW_ISSUE.body(r.item)) for r in records]


def _named(path: str) -> str:
    """Write a path whose bytes are no text as it can be stored."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def _store(
    workspace: Workspace, kind: Kind, reading: Reading[Any], items: list[Staged], paths: Sequence[Path], sync: bool
) -> Added:
    with workspace.file() as file, file.transaction():
        old = {s.id: s for s in file.staged(kind)}
        new = [s for s in items if s.id not in old]
        changed = [s for s in items if s.id in old and _differs(old[s.id], s)]
        _refuse_namesakes(kind, old, changed)
        moved = [s for s in items if s.id in old and not _differs(old[s.id], s) and _place(old[s.id]) != _place(s)]
        gone = _gone(file, kind, reading, items, paths)
        removed = gone if sync else []
        file.stage(kind, [*new, *changed, *(m for m in moved if not _still_there(old[m.id]))])
        file.unstage(kind, removed)
    unchanged = len(items) - len(new) - len(changed)
    return Added(len(new), len(changed), unchanged, len(removed), reading.skipped, len(gone) - len(removed))


def _differs(old: Staged, new: Staged) -> bool:
    """Return whether a source changed; that a page has another menu now is no change of its text."""
    before, after = ({k: v for k, v in one.body.items() if k != DROPPED} for one in (old, new))
    return canonical_json(before) != canonical_json(after)


def _place(staged: Staged) -> tuple[str, str]:
    return staged.root, staged.relative


def _still_there(staged: Staged) -> bool:
    return bool(staged.relative) and Path(staged.root, staged.relative).exists()


def _refuse_namesakes(kind: Kind, old: Mapping[str, Staged], changed: Iterable[Staged]) -> None:
    for new in changed:
        before = old[new.id]
        name = uncompressed(new.relative)
        if before.root != new.root and uncompressed(before.relative) == name and _has(before.root, name):
            raise BadInputError(
                f"{name} lies in {before.root} and in {new.root} with different content; rename one of the two files, "
                "or remove the first one, and add again. Nothing was added."
            )


def _has(root: str, name: str) -> bool:
    return Path(root, name).exists() or Path(root, name + ".gz").exists()


def _gone(
    file: WorkspaceFile, kind: Kind, reading: Reading[Any], items: Iterable[Staged], paths: Sequence[Path]
) -> list[str]:
    """Return ids that the added folders and files no longer hold; what is there but unreadable now stays."""
    folders = {_named(str(p.resolve())) for p in paths if p.is_dir()}
    present = {(_named(root), _named(relative)) for root, relative in reading.present}
    seen = {s.id for s in items}
    skipped = [_named(s.path) for s in reading.skipped]
    doubtful = {*skipped, *(place.rpartition(":")[0] for place in skipped)}
    covered = (s for s in file.staged(kind) if s.root in folders or _place(s) in present)
    return [s.id for s in covered if s.id not in seen and not _unread(s, doubtful)]


def _unread(staged: Staged, doubtful: Set[str]) -> bool:
    """Return whether the file, a line of it or a folder above it was skipped."""
    relative = PurePosixPath(staged.relative)
    return any(str(place) in doubtful for place in (relative, *relative.parents))
