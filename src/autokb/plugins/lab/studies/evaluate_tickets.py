"""Evaluates the ranking of tickets: every signal by itself and together, beside plain text chunks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.chunkers import chunk_page
from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Chunk, Document
from autokb.core.plugins import of_ours
from autokb.core.progress import Progress, silent
from autokb.core.test_sets import LabelledQuery, read_queries
from autokb.core.tickets import TICKET
from autokb.core.vectors import Vectors
from autokb.pipeline.stages import open_stages
from autokb.plugins.lab.evaluation.report import Record
from autokb.plugins.lab.evaluation.retrieval.baselines import DEPTH, fused_baseline, index_chunks, vector_baseline
from autokb.plugins.lab.evaluation.retrieval.datasets import Judgement, Qrels, read_qrels, resolve_documents
from autokb.plugins.lab.evaluation.retrieval.experiment import RetrievalReport, System, evaluate_retrieval
from autokb.plugins.lab.evaluation.system_names import (
    TICKET_FUSED,
    TICKET_TEXT,
    TICKETS,
    choose_ticket_systems,
)
from autokb.plugins.lab.studies.run_report import count_answers
from autokb.retrieval.search import ChunkIndex
from autokb.stores.ticket_tables import PublishedTicket, read_tickets
from autokb.stores.workspace import Workspace

METRICS = ("mrr", "recall@1", "recall@3", "recall@5", "recall@10", "hit_rate@1", "hit_rate@10", "ndcg@1", "ndcg@3")
CHUNK_SIZE = 1_000  # characters of the baseline's chunks, which are cut wherever that is


@dataclass(frozen=True, slots=True)
class TicketRetrievalReport(Record):
    """What ``evaluate tickets`` answers; ``default`` names the system in use."""

    results: RetrievalReport
    default: str


def evaluate_workspace_tickets(
    workspace: Workspace,
    queries: Path,
    qrels: Path,
    names: Sequence[str] = (),
    progress: Progress = silent,
) -> TicketRetrievalReport:
    """Answer ``evaluate tickets``; queries may say when they were asked (``created``) and their ``components``."""
    return rank_tickets(workspace, read_queries(queries), read_qrels(qrels), names, progress=progress)


def rank_tickets(
    workspace: Workspace,
    asked: Sequence[LabelledQuery],
    judged: Sequence[Judgement],
    names: Sequence[str] = (),
    *,
    without: Collection[str] = (),
    progress: Progress = silent,
) -> TicketRetrievalReport:
    """Have the named systems rank the tickets for questions; no system finds one of those ``without``."""
    wanted = choose_ticket_systems(names)
    with workspace.file() as file, open_stages(workspace, file, progress) as stages:
        experiment = of_ours("experiments", "tickets").ranked(workspace, file, stages, asked, frozenset(without))
        systems = {name: experiment.system(name, DEPTH) for name in wanted if name not in (TICKET_TEXT, TICKET_FUSED)}
        if {TICKET_TEXT, TICKET_FUSED} & set(wanted):
            tickets = {name: one for name, one in read_tickets(file).items() if name not in without}
            chunks = _index_whole_tickets(tickets, experiment.embed, workspace.spec.language)
            vector = experiment.vectors.__getitem__
            systems |= {TICKET_TEXT: vector_baseline(chunks, vector)} if TICKET_TEXT in wanted else {}
            systems |= {TICKET_FUSED: fused_baseline(chunks, vector)} if TICKET_FUSED in wanted else {}
        relevant: Qrels = resolve_documents(judged, lambda ticket: ticket if ticket in experiment.index.rows else None)
        count = count_answers(progress, len(asked))
        report = evaluate_retrieval(
            {name: System(systems[name]) for name in wanted},
            asked,
            relevant,
            metrics=METRICS,
            baseline=TICKET_TEXT,
            on_answer=lambda system: count("questions") if system == wanted[-1] else None,
        )
    return TicketRetrievalReport(report, TICKETS)


def _index_whole_tickets(
    tickets: Mapping[str, PublishedTicket], embed: Callable[[Sequence[str]], Vectors], language: str
) -> ChunkIndex:
    """Index chunks of whole tickets as plain text, as the paper's baseline does."""
    documents, chunks = [], list[Chunk]()
    for ticket, published in tickets.items():
        text = "\n\n".join(s.text for s in published.sections if s.section != TICKET and s.text)
        document = Document(ticket, published.ticket.title, text)
        with suppress(UnreadableFileError):
            chunks += [c for c in chunk_page(MarkedPage(document), "fixed", CHUNK_SIZE).chunks if c.spans]
        documents.append(ticket)
    return index_chunks(documents, chunks, embed, language=language)
