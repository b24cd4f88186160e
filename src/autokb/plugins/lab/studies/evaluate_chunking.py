"""Evaluates chunkers: reads documents, cuts them by every method, and hands the chunks to the evaluation."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autokb.chunking.boilerplate.site_boilerplate import SiteBoilerplate
from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.methods import AUTO_CHUNKER, METHODS, check_method
from autokb.core.document_names import DocumentNames
from autokb.core.errors import BadInputError
from autokb.core.nouns import Failure, Skipped
from autokb.core.progress import Progress, silent
from autokb.core.settings import CHUNK_SIZE
from autokb.core.spending import NOTHING_SPENT
from autokb.pipeline.chunk_files import ChunkRequest, open_ledger, same_id, settings_of, with_site_boilerplate
from autokb.pipeline.model_choice import OFFLINE, model_of
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.read_pages import SourcePage, read_pages
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.documents import ChunkerSettings, chunk_pages
from autokb.plugins.lab.evaluation.chunking.datasets import read_gold, read_questions
from autokb.plugins.lab.evaluation.chunking.experiment import ChunkingData, Judging, evaluate_methods
from autokb.plugins.lab.evaluation.chunking.judges import JUDGE_TASKS, STAGE
from autokb.plugins.lab.evaluation.chunking.results import ChunkingReport, CountsByQuestion, MethodOutput
from autokb.plugins.lab.evaluation.experiment import ModelUsage
from autokb.plugins.lab.studies.run_report import model_usage
from autokb.sources import Fields
from autokb.sources.files import find_files
from autokb.tasks.judges.task_relevance.task import SUPPORT as SUPPORT  # the usual task


@dataclass(frozen=True, slots=True)
class ChunkEvaluation:
    """What a person wants of it: ``model`` answers every task, ``judge`` only those that judge and make questions.

    ``sample`` bounds the chunks of each method that are judged, ``asked`` the requests for questions where no file
    has any; ``gold`` is a file with the text that should be kept of each document. ``questions`` may be about other
    documents too only with ``others``.
    """

    methods: tuple[str, ...] = METHODS
    max_size: int = CHUNK_SIZE
    model: str = ""
    judge: str = ""
    questions: Path | None = None
    others: bool = False
    gold: Path | None = None
    task: str = SUPPORT
    sample: int = 100
    asked: int = 8
    ledger: Path | None = None
    settings: Path | None = None
    fields: Fields | None = None


def evaluate_chunking(
    paths: Sequence[Path],
    wanted: ChunkEvaluation,
    progress: Progress = silent,
    options: ModelOptions | None = None,
) -> ChunkingReport:
    """Cut the documents under the paths by every method and say what can be said of the chunks."""
    started = time.perf_counter()
    for name in wanted.methods:
        check_method(name)
    request = ChunkRequest(model=wanted.model, ledger=wanted.ledger, settings=wanted.settings)
    settings = settings_of(request)
    if wanted.judge:
        settings = replace(settings, tasks={**settings.tasks, **dict.fromkeys(JUDGE_TASKS, wanted.judge)})
    pages, skipped = _read(paths, wanted, progress)
    data = _data(pages, wanted)
    with open_ledger(request, settings, options, progress) as stages:
        outputs = [_chunk(stages, ChunkerSettings(name, wanted.max_size), pages) for name in wanted.methods]
        judging = Judging(
            runner=stages,
            embed=stages.embed,
            asks_model=lambda task: model_of(settings, request.mode, task, STAGE) != OFFLINE,
            task=wanted.task,
            sample=wanted.sample,
            requests=wanted.asked,
        )
        methods, questions = evaluate_methods(outputs, data, judging)
        unread = ModelUsage(tuple(Failure("read", s.path, s.reason) for s in skipped), NOTHING_SPENT)
        return ChunkingReport(
            methods=methods,
            documents=len(pages),
            questions=CountsByQuestion(len(questions), 0 if data.questions else len(questions)),
            usage=model_usage(stages, unread),
            seconds=round(time.perf_counter() - started, 3),
        )


def _read(paths: Sequence[Path], wanted: ChunkEvaluation, progress: Progress) -> tuple[list[MarkedPage], list[Skipped]]:
    """Read all files, and say of what could not be read why not; BadInputError where nothing is left to chunk."""
    files, skipped = find_files(paths, follow_links=True)
    sources: dict[str, SourcePage] = {}
    for number, file in enumerate(files, 1):
        found = read_pages(file, wanted.fields, with_blocks=AUTO_CHUNKER in wanted.methods)
        skipped.extend(found.skipped)
        for source in found.pages:
            if (first := sources.setdefault(source.document.id, source)) is not source:
                skipped.append(same_id(source, first.file))
        progress("read", number, len(files))
    if not sources:
        why = f": {skipped[0].path} {skipped[0].reason}" if skipped else "."
        raise BadInputError(f"There is no document to cut{why}")
    site = SiteBoilerplate()
    for source in sources.values():
        if source.blocks is not None:
            site.add(source.blocks)
    return [with_site_boilerplate(source, site).page for source in sources.values()], skipped


def _data(pages: Sequence[MarkedPage], wanted: ChunkEvaluation) -> ChunkingData:
    documents = {page.document.id: page.document for page in pages}
    names = DocumentNames(documents.values())
    lengths: Mapping[str, int] = {name: len(document.text) for name, document in documents.items()}
    return ChunkingData(
        documents,
        wanted.max_size,
        read_questions(wanted.questions, lengths, names.resolve, others=wanted.others) if wanted.questions else (),
        read_gold(wanted.gold, names.resolve) if wanted.gold else {},
    )


def _chunk(stages: Stages, chunker: ChunkerSettings, pages: Sequence[MarkedPage]) -> MethodOutput:
    started = time.perf_counter()
    results = chunk_pages(stages, chunker, pages)
    found = {page.document.id: result for page, result in zip(pages, results, strict=True) if result is not None}
    return MethodOutput(chunker.method, found, time.perf_counter() - started)
