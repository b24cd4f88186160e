"""Answers ``evaluate retrieval``: with labelled questions, or with variations of the knowledge base's own texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from autokb.app.evaluated_systems import Systems, chosen
from autokb.app.own_variations import asked_variations, origins_of
from autokb.app.unaided import UNAIDED, ask_unaided, check_model
from autokb.core.document_names import DocumentNames
from autokb.core.errors import BadInputError
from autokb.evaluation.datasets import read_qrels, read_queries, resolve
from autokb.evaluation.experiment import evaluate_retrieval
from autokb.evaluation.variations import evaluate_variations
from autokb.llm.embedders import paid
from autokb.pipeline.embedding import embedder_of
from autokb.pipeline.models import ASK_MODELS, AskModels
from autokb.pipeline.open_stages import open_stages
from autokb.pipeline.stages import Progress, Stages, silent
from autokb.retrieval.index import AskIndex, load_index
from autokb.stores.published import NOTHING_PUBLISHED, Published, published_spec, read_published
from autokb.stores.workspace import Workspace

SAMPLE = 50  # nodes and chunks each whose variations are asked


@dataclass(frozen=True)
class _Opened:
    """A published knowledge base with its systems, and the stages that ask models for it."""

    published: Published
    index: AskIndex
    systems: Systems
    stages: Stages


def evaluate_workspace_retrieval(
    workspace: Workspace,
    queries: Path,
    qrels: Path,
    names: Sequence[str] = (),
    progress: Progress = silent,
    asking: AskModels = ASK_MODELS,
) -> dict[str, Any]:
    """Answer ``evaluate retrieval`` for a workspace; no names means every system that asks no model."""
    asked = read_queries(queries)
    judged = read_qrels(qrels)
    wanted = _wanted(workspace, names)
    with _opened(workspace, progress, asking) as opened:
        systems = {name: opened.systems.system(name) for name in wanted}
        done = _counter(progress, len(asked))
        documents = DocumentNames(tuple(opened.published.kb.documents.values()))
        answer = evaluate_retrieval(systems, asked, resolve(judged, documents.resolve), done=done)
        return {**answer, **_spent(opened.stages)}


def evaluate_own_variations(
    workspace: Workspace,
    names: Sequence[str] = (),
    sample: int = SAMPLE,
    progress: Progress = silent,
    asking: AskModels = ASK_MODELS,
) -> dict[str, Any]:
    """Answer ``evaluate retrieval --variations``: the KB's own nodes and chunks are asked in other words.

    ``sample`` bounds the nodes and the chunks, each; the same ones of the same knowledge base each time.
    """
    wanted = _wanted(workspace, names)
    with _opened(workspace, progress, asking) as opened:
        texts = origins_of(opened.published, sample)
        origins, made_by = asked_variations(workspace, opened.stages, opened.index.spec, texts)
        systems = {name: opened.systems.system(name) for name in wanted}
        questions = list(dict.fromkeys(v for o in origins for level in o.levels.values() for v in level))
        _embed_together(opened, questions)
        done = _counter(progress, sum(len(v) for o in origins for v in o.levels.values()))
        answer = evaluate_variations(systems, origins, done=done)
        return {**answer, **made_by, "sample": sample, **_spent(opened.stages)}


def _wanted(workspace: Workspace, names: Sequence[str]) -> list[str]:
    wanted = chosen(names)
    if UNAIDED in wanted:
        check_model(workspace)
    return wanted


@contextmanager
def _opened(workspace: Workspace, progress: Progress, asking: AskModels) -> Iterator[_Opened]:
    with workspace.file() as file:
        published = read_published(file)
        if not published.kb.documents and not published.kb.issues:
            raise BadInputError(NOTHING_PUBLISHED.format(folder=workspace.folder))
        with open_stages(workspace, file, progress, asking) as stages:
            embedder = embedder_of(workspace.settings)
            index = load_index(published, published_spec(workspace, published), embedder, file, progress)
            raw_issues = [published.raw_issues[i] for i in sorted(published.raw_issues)]
            ask = partial(ask_unaided, workspace, stages, embedder, raw_issues)
            yield _Opened(published, index, Systems(index, published, file, ask), stages)


def _embed_together(opened: _Opened, questions: Sequence[str]) -> None:
    """Embed many questions at once; those of a paid embedder are kept, so that a second run pays nothing."""
    embedder = opened.index.embedder
    if paid(embedder) is None:
        opened.systems.know(questions, embedder.embed(questions))
    else:
        opened.systems.know(questions, opened.stages.embed("embeddings", embedder, questions))


def _spent(stages: Stages) -> Mapping[str, Any]:
    """Return what models cost and which items they failed at."""
    failures = [{"stage": f.stage, "item": f.item, "reason": f.reason} for f in stages.failures]
    return {"failures": failures, **stages.spending()}


def _counter(progress: Progress, total: int) -> Callable[[str], None]:
    counts: dict[str, int] = {}

    def done(system: str) -> None:
        counts[system] = counts.get(system, 0) + 1
        progress(system, counts[system], total)

    return done
