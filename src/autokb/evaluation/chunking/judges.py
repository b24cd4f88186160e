"""Has judges say what chunks are worth: the tenets of each chunk, and the relevance of what is found for questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autokb.core.ids import digest
from autokb.core.nouns import Chunk, Document
from autokb.evaluation.chunking.chunk_search import RankedChunks
from autokb.evaluation.chunking.datasets import LabelledQuestion
from autokb.evaluation.chunking.results import JudgedShare, WeightedPrecision
from autokb.evaluation.chunking.tenets import TENETS, QuestionScores, share_of_yes, weighted_precisions
from autokb.evaluation.runner import TaskRunner
from autokb.tasks.judges.chunk_verdicts import JudgeChunk
from autokb.tasks.judges.relevance.task import TASK as RELEVANCE
from autokb.tasks.judges.relevance.task import JudgeRelevance
from autokb.tasks.judges.task_relevance.task import JudgeForTask
from autokb.tasks.probes.chunk_questions.task import TASK as CHUNK_QUESTIONS
from autokb.tasks.probes.chunk_questions.task import AskAboutChunks

STAGE = "judge"
QUESTION_STAGE = "questions"
NEIGHBOURS = 2  # chunks in a row that a model makes questions about at once
WITH_CONTEXT = "+context"  # weighted precision of what context-aware retrieval makes of the same hits
JUDGE_TASKS = (*(task.name for task in TENETS.values()), RELEVANCE.name, CHUNK_QUESTIONS.name)


def judge_tenets(runner: TaskRunner, method: str, chunks: Sequence[Chunk], task: str) -> dict[str, JudgedShare]:
    """Return the judged share of each tenet over a method's chunks; ``task`` is what they are to serve, in words."""
    names = [f"{method} {chunk.document}" for chunk in chunks]
    found = {}
    for tenet, judge in TENETS.items():
        requests = [
            JudgeForTask(task, chunk.text) if tenet == "task_relevance" else JudgeChunk(chunk.text) for chunk in chunks
        ]
        found[tenet] = share_of_yes(chunks, runner.run(STAGE, judge, requests, names))
    return found


def sample_chunks(chunks: Sequence[Chunk], most: int) -> list[Chunk]:
    """Return the chunks that are judged, in their order: all, or an even sample that is the same every time."""
    if len(chunks) <= most:
        return list(chunks)
    chosen = {chunk.id for chunk in sorted(chunks, key=lambda c: digest(c.id))[:most]}
    return [chunk for chunk in chunks if chunk.id in chosen]


def judge_retrieval(
    runner: TaskRunner, ranked: RankedChunks, questions: Sequence[LabelledQuestion]
) -> dict[str, WeightedPrecision]:
    """Return weighted precision of what is found, and of context-aware retrieval where the chunks are a tree."""
    figures = weighted_precisions(_score_relevance(runner, ranked.method, questions, ranked.first()))
    if any(chunk.parent_id for chunk in ranked.tree):
        scores = _score_relevance(runner, ranked.method, questions, ranked.first_with_context())
        figures |= weighted_precisions(scores, WITH_CONTEXT)
    return figures


def _score_relevance(
    runner: TaskRunner, method: str, questions: Sequence[LabelledQuestion], found: Sequence[Sequence[Chunk]]
) -> list[QuestionScores]:
    """Have the relevance of each found chunk to its question scored, from 0 to 4."""
    pairs = zip(questions, found, strict=True)
    requests = [JudgeRelevance(question.text, chunk.text) for question, chunks in pairs for chunk in chunks]
    replies = iter(runner.run(STAGE, RELEVANCE, requests, [f"{method}: {request.query}" for request in requests]))
    by_question = [[next(replies) for _ in chunks] for chunks in found]
    return [QuestionScores(tuple(None if r is None else r.score for r in of_question)) for of_question in by_question]


def make_questions(
    runner: TaskRunner, chunks: Mapping[str, Sequence[Chunk]], documents: Mapping[str, Document], requests: int
) -> list[LabelledQuestion]:
    """Return questions that a model makes of sampled chunks of all methods; ``chunks`` are by method."""
    named = sample_requests(chunks, documents, requests)
    replies = runner.run(
        QUESTION_STAGE, CHUNK_QUESTIONS, [request for _, request in named], [name for name, _ in named]
    )
    texts = dict.fromkeys(text for reply in replies if reply is not None for text in reply.questions)
    return [LabelledQuestion(text) for text in texts]


def sample_requests(
    chunks: Mapping[str, Sequence[Chunk]], documents: Mapping[str, Document], most: int
) -> list[tuple[str, AskAboutChunks]]:
    """Return at most so many requests for questions, each with a name: neighbouring chunks of one document.

    ``chunks`` are those of each method. Every method gives the same number, as far as it goes, so that none is asked
    questions that only its cuts suggest; which ones is decided by their ids and so the same every time.
    """
    drawn = {method: sorted(cut, key=lambda c: digest("asked", method, c.id)) for method, cut in chunks.items()}
    position = {method: {chunk.id: n for n, chunk in enumerate(cut)} for method, cut in chunks.items()}
    found: list[tuple[str, AskAboutChunks]] = []
    for turn in range(max(map(len, drawn.values()), default=0)):
        for method, candidates in drawn.items():
            if turn < len(candidates) and len(found) < most:
                first = candidates[turn]
                start = position[method][first.id]
                near = [c for c in chunks[method][start : start + NEIGHBOURS] if c.document == first.document]
                request = AskAboutChunks(tuple(chunk.text for chunk in near))
                found.append((f"{method} {documents[first.document].title}", request))
    return found
