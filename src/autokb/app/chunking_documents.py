"""Answers ``chunk``: files and folders cut into chunks, one document after the other, without a workspace."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from autokb.app.page_spool import PageSpool
from autokb.app.side_by_side import side_by_side
from autokb.chunking.cutting import Cut
from autokb.core.domain import DomainSpec
from autokb.core.errors import BadInputError
from autokb.core.nouns import Document, Skipped
from autokb.core.settings import CHUNK_SIZE, Settings
from autokb.pipeline.cut_records import cut_body
from autokb.pipeline.model_choice import OFFLINE, check_settings, model_of
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.reading_pages import PagesOfFile, SourcePage, read_pages
from autokb.pipeline.site_blocks import SiteBlocks, with_blocks
from autokb.pipeline.stage_log import Progress, silent
from autokb.pipeline.stages import Stages, open_stages
from autokb.pipeline.steps.documents import (
    AUTO_CHUNKER,
    SEMANTIC,
    STAGE,
    TASKS,
    Cutting,
    check_method,
    cut_alone,
    cut_pages,
)
from autokb.sources import Fields
from autokb.sources.files import FoundFile, find_files
from autokb.stores.workspace import KNOWLEDGE_FILE, LOCK_FILE, MODES, Workspace, one_at_a_time, settings_from
from autokb.stores.workspace_file import WorkspaceFile

ASKED_AT_ONCE = 50  # documents whose questions go to a model side by side


@dataclass(frozen=True, slots=True)
class Chunking:
    """What a person wants of ``chunk``; ``ledger`` keeps what a model was paid for (None: for this call only).

    ``settings`` is a file like a workspace's settings.yaml; ``fields`` say where records keep their text.
    """

    method: str = AUTO_CHUNKER
    max_size: int = CHUNK_SIZE
    model: str = ""
    mode: str = "economical"
    rules_first: bool = False
    ledger: Path | None = None
    jobs: int = 1
    settings: Path | None = None
    fields: Fields | None = None

    @property
    def cutting(self) -> Cutting:
        """What the chunkers must know of it."""
        return Cutting(self.method, self.max_size, self.rules_first)


@dataclass(frozen=True, slots=True)
class Chunked:
    """One document and what it was cut into; ``model`` is what answered the chunker's task, empty where it has none."""

    document: Document
    method: str
    cut: Cut
    seconds: float
    model: str = ""

    def as_json(self, *, markdown: bool = False) -> dict[str, Any]:
        """Return the contract's entry of a document."""
        found = {
            "document": self.document.id,
            "title": self.document.title,
            "method": self.method,
            **cut_body(self.cut),
            "seconds": round(self.seconds, 4),
        }
        if self.model:
            found["model"] = self.model
        return {**found, "markdown": self.document.text} if markdown else found


Result = Chunked | Skipped


def chunk_files(
    paths: Sequence[Path], chunking: Chunking, *, options: ModelOptions | None = None, progress: Progress = silent
) -> Iterator[Result]:
    """Return the documents under the paths as they are cut, and what could not be; nothing is read before that.

    Raises BadInputError for a path that does not exist, a method that is not there, and settings that are wrong. All
    pages are read before the first is cut, since the same block on many pages of a site is noise; they wait on the
    disk, so that memory holds one page, or those that a model is asked about at once.
    """
    check_method(chunking.method)
    settings = settings_of(chunking)
    files, skipped = find_files(paths)
    return _results(files, skipped, chunking, settings, options, progress)


def settings_of(chunking: Chunking) -> Settings:
    """Return the settings of a call (BadInputError where something is wrong with them)."""
    if chunking.mode not in MODES:
        raise BadInputError(f"--mode takes {' or '.join(MODES)}, not {chunking.mode!r}.")
    if chunking.rules_first and chunking.method != AUTO_CHUNKER:
        raise BadInputError(f"--rules-first is of {AUTO_CHUNKER}; leave it out for {chunking.method}.")
    settings = settings_from(chunking.settings, chunking.model)
    check_settings(settings)
    return settings


def answered_by(chunking: Chunking) -> str:
    """Return the model that answers the chunker's task: ``offline``, or nothing for a chunker without one."""
    task = TASKS.get(chunking.method)
    return "" if task is None else model_of(settings_of(chunking), chunking.mode, task.name, STAGE)


