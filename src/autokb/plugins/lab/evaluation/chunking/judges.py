"""Has judges say what chunks are worth: the tenets of each chunk, and the relevance of what is found for questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.core.ids import digest
from autokb.core.nouns import Chunk, Document
from autokb.plugins.lab.evaluation.chunking.chunk_search import RankedChunks
from autokb.plugins.lab.evaluation.chunking.datasets import LabelledQuestion
from autokb.plugins.lab.evaluation.chunking.results import DEPTHS, WITH_CONTEXT, JudgedShare, WeightedPrecision
from autokb.plugins.lab.evaluation.experiment import TaskRunner
from autokb.stats.bootstrap import Ratio, measured_mean, ratio_interval
from autokb.tasks.judges.chunk_verdicts import ChunkVerdict, JudgeChunk
from autokb.tasks.judges.completeness.task import TASK as COMPLETENESS
from autokb.tasks.judges.context_switch.task import TASK as CONTEXT_SWITCH
from autokb.tasks.judges.noise.task import TASK as NOISE
from autokb.tasks.judges.relevance.task import HIGHEST, JudgeRelevance
from autokb.tasks.judges.relevance.task import TASK as RELEVANCE
from autokb.tasks.judges.task_relevance.task import TASK as TASK_RELEVANCE
from autokb.tasks.judges.task_relevance.task import JudgeForTask
from autokb.tasks.probes.chunk_questions.task import TASK as CHUNK_QUESTIONS
from autokb.tasks.probes.chunk_questions.task import AskAboutChunks
from autokb.tasks.task import Task

TENETS: Mapping[str, Task[Any, ChunkVerdict]] = {
    "noise": NOISE,
    "completeness": COMPLETENESS,
    "context_switch": CONTEXT_SWITCH,
    "task_relevance": TASK_RELEVANCE,
}


@dataclass(frozen=True, slots=True)
class QuestionScores:
    """The scores of the chunks that were found for a question, best match first; None where a reply was unreadable."""

    scores: tuple[int | None, ...]


def share_of_yes(chunks: Sequence[Chunk], verdicts: Sequence[ChunkVerdict | None]) -> JudgedShare:
    """Return the share of yes among the chunks with a verdict; verdict n is on chunk n, None one that was unreadable.

    The interval resamples documents, and chunks within them.
    """
    by_document: dict[str, list[Ratio]] = {}
    for chunk, found in zip(chunks, verdicts, strict=True):
        if found is not None and found.verdict != "not judged":
            by_document.setdefault(chunk.document, []).append((float(found.verdict == "yes"), 1.0))
    return JudgedShare(
        ratio_interval(list(by_document.values())),
        judged=sum(map(len, by_document.values())),
        unreadable=sum(found is None for found in verdicts),
        not_judged=sum(found is not None and found.verdict == "not judged" for found in verdicts),
    )


def weighted_precision(scores: Sequence[int], k: int) -> float:
    """Return WP@K: the sum of the first K scores over K times the highest score there is (section 4.5.2)."""
    return sum(scores[:k]) / (HIGHEST * k)


def weighted_precisions(
    questions: Sequence[QuestionScores], suffix: str = "", depths: Sequence[int] = DEPTHS
) -> dict[str, WeightedPrecision]:
    """Return ``wp@1``, ``wp@3`` and ``wp@5`` over the questions, ``suffix`` behind each name.

    A question of whose first K scores one is missing is unreadable at that K.
    """
    found = {}
    for k in depths:
        readable = [[s for s in q.scores[:k] if s is not None] for q in questions if None not in q.scores[:k]]
        interval = measured_mean([weighted_precision(scores, k) for scores in readable])
        found[f"wp@{k}{suffix}"] = WeightedPrecision(interval, len(readable), len(questions) - len(readable))
    return found


STAGE = "judge"
QUESTION_STAGE = "questions"
NEIGHBOURS = 2  # chunks in a row that a model makes questions about at once
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
    for k in DEPTHS if ranked.is_tree else ():  # with less room it brings other chunks, not fewer of the same
        scores = _score_relevance(runner, ranked.method, questions, ranked.first_with_context(k))
        figures |= weighted_precisions(scores, WITH_CONTEXT, (k,))
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
