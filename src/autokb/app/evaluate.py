"""Evaluates a workspace: hands what was published to the evaluation, as systems (functions) and as requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from autokb.core.document_names import DocumentNames
from autokb.core.domain import DomainSpec
from autokb.core.errors import AutokbError, BadInputError
from autokb.core.nouns import KnowledgeBase
from autokb.core.progress import Progress, silent
from autokb.evaluation.quality.annotation import displayed_solutions, read_sheet, write_sheet
from autokb.evaluation.quality.judging import STAGE as JUDGE_STAGE
from autokb.evaluation.quality.judging import JudgedQuality, correctness_request, judge_solutions
from autokb.evaluation.quality.report import QualityReport, evaluate_quality
from autokb.evaluation.retrieval.chunk_baselines import (
    DEPTH,
    QueryVector,
    bm25_baseline,
    fused_baseline,
    index_chunks,
    vector_baseline,
)
from autokb.evaluation.retrieval.datasets import read_qrels, read_queries, resolve_documents
from autokb.evaluation.retrieval.experiment import RetrievalReport, System, evaluate_retrieval
from autokb.evaluation.retrieval.llm_only_baseline import STAGE as SOLVE_STAGE
from autokb.evaluation.retrieval.llm_only_baseline import SolvedIssues, llm_only_baseline, solve_issues
from autokb.evaluation.retrieval.paraphrase_experiment import ParaphraseReport, ParaphraseSource, evaluate_paraphrases
from autokb.evaluation.retrieval.query_paraphrases import STAGE as PARAPHRASE_STAGE
from autokb.evaluation.retrieval.query_paraphrases import paraphrase, source_texts
from autokb.evaluation.retrieval.system_names import (
    AUTOKB,
    AUTOKB_ANSWER,
    BM25,
    LLM_ONLY,
    NO_HISTORY,
    RAW,
    RAW_WITH_CONTEXT,
    VECTORS,
    choose_systems,
)
from autokb.evaluation.runner import ModelUsage
from autokb.issues.safeguards import rules_request
from autokb.issues.wording import solution_title
from autokb.pipeline.embedding import read_embedder_name
from autokb.pipeline.model_choice import OFFLINE, model_of
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.stages import Stages, open_stages
from autokb.pipeline.steps.passages import find_passages
from autokb.retrieval.index import AskIndex, load_index
from autokb.retrieval.search import ChunkIndex
from autokb.stores.published import NOTHING_PUBLISHED, Published, published_spec, read_published
from autokb.stores.workspace import Workspace
from autokb.tasks.probes.query_variations.task import TASK as QUERY_VARIATIONS
from autokb.tasks.probes.unaided_solutions.task import TASK as UNAIDED_SOLUTIONS

SAMPLE = 50  # nodes, and chunks, whose paraphrases are asked


@dataclass(frozen=True)
class _Opened:
    """A published knowledge base, ready to be asked, and the stages that answer tasks and embed."""

    workspace: Workspace
    published: Published
    index: AskIndex
    stages: Stages

    def query_vectors(self, questions: Sequence[str]) -> QueryVector:
        """Embed questions together; only what a paid embedder reads is kept, so that a second run pays nothing."""
        distinct = list(dict.fromkeys(questions))
        is_paid = read_embedder_name(self.workspace.settings.embedder).is_paid
        vectors = self.stages.embed(distinct) if is_paid else self.index.embed_questions(distinct)
        return dict(zip(distinct, vectors, strict=True)).__getitem__


def evaluate_workspace_retrieval(
    workspace: Workspace,
    queries: Path,
    qrels: Path,
    names: Sequence[str] = (),
    progress: Progress = silent,
    options: ModelOptions | None = None,
) -> RetrievalReport:
    """Answer ``evaluate retrieval`` for a workspace; no names means every system that asks no model."""
    asked = read_queries(queries)
    judged = read_qrels(qrels)
    wanted = _choose(workspace, names)
    with _open(workspace, progress, options) as opened:
        systems = _systems(opened, wanted, opened.query_vectors([query.text for query in asked]))
        documents = DocumentNames(tuple(opened.published.kb.documents.values()))
        report = evaluate_retrieval(
            systems, asked, resolve_documents(judged, documents.resolve), on_answer=_count_answers(progress, len(asked))
        )
        return replace(report, usage=_model_usage(opened.stages))


def evaluate_workspace_paraphrases(
    workspace: Workspace,
    names: Sequence[str] = (),
    sample: int = SAMPLE,
    progress: Progress = silent,
    options: ModelOptions | None = None,
) -> ParaphraseReport:
    """Answer ``evaluate retrieval --variations``: the KB's own nodes and chunks are asked in other words.

    ``sample`` bounds the nodes and the chunks, each; the same ones of the same knowledge base each time.
    """
    wanted = _choose(workspace, names)
    with _open(workspace, progress, options) as opened:
        published, stages = opened.published, opened.stages
        sources = source_texts(published.kb, published.chunks, sample)
        texts = paraphrase(stages, sources, opened.index.spec)
        questions = [q for text in texts for level in text.levels.values() for q in level]
        asked = len(questions)
        report = evaluate_paraphrases(
            _systems(opened, wanted, opened.query_vectors(questions)), texts, on_answer=_count_answers(progress, asked)
        )
        model = stages.model(QUERY_VARIATIONS, PARAPHRASE_STAGE)
        source = ParaphraseSource("mechanical" if model == OFFLINE else "model", model, sample)
        return replace(report, source=source, usage=_model_usage(stages))


def evaluate_workspace_quality(
    workspace: Workspace,
    sheet_to: Path | None = None,
    read: Path | None = None,
    most: int | None = None,
    *,
    judge: bool = False,
    progress: Progress = silent,
    options: ModelOptions | None = None,
) -> QualityReport:
    """Answer ``evaluate quality``; ``sheet_to`` writes the annotators' sheet, ``read`` takes a filled one in.

    ``judge`` asks the settings' model about every displayed solution (``most`` of them) and adds ``judged``.
    """
    with workspace.file() as file:
        published = read_published(file)
        kb, domain = published.kb, published_spec(workspace, published)
        if sheet_to is not None:
            write_sheet(sheet_to, kb.solutions.values(), kb.issues, most)
        agreement = read_sheet(read) if read is not None else None
        report = evaluate_quality(kb.solutions.values(), domain, agreement)
        if not judge:
            return report
        with open_stages(workspace, file, progress, options) as stages:
            judged = _judge(workspace, stages, kb, domain, most)
            return replace(report, judged=judged, usage=_model_usage(stages))


def _judge(
    workspace: Workspace, stages: Stages, kb: KnowledgeBase, domain: DomainSpec, most: int | None
) -> JudgedQuality:
    """Have a model judge the displayed solutions of nodes that are there: the sample that the sheet holds."""
    pairs = [
        (s, kb.issues[s.issue_id]) for s in displayed_solutions(kb.solutions.values(), most) if s.issue_id in kb.issues
    ]
    return judge_solutions(
        stages,
        lambda task: model_of(workspace.settings, workspace.mode, task, JUDGE_STAGE),
        [solution.id for solution, _ in pairs],
        [correctness_request(solution, solution_title(solution), issue, domain) for solution, issue in pairs],
        [rules_request(solution, issue, domain) for solution, issue in pairs],
    )


@contextmanager
def _open(workspace: Workspace, progress: Progress, options: ModelOptions | None) -> Iterator[_Opened]:
    with workspace.file() as file:
        published = read_published(file)
        if not published.kb.documents and not published.kb.issues:
            raise BadInputError(NOTHING_PUBLISHED.format(folder=workspace.folder))
        with open_stages(workspace, file, progress, options) as stages:
            spec, encoder = published_spec(workspace, published), stages.encoder
            passages, _ = find_passages(file, list(published.kb.documents.values()), published.chunks, spec)
            embed, caution = stages.embed, workspace.settings.answer.caution
            index = load_index(published, spec, encoder.name, embed, encoder.embed_questions, passages, caution)
            yield _Opened(workspace, published, index, stages)


def _model_usage(stages: Stages) -> ModelUsage:
    return ModelUsage(tuple(stages.failures), stages.spending())


def _count_answers(progress: Progress, total: int) -> Callable[[str], None]:
    """Return what reports the progress of each system, called with its name after each answer."""
    counts: dict[str, int] = {}

    def count(system: str) -> None:
        counts[system] = counts.get(system, 0) + 1
        progress(system, counts[system], total)

    return count


# -- systems ----------------------------------------------------------------------------------------------------------


def _choose(workspace: Workspace, names: Sequence[str]) -> list[str]:
    """Return the systems of these names; one that needs a model is refused where none is set (BadInputError)."""
    chosen = choose_systems(names)
    model = model_of(workspace.settings, workspace.mode, UNAIDED_SOLUTIONS.name, SOLVE_STAGE)
    if LLM_ONLY in chosen and model == OFFLINE:
        raise BadInputError(
            f"The system {LLM_ONLY} answers from a model's own knowledge; name one with --model, or in settings.yaml "
            f"as model: openai:NAME or tasks: {{{UNAIDED_SOLUTIONS.name}: openai:NAME}}."
        )
    return chosen


def _systems(opened: _Opened, names: Sequence[str], query_vector: QueryVector) -> dict[str, System]:
    """Return the systems of these names; their indexes are built here, not at the first question."""
    published, index = opened.published, opened.index

    @cache
    def chunks(with_context: bool = False) -> ChunkIndex:
        return index_chunks(
            published.kb.documents,
            published.chunks,
            opened.stages.embed,
            language=index.spec.language,
            with_context=with_context,
        )

    by_name: dict[str, Callable[[], System]] = {
        RAW: lambda: fused_baseline(chunks(), query_vector),
        RAW_WITH_CONTEXT: lambda: fused_baseline(chunks(with_context=True), query_vector),
        BM25: lambda: bm25_baseline(chunks()),
        VECTORS: lambda: vector_baseline(chunks(), query_vector),
        LLM_ONLY: lambda: llm_only_baseline(chunks(), _solved_issues(opened), query_vector),
    }
    for suffix, with_history in (("", True), (NO_HISTORY, False)):
        by_name[AUTOKB + suffix] = partial(_rank_by_score, index, query_vector, with_history)
        by_name[AUTOKB_ANSWER + suffix] = partial(_rank_by_answer, index, query_vector, with_history)
    return {name: by_name[name]() for name in names}


def _solved_issues(opened: _Opened) -> SolvedIssues:
    """Have a model solve every raw issue from what it knows itself (AutokbError where it solves none)."""
    spec, raw_issues = opened.workspace.spec, opened.published.raw_issues
    issues = [raw_issues[i] for i in sorted(raw_issues)]
    solved = solve_issues(opened.stages, opened.stages.embed, spec.description or spec.name, issues)
    if solved is None:
        reason = opened.stages.failures[0].reason if opened.stages.failures else "there are none."
        texts = len({issue.full_text for issue in issues})
        raise AutokbError(f"The model solved none of the {texts} raw issues: {reason}")
    return solved


def _rank_by_answer(index: AskIndex, query_vector: QueryVector, with_history: bool) -> System:
    """Rank documents as ``documents`` of ``ask`` does."""

    def rank(text: str) -> list[str]:
        scored = index.score(text, with_history=with_history, vector=query_vector(text))
        return [hit.id for hit in scored.documents.best(DEPTH)]

    return rank


def _rank_by_score(index: AskIndex, query_vector: QueryVector, with_history: bool) -> System:
    """Rank all documents by the document score."""

    def rank(text: str) -> list[str]:
        scored = index.score(text, with_history=with_history, vector=query_vector(text))
        return [hit.id for hit in scored.documents.best(DEPTH)]

    return rank