def _results(
    files: Sequence[FoundFile],
    skipped: Iterable[Skipped],
    chunking: Chunking,
    settings: Settings,
    options: ModelOptions | None,
    progress: Progress,
) -> Iterator[Result]:
    yield from skipped
    model = answered_by(chunking)
    with PageSpool() as spool, side_by_side(chunking.jobs) as each:
        site = SiteBlocks()
        read = partial(read_with_blocks if chunking.method == AUTO_CHUNKER else read_pages, fields=chunking.fields)
        for number, found in enumerate(each(read, files), 1):
            yield from found.skipped
            yield from _kept(found.pages, spool, site)
            progress("read", number, len(files))
        if chunking.method == SEMANTIC or model not in ("", OFFLINE):
            yield from _cut_by_stages(spool, site, chunking, settings, model, options, progress)
            return
        tasks = ((page, site.repeated_in(page)) for page in spool)
        for number, result in enumerate(each(partial(_cut_one, chunking.cutting, model), tasks), 1):
            yield result
            progress(STAGE, number, spool.count)


def read_with_blocks(file: FoundFile, fields: Fields | None = None) -> PagesOfFile:
    """Read a file and tell the paragraphs of its pages."""
    found, pages, skipped = read_pages(file, fields), [], []
    for page in found.pages:
        try:
            pages.append(with_blocks(page))
        except Exception as error:
            skipped.append(_not_cut(page, error))
    return PagesOfFile(tuple(pages), (*found.skipped, *skipped))


def _not_cut(page: SourcePage, error: Exception) -> Skipped:
    """Say why a page cannot be cut: one bad page must not end the others."""
    return Skipped(page.place, f"cannot be cut ({type(error).__name__}: {error}).")


def _kept(pages: Iterable[SourcePage], spool: PageSpool, site: SiteBlocks) -> Iterator[Skipped]:
    """Keep the pages for the second pass; one whose id another has already is given back."""
    for page in pages:
        if (first := spool.places.get(page.document.id)) is not None:
            yield Skipped(page.place, same_id(page, first))
            continue
        spool.add(page)
        site.add(page)


def same_id(page: SourcePage, first: str) -> str:
    """Say why a page is left out whose id the page of the file ``first`` has; both files are named in full."""
    return f"has the id {page.document.id!r} in {page.file}, which {first} has already; cut it alone."


def _cut_one(cutting: Cutting, model: str, task: tuple[SourcePage, frozenset[str]]) -> Result:
    page, repeated = task
    started = time.perf_counter()
    try:
        cut = cut_alone(page, cutting, repeated)
    except Exception as error:
        return _not_cut(page, error)
    return Chunked(page.document, cutting.method, cut, page.seconds + time.perf_counter() - started, model)


def _cut_by_stages(
    spool: PageSpool,
    site: SiteBlocks,
    chunking: Chunking,
    settings: Settings,
    model: str,
    options: ModelOptions | None,
    progress: Progress,
) -> Iterator[Result]:
    """Cut with vectors or a model's answers, some documents side by side."""
    waiting = iter(spool)
    with open_ledger(chunking, settings, options, progress) as stages:
        while pages := list(islice(waiting, ASKED_AT_ONCE)):
            started, failures = time.perf_counter(), len(stages.failures)
            repeated = [site.repeated_in(page) for page in pages]
            cuts = cut_pages(stages, settings, chunking.cutting, pages, repeated)
            each = (time.perf_counter() - started) / len(pages)
            places = {page.document.id: page.place for page in pages}
            for page, cut in zip(pages, cuts, strict=True):
                if cut is not None:
                    yield Chunked(page.document, chunking.method, cut, page.seconds + each, model)
            for failure in stages.failures[failures:]:
                yield Skipped(places.get(failure.item, failure.item), failure.reason)


@contextmanager
def open_ledger(
    chunking: Chunking, settings: Settings, options: ModelOptions | None, progress: Progress
) -> Iterator[Stages]:
    """Give stages on a ledger of their own: there is no workspace, and what was paid for must be kept somewhere."""
    with ExitStack() as stack:
        path = chunking.ledger
        if path is None:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="autokb-chunk-"))) / "ledger.db"
        _check_ledger(path)
        real = path.resolve()  # a link to a workspace's file is that file
        lock = real.with_name(LOCK_FILE if real.name == KNOWLEDGE_FILE else f"{real.name}.lock")
        stack.enter_context(one_at_a_time(lock, f"Another call is at work with {path}"))
        file = WorkspaceFile(path, create=True)
        stack.callback(file.close)
        workspace = Workspace(path.parent, DomainSpec("chunk"), settings, "", chunking.mode)
        yield stack.enter_context(open_stages(workspace, file, progress, options))


def _check_ledger(path: Path) -> None:
    """Refuse a file that is something else, before anything is written into it."""
    if not path.parent.is_dir() or path.is_dir():
        raise BadInputError(f"--ledger {path}: name a file in a folder that is there; it is made on first use.")
    if not path.exists() or not path.stat().st_size:
        return
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            found = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'work'").fetchone()
    except sqlite3.DatabaseError:
        found = None
    if not found:
        raise BadInputError(
            f"--ledger {path} is another kind of file; name a new one, or the ledger of an earlier call."
        )
