"""An experiment on chunkers: the same documents cut by every method, counted, judged, and searched for questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from autokb.core.nouns import Document
from autokb.plugins.lab.evaluation.chunking.chunk_search import needed_text_metrics, rank_chunks
from autokb.plugins.lab.evaluation.chunking.datasets import LabelledQuestion
from autokb.plugins.lab.evaluation.chunking.intrinsic_metrics import intrinsic_metrics, site_boilerplate
from autokb.plugins.lab.evaluation.chunking.judges import (
    judge_retrieval,
    judge_tenets,
    make_questions,
    sample_chunks,
    weighted_precisions,
)
from autokb.plugins.lab.evaluation.chunking.results import ChunkShare, MethodOutput, MethodReport, Tenets, chunk_sizes
from autokb.plugins.lab.evaluation.experiment import Embed, TaskRunner
from autokb.tasks.judges.relevance.task import TASK as RELEVANCE
from autokb.tasks.probes.chunk_questions.task import TASK as CHUNK_QUESTIONS


@dataclass(frozen=True)
class ChunkingData:
    """The documents by id, the limit of a chunk in characters, and what people know of the documents."""

    documents: Mapping[str, Document]
    max_size: int
    questions: Sequence[LabelledQuestion] = ()
    gold: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Judging:
    """How chunks are judged: ``task`` is what they are to serve, ``sample`` the most chunks of a method.

    ``requests`` bounds the requests for questions where people gave none. ``asks_model`` says whether a model answers
    the task of a name: offline nobody can score relevance or make questions.
    """

    runner: TaskRunner
    embed: Embed
    asks_model: Callable[[str], bool]
    task: str
    sample: int
    requests: int


def evaluate_methods(
    outputs: Sequence[MethodOutput], data: ChunkingData, judging: Judging
) -> tuple[dict[str, MethodReport], Sequence[LabelledQuestion]]:
    """Return a report of each method, and the questions that were asked: those of people, else those of a model."""
    boilerplate = site_boilerplate(data.documents.values())
    questions = data.questions
    if not questions and judging.asks_model(CHUNK_QUESTIONS.name):
        chunks = {output.method: output.chunks() for output in outputs}
        questions = make_questions(judging.runner, chunks, data.documents, judging.requests)
    reports = {}
    for output in outputs:
        chunks_of_method = output.chunks()
        sample = sample_chunks(chunks_of_method, judging.sample)
        tenets: Tenets = judge_tenets(judging.runner, output.method, sample, judging.task)
        precision: Tenets = weighted_precisions([])
        retrieval: dict[str, ChunkShare] = {}
        if questions and chunks_of_method:
            ranked = rank_chunks(judging.embed, output, data.documents, questions)
            if judging.asks_model(RELEVANCE.name):
                precision = judge_retrieval(judging.runner, ranked, questions)
            retrieval = needed_text_metrics(ranked, questions)
        reports[output.method] = MethodReport(
            chunks=len(chunks_of_method),
            size=chunk_sizes(chunks_of_method),
            tenets={**tenets, **precision},
            mechanical=intrinsic_metrics(output, list(data.documents.values()), data.max_size, boilerplate, data.gold),
            seconds=round(output.seconds, 3),
            retrieval=retrieval,
        )
    return reports, questions
