"""Documents are chunked by any chunker, with whatever it needs: nothing, vectors, or a model that answers its task."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from autokb.chunking.auto.auto_chunker import chunk_from_replies, merge_requests
from autokb.chunking.baselines.llm_semantic import llm_semantic_session
from autokb.chunking.baselines.lumber_chunker import lumber_session
from autokb.chunking.baselines.semantic import chunk_by_vectors, texts_to_embed
from autokb.chunking.boilerplate.site_boilerplate import PageBlocks, SiteBoilerplate, page_blocks
from autokb.chunking.chunk_result import ChunkResult, MarkedPage, dump_result, load_result
from autokb.chunking.chunkers import chunk_page
from autokb.chunking.interactive import Session
from autokb.chunking.methods import AUTO_CHUNKER, LLM_SEMANTIC, LUMBER_CHUNKER, METHODS, SEMANTIC
from autokb.chunking.tree import chunks_with_text
from autokb.core.errors import UnreadableFileError
from autokb.core.ids import digest
from autokb.core.nouns import Chunk, Document
from autokb.core.plugins import version_of
from autokb.core.settings import Settings
from autokb.pipeline.stages import Stages, Work
from autokb.tasks.chunking.find_shift.task import TASK as FIND_SHIFT
from autokb.tasks.chunking.find_splits.task import TASK as FIND_SPLITS
from autokb.tasks.chunking.merge_blocks.task import TASK as MERGE_BLOCKS
from autokb.tasks.task import Task

STAGE = "chunks"
VERSIONS = {  # raise one when its chunker chunks a document otherwise
    **dict.fromkeys(METHODS, "4"),
    **dict.fromkeys(("headings", "recursive_html"), "5"),
    AUTO_CHUNKER: "7",
}
BLOCKS_STAGE = "blocks"
BLOCKS_VERSION = "2"  # raise it when the blocks of a page are hashed otherwise
EMBEDDED_AT_ONCE = 64  # documents whose vectors are in memory together
INTERACTIVE: Mapping[str, tuple[Task[Any, Any], Callable[[Document, int], Session[Any, Any]]]] = {
    LLM_SEMANTIC: (FIND_SPLITS, llm_semantic_session),
    LUMBER_CHUNKER: (FIND_SHIFT, lumber_session),
}
TASKS: Mapping[str, Task[Any, Any]] = {  # what a model can be asked, by the method that asks it
    AUTO_CHUNKER: MERGE_BLOCKS,
    **{method: task for method, (task, _) in INTERACTIVE.items()},
}


@dataclass(frozen=True, slots=True)
class ChunkerSettings:
    """A chunker and the most characters of a chunk.

    With ``rules_first`` a model is asked only about the blocks that the rules are unsure of (``auto_chunker`` only).
    """

    method: str
    max_size: int
    rules_first: bool = False


def chunk_documents(stages: Stages, settings: Settings, documents: Sequence[Document]) -> dict[str, list[Chunk]]:
    """Return the chunks with text of every document by its id, by the chunker of the settings, for a build.

    A document that cannot be chunked is a failure and missing. Where replies are awaited the chunks are not final.
    """
    pages = [MarkedPage(document) for document in documents]
    if settings.chunker == AUTO_CHUNKER:
        site = SiteBoilerplate()
        blocks = _remembered_blocks(stages, documents)
        for one in blocks:
            site.add(one)
        pages = [replace(page, site_boilerplate=site.on(one)) for page, one in zip(pages, blocks, strict=True)]
    results = chunk_pages(stages, ChunkerSettings(settings.chunker, settings.max_size), pages)
    return {
        page.document.id: list(chunks_with_text(result.chunks))
        for page, result in zip(pages, results, strict=True)
        if result is not None
    }


def _remembered_blocks(stages: Stages, documents: Sequence[Document]) -> list[PageBlocks]:
    """Return the blocks of documents; those of a document that did not change are looked up."""
    keys = [digest(BLOCKS_STAGE, BLOCKS_VERSION, d.id, d.url, d.text) for d in documents]
    known = stages.kept(keys, _read_blocks)
    blocks, fresh = [], {}
    for n, document in enumerate(documents):
        blocks.append(known[n] if n in known else page_blocks(document))
        if n not in known:
            fresh[keys[n]] = json.dumps([blocks[-1].site, *sorted(blocks[-1].hashes)])
    if fresh:
        stages.file.finish(BLOCKS_STAGE, fresh)
    return blocks


def _read_blocks(_position: int, text: str) -> PageBlocks:
    site, *hashes = json.loads(text)
    return PageBlocks(site, frozenset(hashes))


def chunk_pages(stages: Stages, chunker: ChunkerSettings, pages: Sequence[MarkedPage]) -> list[ChunkResult | None]:
    """Return what each page is chunked into; None for one that failed, which is reported, or awaits a reply."""
    task = TASKS.get(chunker.method)
    asked = task is not None and stages.asks_model(task, STAGE)
    if chunker.method == SEMANTIC:
        return _chunk_by_vectors(stages, chunker, pages)
    if asked and chunker.method == AUTO_CHUNKER:
        return _chunk_by_replies(stages, chunker, pages)
    if asked:
        return _chunk_interactively(stages, chunker, pages)
    also = ["\n".join(sorted(p.site_boilerplate)) if chunker.method == AUTO_CHUNKER else "" for p in pages]
    return _remembered(stages, chunker, pages, also, Work(partial(_chunk, chunker), pages.__getitem__))


def _chunk(chunker: ChunkerSettings, page: MarkedPage) -> str:
    return dump_result(chunk_page(page, chunker.method, chunker.max_size))


def _remembered(
    stages: Stages,
    chunker: ChunkerSettings,
    pages: Sequence[MarkedPage],
    also: Sequence[str],
    work: Work[Any],
) -> list[ChunkResult | None]:
    keys = [_key(chunker, page, one) for page, one in zip(pages, also, strict=True)]
    names = [p.document.id for p in pages]
    return stages.remember(STAGE, keys, names, work, _result_reader(pages))


def _result_reader(pages: Sequence[MarkedPage]) -> Callable[[int, str], ChunkResult]:
    return lambda n, text: load_result(pages[n].document.id, text)


def _key(chunker: ChunkerSettings, page: MarkedPage, also: str) -> str:
    document = page.document
    read = (document.id, document.title, document.text, repr(page.marks) if page.marks else "")
    version = VERSIONS.get(chunker.method) or version_of(chunker.method)
    return digest("chunks", version, chunker.method, str(chunker.max_size), *read, also)


def _chunk_by_vectors(
    stages: Stages, chunker: ChunkerSettings, pages: Sequence[MarkedPage]
) -> list[ChunkResult | None]:
    """Chunk by vectors, some documents at a time; only those that are new are embedded."""
    results: list[ChunkResult | None] = []
    for batch in _batches(pages, EMBEDDED_AT_ONCE):
        vectors = _sentence_vectors(stages, chunker, batch)

        def thing(
            n: int, batch: Sequence[MarkedPage] = batch, vectors: Mapping[int, Any] = vectors
        ) -> tuple[Document, list[Any] | None]:
            return batch[n].document, vectors.get(n)

        work = Work(partial(_chunk_with_vectors, chunker.max_size), thing)
        results += _remembered(stages, chunker, batch, [stages.encoder.name] * len(batch), work)
    return results


def _chunk_with_vectors(max_size: int, one: tuple[Document, list[Any] | None]) -> str:
    document, vectors = one
    if vectors is None:
        texts_to_embed(document)  # raises what says why it cannot be chunked
    return dump_result(chunk_by_vectors(document, max_size, vectors or None))


def _sentence_vectors(stages: Stages, chunker: ChunkerSettings, pages: Sequence[MarkedPage]) -> dict[int, list[Any]]:
    """Return the vectors of the sentences of each page that is new and can be chunked, by its place."""
    keys = [_key(chunker, page, stages.encoder.name) for page in pages]
    known = stages.kept(keys, _result_reader(pages))
    texts: dict[int, tuple[str, ...]] = {}
    for n, page in enumerate(pages):
        if n not in known:
            with suppress(UnreadableFileError):
                texts[n] = texts_to_embed(page.document)
    everything = [text for one in texts.values() for text in one]
    vectors = iter(stages.embed(everything)) if everything else iter(())
    return {n: list(islice(vectors, len(one))) for n, one in texts.items()}


def _batches(pages: Iterable[MarkedPage], size: int) -> Iterator[list[MarkedPage]]:
    waiting = iter(pages)
    while batch := list(islice(waiting, size)):
        yield batch


def _chunk_by_replies(
    stages: Stages, chunker: ChunkerSettings, pages: Sequence[MarkedPage]
) -> list[ChunkResult | None]:
    """Ask a model which blocks belong together; where a reply is missing the structure answers, and it is counted."""
    requests = [merge_requests(page, chunker.rules_first) for page in pages]
    names = [page.document.id for page, asked in zip(pages, requests, strict=True) for _ in asked]
    replies = iter(stages.run(STAGE, MERGE_BLOCKS, [request for asked in requests for request in asked], names))
    return [
        chunk_from_replies(page, list(islice(replies, len(asked))), chunker.max_size, chunker.rules_first)
        for page, asked in zip(pages, requests, strict=True)
    ]


def _chunk_interactively(
    stages: Stages, chunker: ChunkerSettings, pages: Sequence[MarkedPage]
) -> list[ChunkResult | None]:
    """Ask a model window after window of each document, since one begins where the last was split; side by side."""
    task, begin = INTERACTIVE[chunker.method]
    sessions = [begin(page.document, chunker.max_size) for page in pages]
    results: list[ChunkResult | None] = [None] * len(pages)
    answers: dict[int, Any] = dict.fromkeys(range(len(pages)))
    while answers:
        questions: dict[int, Any] = {}
        for place, answer in answers.items():
            try:
                questions[place] = sessions[place].send(answer)
            except StopIteration as end:
                results[place] = end.value
        names = [pages[place].document.id for place in questions]
        replies = stages.run(STAGE, task, list(questions.values()), names)
        answers = {place: reply for place, reply in zip(questions, replies, strict=True) if reply is not None}
    return results
