"""Answers ``chunk``: files and folders become chunks, one document after the other, without a workspace."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from autokb.chunking.boilerplate.site_boilerplate import SiteBoilerplate
from autokb.chunking.chunk_result import ChunkResult, MarkedPage, result_body
from autokb.chunking.chunkers import chunk_page
from autokb.chunking.methods import AUTO_CHUNKER, SEMANTIC, check_method
from autokb.core.domain import DomainSpec
from autokb.core.errors import BadInputError
from autokb.core.nouns import Document, Skipped
from autokb.core.progress import Progress, silent
from autokb.core.settings import CHUNK_SIZE, Settings
from autokb.pipeline.model_choice import OFFLINE, check_settings, model_of
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.process_pool import DiskQueue, process_pool
from autokb.pipeline.read_pages import SourcePage, not_chunked, read_pages
from autokb.pipeline.stages import Stages, open_stages
from autokb.pipeline.steps.documents import STAGE, TASKS, ChunkerSettings, chunk_pages
from autokb.sources import Fields
from autokb.sources.files import FoundFile, find_files
from autokb.stores.database import failures_as_sentences, has_table
from autokb.stores.workspace import KNOWLEDGE_FILE, LOCK_FILE, MODES, Workspace, one_at_a_time, settings_from
from autokb.stores.workspace_file import WorkspaceFile

ASKED_AT_ONCE = 50  # documents whose questions go to a model side by side


@dataclass(frozen=True, slots=True)
class ChunkRequest:
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
    def chunker(self) -> ChunkerSettings:
        """The part of it that a chunker is given."""
        return ChunkerSettings(self.method, self.max_size, self.rules_first)


@dataclass(frozen=True, slots=True)
class ChunkedDocument:
    """One document and its chunks; ``model`` is what answered the chunker's task, empty where it has none."""

    document: Document
    method: str
    result: ChunkResult
    seconds: float
    model: str = ""

    def as_json(self, *, markdown: bool = False) -> dict[str, Any]:
        """Return the contract's entry of a document."""
        found = {
            "document": self.document.id,
            "title": self.document.title,
            "method": self.method,
            **result_body(self.result),
            "seconds": round(self.seconds, 4),
        }
        if self.model:
            found["model"] = self.model
        return {**found, "markdown": self.document.text} if markdown else found


def chunk_files(
    paths: Sequence[Path], request: ChunkRequest, *, options: ModelOptions | None = None, progress: Progress = silent
) -> Iterator[ChunkedDocument | Skipped]:
    """Return the documents under the paths as they are chunked, and what could not be; nothing is read before that.

    Raises BadInputError for a path that does not exist, a method that is not there, and settings that are wrong. All
    pages are read before the first is chunked, since the same block on many pages of a site is boilerplate; they wait
    on the disk, so that memory holds one page, or those that a model is asked about at once.
    """
    check_method(request.method)
    settings = settings_of(request)
    files, skipped = find_files(paths, follow_links=True)
    return _read_and_chunk(files, skipped, request, settings, options, progress)


def settings_of(request: ChunkRequest) -> Settings:
    """Return the settings of a call (BadInputError where something is wrong with them)."""
    if request.mode not in MODES:
        raise BadInputError(f"--mode takes {' or '.join(MODES)}, not {request.mode!r}.")
    if request.rules_first and request.method != AUTO_CHUNKER:
        raise BadInputError(f"--rules-first is of {AUTO_CHUNKER}; leave it out for {request.method}.")
    settings = settings_from(request.settings, request.model)
    check_settings(settings)
    return settings


def answered_by(request: ChunkRequest) -> str:
    """Return the model that answers the chunker's task: ``offline``, or nothing for a chunker without one."""
    task = TASKS.get(request.method)
    return "" if task is None else model_of(settings_of(request), request.mode, task.name, STAGE)


