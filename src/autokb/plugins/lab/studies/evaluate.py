"""Evaluates a workspace: hands what was published to the evaluation, as systems (functions) and as requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import islice
from pathlib import Path

import numpy as np

from autokb.answering.answer import Answer
from autokb.answering.ask import answer_scored
from autokb.core.document_names import DocumentNames
from autokb.core.domain import DomainSpec
from autokb.core.errors import AutokbError, BadInputError
from autokb.core.nouns import Hit, KnowledgeBase
from autokb.core.progress import Progress, silent
from autokb.core.ranking import Scores, best_first
from autokb.core.settings import NO_RERANKER
from autokb.core.solution_text import solution_title
from autokb.core.test_sets import read_queries
from autokb.issues.safeguards import rules_request
from autokb.llm.rerankers import Reranker
from autokb.pipeline.embedding import read_embedder_name
from autokb.pipeline.fed_questions import with_fed_questions
from autokb.pipeline.model_choice import OFFLINE, model_of
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.open_index import IndexByLanguage, index_published
from autokb.pipeline.reranking import open_reranker
from autokb.pipeline.stages import Stages, open_stages
from autokb.plugins.lab.evaluation.quality.annotation import displayed_solutions, read_sheet, write_sheet
from autokb.plugins.lab.evaluation.quality.report import STAGE as JUDGE_STAGE
from autokb.plugins.lab.evaluation.quality.report import (
    JudgedQuality,
    QualityReport,
    correctness_request,
    evaluate_quality,
    judge_solutions,
)
from autokb.plugins.lab.evaluation.retrieval.baselines import (
    DEPTH,
    QueryVector,
    SolvedIssues,
    bm25_baseline,
    fused_baseline,
    index_chunks,
    llm_only_baseline,
    nearest_chunks,
    solve_issues,
    vector_baseline,
)
from autokb.plugins.lab.evaluation.retrieval.baselines import STAGE as SOLVE_STAGE
from autokb.plugins.lab.evaluation.retrieval.datasets import read_qrels, resolve_documents
from autokb.plugins.lab.evaluation.retrieval.experiment import (
    RetrievalReport,
    System,
    evaluate_retrieval,
)
from autokb.plugins.lab.evaluation.retrieval.paraphrase_experiment import (
    ParaphraseReport,
    ParaphraseSource,
    evaluate_paraphrases,
)
from autokb.plugins.lab.evaluation.retrieval.query_paraphrases import STAGE as PARAPHRASE_STAGE
from autokb.plugins.lab.evaluation.retrieval.query_paraphrases import paraphrase, source_texts
from autokb.plugins.lab.evaluation.system_names import (
    AUTOKB,
    AUTOKB_ANSWER,
    BM25,
    CHILDREN,
    LITERAL,
    LLM_ONLY,
    NO_HISTORY,
    RAW,
    RAW_WITH_CONTEXT,
    READER,
    VECTORS,
    choose_systems,
)
from autokb.plugins.lab.studies.annotations import read_agreement
from autokb.plugins.lab.studies.run_report import count_answers, model_usage
from autokb.retrieval.index import QuestionIndex, ScoredQuestion, beginning
from autokb.retrieval.knowledge_index import QuestionMatch
from autokb.retrieval.match_issues import match_as_published
from autokb.retrieval.read_question import read_question
from autokb.retrieval.search import ChunkIndex
from autokb.stores.published import NOTHING_PUBLISHED, Published, published_spec, read_published
from autokb.stores.workspace import Workspace, open_workspace
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.probes.query_variations.task import TASK as QUERY_VARIATIONS
from autokb.tasks.probes.unaided_solutions.task import TASK as UNAIDED_SOLUTIONS

SAMPLE = 50  # child issues, and chunks, whose paraphrases are asked
A_MODEL = "a model"  # that judged the rules in a build, where the settings do not name it


@dataclass(frozen=True)
class _Opened:
    """A published knowledge base, ready to be asked, and the stages that answer tasks and embed."""

    workspace: Workspace
    published: Published
    index: QuestionIndex
    by_language: IndexByLanguage
    stages: Stages
    reranker: Reranker | None

    def query_vectors(self, questions: Sequence[str]) -> QueryVector:
        """Embed questions and their beginnings, which ``ask`` reads; what a paid embedder has read is kept."""
        distinct = list(dict.fromkeys([*questions, *map(beginning, questions)]))
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
            systems,
            asked,
            resolve_documents(judged, documents.resolve),
            on_answer=count_answers(progress, len(asked)),
        )
        return replace(report, usage=model_usage(opened.stages))


def evaluate_workspace_paraphrases(
    workspace: Workspace,
    names: Sequence[str] = (),
    sample: int = SAMPLE,
    progress: Progress = silent,
    options: ModelOptions | None = None,
) -> ParaphraseReport:
    """Answer ``evaluate retrieval --variations``: the KB's own child issues and chunks are asked in other words.

    ``sample`` bounds the child issues and the chunks, each; the same ones of the same knowledge base each time.
    """
    wanted = _choose(workspace, names)
    with _open(workspace, progress, options) as opened:
        published, stages = opened.published, opened.stages
        sources = source_texts(published.kb, published.chunks, sample)
        texts = paraphrase(stages, sources, opened.index.spec)
        questions = [q for text in texts for level in text.levels.values() for q in level]
        systems = _systems(opened, wanted, opened.query_vectors(questions))
        report = evaluate_paraphrases(
            systems,
            texts,
            on_answer=count_answers(progress, len(questions)),
        )
        model = stages.model(QUERY_VARIATIONS, PARAPHRASE_STAGE)
        source = ParaphraseSource("mechanical" if model == OFFLINE else "model", model, sample)
        return replace(report, source=source, usage=model_usage(stages))


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

    Without one the answers count that were given on the page of the sheet, where there are any.

    ``judge`` asks the settings' model about every displayed solution (``most`` of them) and adds ``judged``.
    """
    with workspace.file() as file:
        published = read_published(file)
        kb, domain = published.kb, published_spec(workspace, published)
        if sheet_to is not None:
            write_sheet(sheet_to, kb.solutions.values(), kb.issues, most)
        agreement = read_sheet(read) if read is not None else read_agreement(file, kb)
        own = open_workspace(workspace.folder, mode=workspace.mode).settings  # whatever model was given now
        model = model_of(own, workspace.mode, CHECK_RULES.name, "rules")
        by = A_MODEL if model == OFFLINE else model
        report = evaluate_quality(kb.solutions.values(), kb.issues, domain, agreement, by)
        if not judge:
            return report
        with open_stages(workspace, file, progress, options) as stages:
            judged = _judge(workspace, stages, kb, domain, most)
            return replace(report, judged=judged, usage=model_usage(stages))


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
        [rules_request(s, issue if workspace.mode == "paper" else None, domain) for s, issue in pairs],
    )


