"""Evaluates retrievers on a workspace: its documents by each encoder and search, asked its past or given questions."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autokb.core.document_names import DocumentNames
from autokb.core.domain import DomainSpec
from autokb.core.errors import BadInputError
from autokb.core.ids import digest
from autokb.core.nouns import Passage
from autokb.core.progress import Progress, silent
from autokb.heuristics.conversations.read_turn import read_turn
from autokb.pipeline.embedding import check_embedder
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.stages import Stages, open_stages, without_models
from autokb.pipeline.steps.passages import find_passages
from autokb.plugins.lab.evaluation.retrieval.experiment import QueryCounts
from autokb.plugins.lab.evaluation.retrieval.metrics import Relevant
from autokb.plugins.lab.evaluation.retrieval.retrievers import (
    NO_GRAPH,
    EncodedQuestions,
    RetrieverReport,
    first_cosines,
    has_graph,
    measure_retrievers,
)
from autokb.plugins.lab.evaluation.suggestions.cases import read_cases, resolve_case_documents
from autokb.plugins.lab.studies.run_report import NO_USAGE, budget_left, model_usage
from autokb.retrieval.corpus import Corpus
from autokb.retrieval.everyday_subjects import subjects_in
from autokb.retrieval.gate_fitting import everyday_questions, find_own_subjects
from autokb.retrieval.index import beginning, past_issues, unresolved_links
from autokb.stores.published import NOTHING_PUBLISHED, Published, published_spec, read_published
from autokb.stores.workspace import Workspace

PAST_ISSUES = "past issues with known documents"
GIVEN_CASES = "cases of the file"
EVERYDAY = "everyday questions about other things, as the product ships them"
NO_OUTCOMES = (
    "{folder} has no past issues with documents that resolved them; name questions with --cases FILE.jsonl (id, text, "
    "documents), or add issues with --resolved-by-field."
)


@dataclass(frozen=True)
class _Questions:
    """Questions by id with the documents that are right, and texts that are about something else."""

    source: str
    texts: Mapping[str, str]
    relevant: Mapping[str, Relevant]
    off_topic: tuple[str, ...]
    off_topic_source: str
    counts: QueryCounts


def evaluate_workspace_retrievers(
    workspace: Workspace,
    embedders: Sequence[str] = (),
    cases: Path | None = None,
    progress: Progress = silent,
    options: ModelOptions | None = None,
) -> RetrieverReport:
    """Answer ``evaluate retrievers``: no names mean the workspace's own encoder.

    Without ``cases`` the past issues ask whose documents are known. No retriever has seen an issue: what is searched
    are the documents alone, so each is asked with itself held out. Paid encoders share the budget.
    """
    started, options, usage = time.perf_counter(), options or ModelOptions(), NO_USAGE
    names = tuple(dict.fromkeys(embedders or (workspace.settings.embedder,)))
    for name in names:
        check_embedder(name)
    with workspace.file() as file:
        published = read_published(file)
        if not published.kb.documents:
            raise BadInputError(NOTHING_PUBLISHED.format(folder=workspace.folder))
        spec = published_spec(workspace, published)
        asked = _past_questions(workspace, published, spec) if cases is None else _given(cases, published, spec)
        documents = list(published.kb.documents.values())
        corpus = Corpus.of(published.kb.documents, published.chunks, spec.language)
        passages, _ = find_passages(file, documents, published.chunks, spec)
        encoded = {}
        for name in names:
            by_it = without_models(replace(workspace, settings=replace(workspace.settings, embedder=name)))
            with open_stages(by_it, file, progress, budget_left(options, usage.spending)) as stages:
                encoded[name] = _encode(stages, corpus, passages, asked)
                usage = model_usage(stages, usage)
    results, over_worst = measure_retrievers(encoded, asked.relevant)
    return RetrieverReport(
        results=results,
        over_worst=over_worst,
        dimensions={name: one.dimensions for name, one in encoded.items()},
        cosines={name: first_cosines(one, asked.relevant) for name, one in encoded.items()},
        queries=asked.counts,
        questions=asked.source,
        off_topic=asked.off_topic_source,
        notes=() if has_graph() else (NO_GRAPH,),
        usage=usage,
        seconds=time.perf_counter() - started,
    )


def _encode(stages: Stages, corpus: Corpus, passages: Sequence[Passage], asked: _Questions) -> EncodedQuestions:
    index = corpus.index(corpus.window_vectors(passages, stages.embed))
    vectors = stages.embed([beginning(asked.texts[question]) for question in asked.relevant])
    return EncodedQuestions(index, dict(zip(asked.relevant, vectors, strict=True)), stages.embed(asked.off_topic))


def _past_questions(workspace: Workspace, published: Published, spec: DomainSpec) -> _Questions:
    names = DocumentNames(published.kb.documents.values())
    raw = published.raw_issues.values()
    past = past_issues(raw, names)
    if not past:
        raise BadInputError(NO_OUTCOMES.format(folder=workspace.folder))
    return _Questions(
        source=PAST_ISSUES,
        texts={issue.id: issue.text for issue in past},
        relevant={issue.id: dict.fromkeys(issue.documents, 1.0) for issue in past},
        off_topic=everyday_off_topic(published, spec),
        off_topic_source=EVERYDAY,
        counts=QueryCounts(len(published.raw_issues), len(past), unresolved_links(raw, names)),
    )


def _given(path: Path, published: Published, spec: DomainSpec) -> _Questions:
    """Read cases: one that names no document and has no reply is about something else."""
    names = DocumentNames(published.kb.documents.values())
    cases, unresolved = resolve_case_documents(read_cases(path), names.resolve)
    texts = {case.id: read_turn(case.messages, spec.language).text for case in cases}
    relevant = {case.id: dict.fromkeys(case.documents, 1.0) for case in cases if case.documents}
    if not relevant:
        raise BadInputError(f"{path}: no case names a document that answers it; fill in documents.")
    others = tuple(texts[case.id] for case in cases if case.refuses and not case.documents)
    return _Questions(
        source=GIVEN_CASES,
        texts=texts,
        relevant=relevant,
        off_topic=others or everyday_off_topic(published, spec),
        off_topic_source=GIVEN_CASES if others else EVERYDAY,
        counts=QueryCounts(len(cases), len(relevant), unresolved),
    )


def everyday_off_topic(published: Published, spec: DomainSpec) -> tuple[str, ...]:
    """Return the everyday questions that ship and name no subject of the knowledge base; none where none ship."""
    asked = {question for kind in everyday_questions(spec.language).values() for question in kind}
    if not asked:
        return ()
    reports = [issue.full_text for issue in published.raw_issues.values()]
    own = find_own_subjects(spec, list(published.kb.documents.values()), reports)
    return tuple(q for q in sorted(asked, key=digest) if own.isdisjoint(subjects_in(q, spec.language)))
