"""Answers ``evaluate chunking``: the same documents cut by every method, judged where a model is named, and counted."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autokb.app.chunking_documents import Chunking, open_ledger, read_with_blocks, same_id, settings_of
from autokb.app.judging_chunks import (
    JUDGES,
    asked_of_model,
    asked_questions,
    judged_retrieval,
    judged_tenets,
    ranked,
    retrieval_of,
)
from autokb.core.document_names import DocumentNames
from autokb.core.errors import BadInputError
from autokb.core.nouns import Document, Skipped
from autokb.core.settings import CHUNK_SIZE, Settings
from autokb.evaluation.chunk_questions import Question, read_questions
from autokb.evaluation.chunking import CutMethod, mechanical_figures, sizes
from autokb.evaluation.mechanical import furniture_of
from autokb.evaluation.tenets import retrieval_figures
from autokb.pipeline.embedding import embedder_of
from autokb.pipeline.models import ASK_MODELS, AskModels
from autokb.pipeline.reading_pages import SourcePage, read_pages
from autokb.pipeline.site_blocks import SiteBlocks
from autokb.pipeline.stages import Progress, Stages, silent
from autokb.pipeline.steps.documents import AUTO_CHUNKER, METHODS, Cutting, check_method, cut_pages
from autokb.sources import Fields
from autokb.sources.files import find_files
from autokb.tasks.judges.relevance.task import TASK as RELEVANCE
from autokb.tasks.judges.task_relevance.task import SUPPORT

__all__ = ["METHODS", "SUPPORT", "ChunkEvaluation", "evaluate_chunking"]


@dataclass(frozen=True, slots=True)
class ChunkEvaluation:
    """What a person wants of it: ``model`` answers every task, ``judge`` only those that judge and make questions.

    ``sample`` bounds the chunks of each method that are judged, ``asked`` the requests for questions where no file
    has any; ``gold`` is a file with the text that should be kept of each document.
    """

    methods: tuple[str, ...] = METHODS
    max_size: int = CHUNK_SIZE
    model: str = ""
    judge: str = ""
    questions: Path | None = None
    gold: Path | None = None
    task: str = SUPPORT
    sample: int = 100
    asked: int = 8
    ledger: Path | None = None
    settings: Path | None = None
    fields: Fields | None = None


@dataclass(frozen=True)
class _Given:
    """The documents that are cut and what belongs to them."""

    pages: Sequence[SourcePage]
    repeated: Sequence[frozenset[str]]
    documents: Mapping[str, Document]
    skipped: Sequence[Skipped]
    questions: Sequence[Question]
    gold: Mapping[str, str]


def evaluate_chunking(
    paths: Sequence[Path],
    wanted: ChunkEvaluation,
    progress: Progress = silent,
    asking: AskModels = ASK_MODELS,
) -> dict[str, Any]:
    """Cut the documents under the paths by every method and say what can be said of the chunks."""
    started = time.perf_counter()
    for name in wanted.methods:
        check_method(name)
    chunking = Chunking(model=wanted.model, ledger=wanted.ledger, settings=wanted.settings)
    settings = _judged_by(settings_of(chunking), wanted.judge)
    given = _given(paths, wanted, progress)
    with open_ledger(chunking, settings, asking, progress) as stages:
        cut = [_cut(stages, settings, wanted, given, name) for name in wanted.methods]
        bodies = {method.name: _counted(method, given, wanted) for method in cut}
        questions = given.questions or asked_questions(stages, cut, given.documents, wanted.asked)
        for method in cut:
            tenets = judged_tenets(stages, method, wanted.sample, wanted.task)
            bodies[method.name] |= _found(stages, settings, method, given, questions, tenets)
        return {
            "methods": bodies,
            "documents": len(given.pages),
            "questions": {"n": len(questions), "made": 0 if given.questions else len(questions)},
            "failures": _failures(given, stages),
            **stages.spending(),
            "seconds": round(time.perf_counter() - started, 3),
        }


def _judged_by(settings: Settings, judge: str) -> Settings:
    return replace(settings, tasks={**settings.tasks, **dict.fromkeys(JUDGES, judge)}) if judge else settings


def _given(paths: Sequence[Path], wanted: ChunkEvaluation, progress: Progress) -> _Given:
    files, skipped = find_files(paths)
    pages: dict[str, SourcePage] = {}
    read = read_with_blocks if AUTO_CHUNKER in wanted.methods else read_pages
    for number, file in enumerate(files, 1):
        found = read(file, wanted.fields)
        skipped.extend(found.skipped)
        for page in found.pages:
            if (first := pages.setdefault(page.document.id, page)) is not page:
                skipped.append(Skipped(page.place, same_id(page, first.file)))
        progress("read", number, len(files))
    if not pages:
        why = f": {skipped[0].path} {skipped[0].reason}" if skipped else "."
        raise BadInputError(f"There is no document to cut{why}")
    site = SiteBlocks()
    for page in pages.values():
        site.add(page)
    documents = {name: page.document for name, page in pages.items()}
    names = DocumentNames(documents.values())
    lengths = {name: len(document.text) for name, document in documents.items()}
    questions = read_questions(wanted.questions, lengths, names.resolve) if wanted.questions else []
    gold = _gold(wanted.gold, names) if wanted.gold else {}
    repeated = [site.repeated_in(page) for page in pages.values()]
    return _Given(list(pages.values()), repeated, documents, skipped, questions, gold)


def _gold(path: Path, names: DocumentNames) -> dict[str, str]:
    """Read JSON Lines with ``document`` and ``text``."""
    found = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} cannot be read ({error}); give a JSONL file in UTF-8.") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            record = _record(line)
            if (document := names.resolve(str(record.get("document", "")))) is None or "text" not in record:
                raise BadInputError(f"{path}, line {number} needs document (one of those given) and text.")
            found[document] = str(record["text"])
    return found


def _record(line: str) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def _cut(stages: Stages, settings: Settings, wanted: ChunkEvaluation, given: _Given, name: str) -> CutMethod:
    started = time.perf_counter()
    repeated = given.repeated if name == AUTO_CHUNKER else [frozenset[str]()] * len(given.pages)
    cuts = cut_pages(stages, settings, Cutting(name, wanted.max_size), given.pages, repeated)
    found = {page.document.id: cut for page, cut in zip(given.pages, cuts, strict=True) if cut is not None}
    return CutMethod(name, found, time.perf_counter() - started)


def _counted(method: CutMethod, given: _Given, wanted: ChunkEvaluation) -> dict[str, Any]:
    documents = list(given.documents.values())
    chunks = method.chunks()
    furniture = furniture_of(documents)
    return {
        "chunks": len(chunks),
        "size": sizes(chunks),
        "tenets": {},
        "mechanical": mechanical_figures(method, documents, wanted.max_size, furniture, given.gold),
        "seconds": round(method.seconds, 3),
    }


def _found(
    stages: Stages,
    settings: Settings,
    method: CutMethod,
    given: _Given,
    questions: Sequence[Question],
    tenets: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the tenets with weighted precision, and what of the needed text is found, where there are questions."""
    if not questions or not method.chunks():
        return {"tenets": {**tenets, **retrieval_figures([])}}
    order = ranked(stages, embedder_of(settings), method, given.documents, questions)
    judged = asked_of_model(stages, RELEVANCE.name)
    precision = judged_retrieval(stages, order, questions) if judged else retrieval_figures([])
    retrieval = retrieval_of(order, questions)
    return {"tenets": {**tenets, **precision}, **({"retrieval": retrieval} if retrieval else {})}


def _failures(given: _Given, stages: Stages) -> list[dict[str, str]]:
    """Return the files that were not read, and the items that a chunker or a judge failed at."""
    read = [{"stage": "read", "item": s.path, "reason": s.reason} for s in given.skipped]
    return [*read, *({"stage": f.stage, "item": f.item, "reason": f.reason} for f in stages.failures)]