def _read_and_chunk(
    files: Sequence[FoundFile],
    skipped: Sequence[Skipped],
    request: ChunkRequest,
    settings: Settings,
    options: ModelOptions | None,
    progress: Progress,
) -> Iterator[ChunkedDocument | Skipped]:
    yield from skipped
    model = answered_by(request)
    site = SiteBoilerplate()
    taken: dict[str, str] = {}  # the file that each id is from
    with DiskQueue[SourcePage]() as queue, process_pool(request.jobs) as parallel_map:
        read = partial(read_pages, fields=request.fields, with_blocks=request.method == AUTO_CHUNKER)
        for number, found in enumerate(parallel_map(read, files), 1):
            yield from found.skipped
            for source in found.pages:
                if source.document.id in taken:
                    yield same_id(source, taken[source.document.id])
                    continue
                taken[source.document.id] = source.file
                queue.add(source)
                if source.blocks is not None:
                    site.add(source.blocks)
            progress("read", number, len(files))
        sources = (with_site_boilerplate(source, site) for source in queue)
        if request.method == SEMANTIC or model not in ("", OFFLINE):
            with open_ledger(request, settings, options, progress) as stages:
                yield from _chunk_in_stages(stages, request, sources, model)
            return
        for number, result in enumerate(parallel_map(partial(_chunk_one, request.chunker, model), sources), 1):
            yield result
            progress(STAGE, number, len(queue))


def same_id(source: SourcePage, first: str) -> Skipped:
    """Say why a page is left out whose id the page of the file ``first`` has; both files are named in full."""
    reason = f"has the id {source.document.id!r} in {source.file}, which {first} has already; cut it alone."
    return Skipped(source.place, reason)


def with_site_boilerplate(source: SourcePage, site: SiteBoilerplate) -> SourcePage:
    """Return a page that knows which of its blocks many pages of its site have, where its blocks were asked for."""
    if source.blocks is None:
        return source
    return replace(source, page=replace(source.page, site_boilerplate=site.on(source.blocks)))


def _chunk_one(chunker: ChunkerSettings, model: str, source: SourcePage) -> ChunkedDocument | Skipped:
    started = time.perf_counter()
    try:
        result = chunk_page(source.page, chunker.method, chunker.max_size)
    except Exception as error:  # one page that breaks the chunker must not end the others
        return not_chunked(source.place, error)
    seconds = source.seconds + time.perf_counter() - started
    return ChunkedDocument(source.document, chunker.method, result, seconds, model)


def _chunk_in_stages(
    stages: Stages, request: ChunkRequest, sources: Iterator[SourcePage], model: str
) -> Iterator[ChunkedDocument | Skipped]:
    """Chunk with vectors or a model's answers, some documents side by side."""
    while batch := list(islice(sources, ASKED_AT_ONCE)):
        started, failures = time.perf_counter(), len(stages.log.failures)
        pages: list[MarkedPage] = [source.page for source in batch]
        results = chunk_pages(stages, request.chunker, pages)
        each = (time.perf_counter() - started) / len(batch)
        places = {source.document.id: source.place for source in batch}
        for source, result in zip(batch, results, strict=True):
            if result is not None:
                yield ChunkedDocument(source.document, request.method, result, source.seconds + each, model)
        for failure in stages.log.failures[failures:]:
            yield Skipped(places.get(failure.item, failure.item), failure.reason)


@contextmanager
def open_ledger(
    request: ChunkRequest, settings: Settings, options: ModelOptions | None, progress: Progress
) -> Iterator[Stages]:
    """Give stages on a ledger of their own: there is no workspace, and what was paid for must be kept somewhere."""
    with ExitStack() as stack:
        path = request.ledger
        if path is None:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="autokb-chunk-"))) / "ledger.db"
        _check_ledger(path)
        real = path.resolve()  # a link to a workspace's file is that file
        lock = real.with_name(LOCK_FILE if real.name == KNOWLEDGE_FILE else f"{real.name}.lock")
        stack.enter_context(one_at_a_time(lock, f"Another call is at work with {path}"))
        stack.enter_context(failures_as_sentences(path))
        file = WorkspaceFile(path, create=True)
        stack.callback(file.close)
        workspace = Workspace(path.parent, DomainSpec("chunk"), settings, "", request.mode)
        yield stack.enter_context(open_stages(workspace, file, progress, options))


def _check_ledger(path: Path) -> None:
    """Refuse a file that is something else, before anything is written into it."""
    if not path.parent.is_dir() or path.is_dir():
        raise BadInputError(f"--ledger {path}: name a file in a folder that is there; it is made on first use.")
    if not path.exists() or not path.stat().st_size:
        return
    if not has_table(path, "work"):
        raise BadInputError(
            f"--ledger {path} is another kind of file; name a new one, or the ledger of an earlier call."
        )