@contextmanager
def _open(workspace: Workspace, progress: Progress, options: ModelOptions | None) -> Iterator[_Opened]:
    with workspace.file() as file:
        published = read_published(file)
        if not published.kb.documents and not published.kb.issues:
            raise BadInputError(NOTHING_PUBLISHED.format(folder=workspace.folder))
        with open_stages(workspace, file, progress, options) as stages, ExitStack() as held:
            with_fed = with_fed_questions(file, published)
            index = index_published(workspace, with_fed, file, stages.encoder, stages.embed)
            by_language = IndexByLanguage(index, workspace, file)
            reranker = open_reranker(workspace.settings, held)
            yield _Opened(workspace, published, index, by_language, stages, reranker)


# -- systems ----------------------------------------------------------------------------------------------------------


def _choose(workspace: Workspace, names: Sequence[str]) -> list[str]:
    """Return the systems of these names; one that needs a model is refused where none is set (BadInputError)."""
    has_reader = workspace.settings.reranker != NO_RERANKER
    chosen = choose_systems(names, has_reader=has_reader)
    if READER in chosen and not has_reader:
        raise BadInputError(
            f"The system {READER} needs a reranker; name one in settings.yaml, as reranker: local:FOLDER or http:URL."
        )
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

    def raw(with_context: bool = False) -> System:
        searched = chunks(with_context)
        return System(fused_baseline(searched, query_vector), chunks=nearest_chunks(searched, query_vector))

    by_name: dict[str, Callable[[], System]] = {
        RAW: raw,
        RAW_WITH_CONTEXT: lambda: raw(with_context=True),
        BM25: lambda: System(bm25_baseline(chunks())),
        VECTORS: lambda: System(vector_baseline(chunks(), query_vector)),
        LLM_ONLY: lambda: System(llm_only_baseline(chunks(), _solved_issues(opened), query_vector)),
        CHILDREN: lambda: _finds_nodes(index, _children_by_cosine(index, query_vector)),
        LITERAL: lambda: _finds_nodes(index, _nodes_by_algorithm_2(index, query_vector)),
    }
    for suffix, with_history in (("", True), (NO_HISTORY, False)):
        asker = _Asker(opened.by_language, query_vector, with_history)
        by_name[AUTOKB + suffix] = partial(System, asker.rank_by_score, asker.nodes)
        by_name[AUTOKB_ANSWER + suffix] = partial(
            System, asker.rank_by_answer, asker.nodes, asker.shown_documents if with_history else None
        )
    by_reader = _Asker(opened.by_language, query_vector, with_history=True, reranker=opened.reranker)
    by_name[READER] = partial(System, by_reader.rank_by_answer, by_reader.nodes, by_reader.shown_documents)
    return {name: by_name[name]() for name in names}


