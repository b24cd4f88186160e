"""The five tenets of the AutoChunker paper (section 4): what judges said of chunks, as shares with intervals.

Noise and context switches are better low, completeness and task relevance high. A reply that could not be read stands
beside the share and never in it; without a model nothing was judged, and there is no share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.core.ids import digest
from autokb.core.nouns import Chunk, Document
from autokb.evaluation.bootstrap import estimates
from autokb.evaluation.clustered import ratio
from autokb.tasks.judges.chunk_verdicts import ChunkVerdict, JudgeChunk
from autokb.tasks.judges.completeness.task import TASK as COMPLETENESS
from autokb.tasks.judges.context_switch.task import TASK as CONTEXT_SWITCH
from autokb.tasks.judges.noise.task import TASK as NOISE
from autokb.tasks.judges.relevance.task import HIGHEST, JudgedRelevance
from autokb.tasks.judges.task_relevance.task import TASK as TASK_RELEVANCE
from autokb.tasks.judges.task_relevance.task import JudgeForTask
from autokb.tasks.probes.chunk_questions.task import AskAboutChunks
from autokb.tasks.task import Task

DEPTHS = (1, 3, 5)  # of weighted precision, as in table 3 of the paper
SHOWN_TOGETHER = 2  # neighbouring chunks that questions are asked about at once
NOBODY: Mapping[str, Any] = {"value": None, "low": None, "high": None}
TENETS: Mapping[str, Task[Any, ChunkVerdict]] = {
    "noise": NOISE,
    "completeness": COMPLETENESS,
    "context_switch": CONTEXT_SWITCH,
    "task_relevance": TASK_RELEVANCE,
}


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """The scores of the chunks that were found for a question, best match first; None where a reply was unreadable."""

    scores: tuple[int | None, ...]


def judged_chunks(chunks: Sequence[Chunk], most: int) -> list[Chunk]:
    """Return the chunks that are judged, in their order: all, or an even sample that is the same every time."""
    if len(chunks) <= most:
        return list(chunks)
    chosen = {chunk.id for chunk in sorted(chunks, key=lambda c: digest(c.id))[:most]}
    return [chunk for chunk in chunks if chunk.id in chosen]


def verdict_request(tenet: str, chunk: Chunk, task: str) -> JudgeChunk | JudgeForTask:
    """Return what a judge is asked about a chunk; ``task`` is what the chunks are to serve."""
    return JudgeForTask(task, chunk.text) if tenet == "task_relevance" else JudgeChunk(chunk.text)


def share_of_yes(chunks: Sequence[Chunk], verdicts: Sequence[ChunkVerdict | None]) -> dict[str, Any]:
    """Return the share of yes among the chunks with a verdict; ``unreadable`` ones and ``not_judged`` stand apart.

    The interval resamples documents, and chunks within them.
    """
    by_document: dict[str, list[tuple[float, float]]] = {}
    for chunk, found in zip(chunks, verdicts, strict=True):
        if found is not None and found.verdict != "not judged":
            by_document.setdefault(chunk.document, []).append((float(found.verdict == "yes"), 1.0))
    share = ratio(list(by_document.values()))
    return {
        **(NOBODY if share is None else share.as_json()),
        "judged": sum(map(len, by_document.values())),
        "unreadable": sum(found is None for found in verdicts),
        "not_judged": sum(found is not None and found.verdict == "not judged" for found in verdicts),
    }


def sampled_requests(
    chunks: Mapping[str, Sequence[Chunk]], documents: Mapping[str, Document], many: int
) -> list[tuple[str, AskAboutChunks]]:
    """Return so many requests for questions, each with a name: neighbouring chunks of one document.

    ``chunks`` are those of each method. Every method gives the same number, as far as it goes, so that none is asked
    questions that only its own cuts suggest; which ones is decided by their ids and so the same every time.
    """
    drawn = {name: sorted(own, key=lambda c: digest("asked", name, c.id)) for name, own in chunks.items()}
    place = {name: {chunk.id: n for n, chunk in enumerate(own)} for name, own in chunks.items()}
    found: list[tuple[str, AskAboutChunks]] = []
    for turn in range(max(map(len, drawn.values()), default=0)):
        for name, own in drawn.items():
            if turn < len(own) and len(found) < many:
                start = place[name][own[turn].id]
                near = [c for c in chunks[name][start : start + SHOWN_TOGETHER] if c.document == own[turn].document]
                title = documents[own[turn].document].title
                found.append((f"{name} {title}", AskAboutChunks(tuple(chunk.text for chunk in near))))
    return found


def weighted_precision(scores: Sequence[int], k: int) -> float:
    """Return WP@K: the sum of the first K scores over K times the highest score there is (formula of 4.5.2)."""
    return sum(scores[:k]) / (HIGHEST * k)


def retrieval_figures(questions: Sequence[ScoredQuestion]) -> dict[str, Any]:
    """Return WP@1, 3 and 5 over the questions; one of whose first K scores is missing is ``unreadable`` at that K."""
    found: dict[str, Any] = {}
    for k in DEPTHS:
        read = [q.scores[:k] for q in questions if None not in q.scores[:k]]
        values = [weighted_precision([s for s in scores if s is not None], k) for scores in read]
        share = estimates({"": values})[""].as_json() if values else NOBODY
        found[f"wp@{k}"] = {**share, "judged": len(values), "unreadable": len(questions) - len(values)}
    return found


def scored(replies: Sequence[JudgedRelevance | None]) -> ScoredQuestion:
    """Return the scores of the chunks of one question."""
    return ScoredQuestion(tuple(None if reply is None else reply.score for reply in replies))
