"""Has models judge what chunkers cut, and finds what their chunks say to questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.chunking.windows import embedding_text, windows
from autokb.core.nouns import Chunk, Document, Hit
from autokb.evaluation.chunk_questions import Question
from autokb.evaluation.chunking import FOUND, CutMethod, found_figures, rankings
from autokb.evaluation.tenets import (
    TENETS,
    ScoredQuestion,
    judged_chunks,
    retrieval_figures,
    sampled_requests,
    scored,
    share_of_yes,
    verdict_request,
)
from autokb.llm.embedders import Embedder
from autokb.pipeline.models import OFFLINE
from autokb.pipeline.stages import Stages
from autokb.retrieval.expand_subtrees import expand_subtrees
from autokb.tasks.judges.relevance.task import TASK as RELEVANCE
from autokb.tasks.judges.relevance.task import JudgeRelevance
from autokb.tasks.probes.chunk_questions.task import TASK as ASK

STAGE = "judge"
CONTEXT = "+context"  # weighted precision of what context-aware retrieval makes of the same hits
JUDGES = (*(task.name for task in TENETS.values()), RELEVANCE.name, ASK.name)


@dataclass(frozen=True)
class Ranked:
    """A method's chunks and, for each question, the numbers of all of them with their cosines, best first."""

    method: CutMethod
    chunks: Sequence[Chunk]
    by_question: Sequence[Sequence[tuple[int, float]]]

    def found(self) -> list[list[Chunk]]:
        """Return the first five chunks of each question."""
        return [[self.chunks[n] for n, _ in order[:FOUND]] for order in self.by_question]

    def found_with_context(self) -> list[list[Chunk]]:
        """Return five chunks of each question from the subtrees of its hits (section 3.3 of the AutoChunker paper)."""
        tree = [chunk for cut in self.method.cuts.values() for chunk in cut.chunks]
        by_id = {chunk.id: chunk for chunk in tree}
        brought = [
            expand_subtrees([Hit(self.chunks[n].id, score) for n, score in order[:FOUND]], tree, FOUND)
            for order in self.by_question
        ]
        return [[by_id[hit.id] for hit in hits] for hits in brought]


def asked_of_model(stages: Stages, task: str) -> bool:
    """Return whether a model answers a task here."""
    return stages.models is not None and stages.models.of(task, STAGE) != OFFLINE


def judged_tenets(stages: Stages, method: CutMethod, most: int, task: str) -> dict[str, Any]:
    """Return what judges say of at most so many of a method's chunks: noise, completeness, switches, task relevance."""
    chunks = judged_chunks(method.chunks(), most)
    names = [f"{method.name} {chunk.document}" for chunk in chunks]
    found = {}
    for tenet, judge in TENETS.items():
        verdicts = stages.run(STAGE, judge, [verdict_request(tenet, chunk, task) for chunk in chunks], names)
        found[tenet] = share_of_yes(chunks, verdicts)
    return found


def asked_questions(
    stages: Stages, methods: Sequence[CutMethod], documents: Mapping[str, Document], many: int
) -> list[Question]:
    """Return questions that a model makes of sampled chunks of all methods; none without a model."""
    if not asked_of_model(stages, ASK.name):
        return []
    requests = sampled_requests({method.name: method.chunks() for method in methods}, documents, many)
    replies = stages.run("questions", ASK, [item for _, item in requests], [name for name, _ in requests])
    texts = dict.fromkeys(text for reply in replies if reply is not None for text in reply.questions)
    return [Question(text) for text in texts]


def ranked(
    stages: Stages,
    embedder: Embedder,
    method: CutMethod,
    documents: Mapping[str, Document],
    questions: Sequence[Question],
) -> Ranked:
    """Rank a method's chunks for every question by their best windows."""
    chunks = method.chunks()
    by_document: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        by_document.setdefault(chunk.document, []).append(chunk)
    parts = [window for name, own in by_document.items() for window in windows(documents[name], own)]
    texts = [embedding_text(window, documents[window.document].title) for window in parts]
    vectors = stages.embed("embeddings", embedder, [*texts, *(question.text for question in questions)])
    return Ranked(method, chunks, rankings(chunks, parts, vectors[: len(parts)], vectors[len(parts) :]))


def judged_retrieval(stages: Stages, found: Ranked, questions: Sequence[Question]) -> dict[str, Any]:
    """Return weighted precision of what is found, and of context-aware retrieval where the chunks are a tree."""
    figures = retrieval_figures(_scores(stages, found.method.name, questions, found.found()))
    if any(chunk.parent_id for cut in found.method.cuts.values() for chunk in cut.chunks):
        scores = _scores(stages, found.method.name, questions, found.found_with_context())
        figures |= {name + CONTEXT: figure for name, figure in retrieval_figures(scores).items()}
    return figures


def _scores(
    stages: Stages, name: str, questions: Sequence[Question], found: Sequence[Sequence[Chunk]]
) -> list[ScoredQuestion]:
    items = [JudgeRelevance(q.text, chunk.text) for q, own in zip(questions, found, strict=True) for chunk in own]
    replies = iter(stages.run(STAGE, RELEVANCE, items, [f"{name}: {item.query}" for item in items]))
    return [scored([next(replies) for _ in own]) for own in found]


def retrieval_of(found: Ranked, questions: Sequence[Question]) -> dict[str, Any]:
    """Return recall, precision and IoU of the text that questions with excerpts need; nothing without excerpts."""
    return found_figures(found.chunks, questions, found.by_question)
