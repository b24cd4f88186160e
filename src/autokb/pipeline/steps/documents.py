"""Documents cut by any chunker, with whatever it needs: nothing, vectors, or a model that answers its task."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from autokb.chunking.auto_chunker import cut_from_replies, merge_requests
from autokb.chunking.chunkers import CHUNKERS, cut_document
from autokb.chunking.cutting import Cut
from autokb.chunking.llm_semantic import llm_semantic
from autokb.chunking.lumber_chunker import lumber
from autokb.chunking.semantic import cut_by_vectors, semantic_texts
from autokb.chunking.tree import with_text
from autokb.core.errors import BadInputError, UnreadableFileError
from autokb.core.ids import digest
from autokb.core.nouns import Chunk, Document
from autokb.core.settings import Settings
from autokb.pipeline.cut_records import cut_text, read_cut
from autokb.pipeline.reading_pages import SourcePage
from autokb.pipeline.site_blocks import SiteBlocks, remembered_blocks
from autokb.pipeline.stages import Stages
from autokb.tasks.chunking.find_shift.task import TASK as FIND_SHIFT
from autokb.tasks.chunking.find_splits.task import TASK as FIND_SPLITS
from autokb.tasks.chunking.merge_blocks.task import TASK as MERGE_BLOCKS
from autokb.tasks.task import Task

STAGE = "chunks"
VERSION = "3"  # raise it when a chunker cuts the same document otherwise
AUTO_CHUNKER = "auto_chunker"
SEMANTIC = "semantic"
EMBEDDED_AT_ONCE = 64  # documents whose vectors are in memory together
Talk = Generator[Any, Any, Cut]
TALKS: Mapping[str, tuple[Task[Any, Any], Callable[[Document, int], Talk]]] = {
    "llm_semantic": (FIND_SPLITS, llm_semantic),
    "lumber_chunker": (FIND_SHIFT, lumber),
}
TASKS: Mapping[str, Task[Any, Any]] = {AUTO_CHUNKER: MERGE_BLOCKS, **{name: task for name, (task, _) in TALKS.items()}}
METHODS = tuple(sorted(CHUNKERS))


@dataclass(frozen=True, slots=True)
class Cutting:
    """How documents are cut; with ``rules_first`` a model sees only the blocks that the rules are unsure of."""

    method: str
    max_size: int
    rules_first: bool = False


def check_method(method: str) -> None:
    """Refuse a chunker that there is not."""
    if method not in METHODS:
        raise BadInputError(f"There is no chunker {method!r}; choose one of: {', '.join(METHODS)}.")


def cut_alone(page: SourcePage, cutting: Cutting, repeated: frozenset[str] = frozenset()) -> Cut:
    """Cut one page by a chunker that needs no vectors, its tasks answered offline."""
    return cut_document(page.document, cutting.method, cutting.max_size, page.marks, repeated)


def chunk_documents(stages: Stages, settings: Settings, documents: Sequence[Document]) -> dict[str, list[Chunk]]:
    """Return the chunks with text of every document by its id, by the chunker of the settings, for a build.

    A document that cannot be cut is a failure and missing. Stops (StoppedOnPurposeError) where replies are awaited,
    since what follows would ask about other chunks.
    """
    cutting = Cutting(settings.chunker, settings.max_size)
    site = SiteBlocks()
    pages = [SourcePage(document) for document in documents]
    if cutting.method == AUTO_CHUNKER:
        pages = remembered_blocks(stages.file, documents)
    for page in pages:
        site.add(page)
    found = cut_pages(stages, settings, cutting, pages, [site.repeated_in(page) for page in pages])
    stages.stop_if_awaited()
    return {p.document.id: list(with_text(c.chunks)) for p, c in zip(pages, found, strict=True) if c is not None}


def cut_pages(
    stages: Stages,
    settings: Settings,
    cutting: Cutting,
    pages: Sequence[SourcePage],
    repeated: Sequence[frozenset[str]],
) -> list[Cut | None]:
    """Return what each page is cut into; None for one that failed (it stands in ``failures``) or awaits a reply.

    ``repeated`` are, for each page, those of its blocks that stand on many pages of its site.
    """
    task = TASKS.get(cutting.method)
    asked = task is not None and stages.asks_model(task, STAGE)
    if cutting.method == SEMANTIC:
        return _by_vectors(stages, cutting, pages)
    if asked and cutting.method == AUTO_CHUNKER:
        return _merged(stages, cutting, pages, repeated)
    if asked:
        return _talked_through(stages, cutting, pages)
    also = ["\n".join(sorted(own)) for own in repeated]
    return _remembered(stages, cutting, pages, also, lambda n: cut_alone(pages[n], cutting, repeated[n]))


def _remembered(
    stages: Stages, cutting: Cutting, pages: Sequence[SourcePage], also: Sequence[str], work: Callable[[int], Cut]
) -> list[Cut | None]:
    keys = [_key(cutting, page, own) for page, own in zip(pages, also, strict=True)]
    texts = stages.remember(STAGE, keys, [p.document.id for p in pages], lambda n: cut_text(work(n)))
    return [None if t is None else read_cut(p.document.id, t) for p, t in zip(pages, texts, strict=True)]


def _key(cutting: Cutting, page: SourcePage, also: str) -> str:
    document = page.document
    told = (document.id, document.title, document.text, repr(page.marks) if page.marks else "")
    return digest("chunks", VERSION, cutting.method, str(cutting.max_size), *told, also)


def _by_vectors(stages: Stages, cutting: Cutting, pages: Sequence[SourcePage]) -> list[Cut | None]:
    """Cut at vectors, some documents at a time; only those that are new are embedded."""
    found: list[Cut | None] = []
    for part in _batches(pages, EMBEDDED_AT_ONCE):
        keys = [_key(cutting, page, stages.encoder.name) for page in part]
        known = stages.file.finished(sorted(set(keys)))
        texts = {n: _sentences(p.document) for n, p in enumerate(part) if keys[n] not in known}
        everything = [text for own in texts.values() for text in own or ()]
        vectors = iter(stages.embed(everything)) if everything else iter(())
        own = {n: list(islice(vectors, len(t))) for n, t in texts.items() if t is not None}

        def work(n: int, part: Sequence[SourcePage] = part, own: Mapping[int, Any] = own) -> Cut:
            if n not in own:
                semantic_texts(part[n].document)  # says why it cannot be cut
            return cut_by_vectors(part[n].document, cutting.max_size, own[n] or None)

        found += _remembered(stages, cutting, part, [stages.encoder.name] * len(part), work)
    return found


def _sentences(document: Document) -> tuple[str, ...] | None:
    try:
        return semantic_texts(document)
    except UnreadableFileError:
        return None


def _batches(pages: Iterable[SourcePage], size: int) -> Iterable[list[SourcePage]]:
    waiting = iter(pages)
    while part := list(islice(waiting, size)):
        yield part


def _merged(
    stages: Stages, cutting: Cutting, pages: Sequence[SourcePage], repeated: Sequence[frozenset[str]]
) -> list[Cut | None]:
    """Ask a model which blocks belong together; where a reply is missing the structure answers, and it is counted."""
    first = cutting.rules_first
    asked = [merge_requests(p.document, p.marks, first, own) for p, own in zip(pages, repeated, strict=True)]
    names = [page.document.id for page, own in zip(pages, asked, strict=True) for _ in own]
    replies = iter(stages.run(STAGE, MERGE_BLOCKS, [request for own in asked for request in own], names))
    return [
        cut_from_replies(p.document, list(islice(replies, len(own))), cutting.max_size, p.marks, first, stands)
        for p, own, stands in zip(pages, asked, repeated, strict=True)
    ]


def _talked_through(stages: Stages, cutting: Cutting, pages: Sequence[SourcePage]) -> list[Cut | None]:
    """Ask a model window after window of each document, since one begins where the last was split; side by side."""
    task, begin = TALKS[cutting.method]
    talks = [begin(page.document, cutting.max_size) for page in pages]
    found: list[Cut | None] = [None] * len(pages)
    answers: dict[int, Any] = dict.fromkeys(range(len(pages)))
    while answers:
        questions: dict[int, Any] = {}
        for place, answer in answers.items():
            try:
                questions[place] = talks[place].send(answer)
            except StopIteration as end:
                found[place] = end.value
        names = [pages[place].document.id for place in questions]
        replies = stages.run(STAGE, task, list(questions.values()), names)
        answers = {place: reply for place, reply in zip(questions, replies, strict=True) if reply is not None}
    return found
