"""The five tenets of the AutoChunker paper (section 4): what verdicts on chunks add up to, with intervals.

Noise and context switches are better low, completeness and task relevance high. A reply that could not be read is
counted beside the share and never in it; without a model nothing was judged, and there is no share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autokb.core.nouns import Chunk
from autokb.evaluation.chunking.results import JudgedShare, WeightedPrecision
from autokb.evaluation.statistics.bootstrap import measured_mean
from autokb.evaluation.statistics.cluster_bootstrap import Ratio, ratio_interval
from autokb.tasks.judges.chunk_verdicts import ChunkVerdict
from autokb.tasks.judges.completeness.task import TASK as COMPLETENESS
from autokb.tasks.judges.context_switch.task import TASK as CONTEXT_SWITCH
from autokb.tasks.judges.noise.task import TASK as NOISE
from autokb.tasks.judges.relevance.task import HIGHEST
from autokb.tasks.judges.task_relevance.task import TASK as TASK_RELEVANCE
from autokb.tasks.task import Task

DEPTHS = (1, 3, 5)  # chunks over which weighted precision is taken, as in table 3 of the paper
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


def weighted_precisions(questions: Sequence[QuestionScores], suffix: str = "") -> dict[str, WeightedPrecision]:
    """Return ``wp@1``, ``wp@3`` and ``wp@5`` over the questions, ``suffix`` behind each name.

    A question of whose first K scores one is missing is unreadable at that K.
    """
    found = {}
    for k in DEPTHS:
        readable = [[s for s in q.scores[:k] if s is not None] for q in questions if None not in q.scores[:k]]
        interval = measured_mean([weighted_precision(scores, k) for scores in readable])
        found[f"wp@{k}{suffix}"] = WeightedPrecision(interval, len(readable), len(questions) - len(readable))
    return found