def _solved_issues(opened: _Opened) -> SolvedIssues:
    """Have a model solve every raw issue from what it knows itself (AutokbError where it solves none)."""
    spec, raw_issues = opened.workspace.spec, opened.published.raw_issues
    issues = [raw_issues[i] for i in sorted(raw_issues)]
    solved = solve_issues(opened.stages, opened.stages.embed, spec.in_words, issues)
    if solved is None:
        reason = opened.stages.log.failures[0].reason if opened.stages.log.failures else "there are none."
        texts = len({issue.full_text for issue in issues})
        raise AutokbError(f"The model solved none of the {texts} raw issues: {reason}")
    return solved


class _Asker:
    """``ask`` as a system; what several systems want of one question after the other is worked out once.

    A question in another language than the documents' goes by the second encoder, as ``ask`` has it. A ``reranker``
    reads the first candidates once a question.
    """

    def __init__(
        self,
        by_language: IndexByLanguage,
        query_vector: QueryVector,
        with_history: bool,
        reranker: Reranker | None = None,
    ) -> None:
        usual = by_language.index

        def score(text: str) -> tuple[QuestionIndex, ScoredQuestion]:
            index, _ = by_language.index_for(text)
            vector = query_vector(beginning(text)) if index.encoder == usual.encoder else None
            return index, index.score(text, with_history=with_history, vector=vector)

        def ask(text: str, k: int) -> Answer:
            index, scored = self._score(text)
            return answer_scored(replace(index, reranker=reranker), scored, k=k)

        self._reranker = reranker
        self._root_of = usual.nodes.knowledge.root_of
        self._score = lru_cache(maxsize=1)(score)
        self._ask = lru_cache(maxsize=1)(ask)

    def rank_by_score(self, text: str) -> list[str]:
        """Rank all documents by the document score."""
        _, scored = self._score(text)
        return [hit.id for hit in scored.documents.best(DEPTH)]

    def rank_by_answer(self, text: str) -> list[str]:
        """Rank documents as ``documents`` of ``ask`` does, whatever the outcome."""
        if self._reranker is None:
            return self.rank_by_score(text)
        index, scored = self._score(text)
        read = replace(index, reranker=self._reranker).read_first(scored)
        return [hit.id for hit in read.documents.best(DEPTH)]

    def nodes(self, text: str) -> list[tuple[str, str]]:
        """Return the nodes of ``matches`` with their trees."""
        return [(match.issue.id, self._root_of[match.issue.id]) for match in self._ask(text, DEPTH).matches]

    def shown_documents(self, text: str, k: int) -> set[str]:
        """Return the documents that the solutions and passages cite which ``ask --k`` shows."""
        answer = self._ask(text, k)
        solutions = [s for match in answer.matches for s in match.solutions] + [p.solution for p in answer.passages]
        return {evidence.document for solution in solutions for evidence in solution.evidence}


def _finds_nodes(index: QuestionIndex, nodes: Callable[[str], Iterator[str]]) -> System:
    """Return the system of these nodes, best first: its documents are those that they cite, in their order."""
    knowledge = index.nodes.knowledge

    def documents(text: str) -> list[str]:
        cited = dict.fromkeys(document for node in nodes(text) for document in knowledge.cited[node])
        return list(cited)[:DEPTH]

    return System(documents, lambda text: [(n, knowledge.root_of[n]) for n in islice(nodes(text), DEPTH)])


def _children_by_cosine(index: QuestionIndex, query_vector: QueryVector) -> Callable[[str], Iterator[str]]:
    """Return what ranks the child issues with displayed solutions by the cosine of their texts alone."""
    knowledge = index.nodes.knowledge
    rows = np.array([knowledge.rows[i] for i in knowledge.cited if knowledge.issues[i].parent_id], dtype=np.int64)
    rows.sort()

    def nodes(text: str) -> Iterator[str]:
        cosines = (index.nodes.vectors[rows] @ query_vector(text)).astype(np.float64)
        return (knowledge.ids[rows[n]] for n in best_first(cosines, len(rows)))

    return nodes


def _nodes_by_algorithm_2(index: QuestionIndex, query_vector: QueryVector) -> Callable[[str], Iterator[str]]:
    """Return what ranks the nodes that algorithm 2 of the paper accepts among the nearest ones, by their cosines.

    Like every system it knows the nodes with displayed solutions only.
    """
    knowledge = index.nodes.knowledge
    rows = np.array(sorted(knowledge.rows[i] for i in knowledge.cited), dtype=np.int64)

    def nodes(text: str) -> Iterator[str]:
        cosines: Scores = (index.nodes.vectors @ query_vector(text)).astype(np.float64)
        nearest = rows[best_first(cosines[rows], DEPTH)]
        read = read_question(text, {}, index.spec)
        asked = QuestionMatch(knowledge, read.attributes, read.within)
        hits = [Hit(knowledge.ids[row], float(cosines[row])) for row in nearest]
        accepted = [node for node in match_as_published(hits, asked) if node in knowledge.cited]
        return iter(sorted(accepted, key=lambda node: (-cosines[knowledge.rows[node]], node)))

    return nodes
