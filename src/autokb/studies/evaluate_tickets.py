"""Evaluates the ranking of tickets: every signal by itself and together, beside plain text chunks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.chunkers import chunk_page
from autokb.core.errors import BadInputError, UnreadableFileError
from autokb.core.nouns import Chunk, Document
from autokb.core.progress import Progress, silent
from autokb.core.ranking import best_first
from autokb.core.ticket_weights import TicketWeights
from autokb.core.tickets import TICKET
from autokb.core.vectors import Vectors
from autokb.evaluation.record import Record
from autokb.evaluation.retrieval.baselines import DEPTH, fused_baseline, index_chunks, vector_baseline
from autokb.evaluation.retrieval.datasets import LabelledQuery, Qrels, read_qrels, read_queries, resolve_documents
from autokb.evaluation.retrieval.experiment import RetrievalReport, System, evaluate_retrieval
from autokb.evaluation.retrieval.system_names import (
    TICKET_BM25,
    TICKET_FUSED,
    TICKET_TEXT,
    TICKET_VOTES,
    TICKET_VOTES_BM25,
    TICKET_VOTES_LINKS,
    TICKET_VOTES_SUM,
    TICKETS,
    choose_ticket_systems,
)
from autokb.heuristics.tickets.read_question import read_ticket_question
from autokb.pipeline.stages import open_stages
from autokb.pipeline.tickets import as_embedded, load_index, read_fitted
from autokb.retrieval.search import ChunkIndex
from autokb.stores.ticket_tables import PublishedTicket, read_tickets
from autokb.stores.workspace import Workspace
from autokb.studies.run_report import count_answers
from autokb.ticket_answers.open_tickets import NO_TICKETS
from autokb.tickets.index import TicketIndex, day_of, fold_names
from autokb.tickets.search import (
    TicketQuestion,
    find_signals,
    lift_by_neighbours,
    match_sections,
    rank_tickets,
)

METRICS = ("mrr", "recall@1", "recall@3", "recall@5", "recall@10", "hit_rate@1", "hit_rate@10", "ndcg@1", "ndcg@3")
CHUNK_SIZE = 1_000  # characters of the baseline's chunks, which are cut wherever that is
WORDS, LINKS = 1.0, 0.3  # what BM25 and links count beside votes, both between 0 and 1
ENTITY_CHARACTERS = 4_000  # of what a question says of one section


@dataclass(frozen=True, slots=True)
class TicketRetrievalReport(Record):
    """What ``evaluate tickets`` answers; ``default`` names the system in use."""

    results: RetrievalReport
    default: str
    weights: TicketWeights


def evaluate_workspace_tickets(
    workspace: Workspace,
    queries: Path,
    qrels: Path,
    names: Sequence[str] = (),
    progress: Progress = silent,
) -> TicketRetrievalReport:
    """Answer ``evaluate tickets``; queries may say when they were asked (``created``) and their ``components``."""
    wanted = choose_ticket_systems(names)
    asked, judged = read_queries(queries), read_qrels(qrels)
    with workspace.file() as file, open_stages(workspace, file, progress) as stages:
        index = load_index(workspace, file)
        if not index.ids:
            raise BadInputError(NO_TICKETS.format(folder=workspace.folder))
        weights = read_fitted(file).weights

        def embed(texts: Sequence[str]) -> Vectors:
            return stages.embed(as_embedded(texts, workspace.settings))

        experiment = _Experiment(index, embed, asked, weights)
        systems = {name: experiment.system(name) for name in wanted if name not in (TICKET_TEXT, TICKET_FUSED)}
        if {TICKET_TEXT, TICKET_FUSED} & set(wanted):
            chunks = _text_chunks(read_tickets(file), embed, workspace.spec.language)
            vector = experiment.vectors.__getitem__
            systems |= {TICKET_TEXT: vector_baseline(chunks, vector)} if TICKET_TEXT in wanted else {}
            systems |= {TICKET_FUSED: fused_baseline(chunks, vector)} if TICKET_FUSED in wanted else {}
        relevant: Qrels = resolve_documents(judged, lambda ticket: ticket if ticket in index.rows else None)
        count = count_answers(progress, len(asked))
        report = evaluate_retrieval(
            {name: systems[name] for name in wanted},
            asked,
            relevant,
            metrics=METRICS,
            baseline=TICKET_TEXT,
            on_answer=lambda system: count("questions") if system == wanted[-1] else None,
        )
    return TicketRetrievalReport(report, TICKETS, weights)


class _Experiment:
    """The questions over the published tickets; what several systems need of one is worked out once."""

    def __init__(
        self,
        index: TicketIndex,
        embed: Callable[[Sequence[str]], Vectors],
        asked: Sequence[LabelledQuery],
        weights: TicketWeights,
    ) -> None:
        self.index = index
        self.weights = weights
        said = [read_ticket_question(query.text, index.template, {}).entities for query in asked]
        entities = [{name: words[:ENTITY_CHARACTERS] for name, words in one.items() if words.strip()} for one in said]
        texts = list(dict.fromkeys([q.text for q in asked] + [t for one in entities for t in one.values()]))
        self.vectors: Mapping[str, Vectors] = dict(zip(texts, embed(texts), strict=True))
        self.questions = {q.text: self._question(q, said) for q, said in zip(asked, entities, strict=True)}
        self.signals = lru_cache(maxsize=1)(lambda text: find_signals(index, self.questions[text]))

    def _question(self, query: LabelledQuery, entities: Mapping[str, str]) -> TicketQuestion:
        components = query.fields.get("components") or ()
        return TicketQuestion(
            query.text,
            self.vectors[query.text],
            {section: self.vectors[text] for section, text in entities.items()},
            fold_names(map(str, components if isinstance(components, list | tuple) else [components])),
            day_of(str(query.fields.get("created") or "")),
        )

    def system(self, name: str) -> System:
        """Return a system by its name."""
        by_scores: dict[str, Callable[[str], np.ndarray]] = {
            TICKET_BM25: lambda text: self.signals(text).words,
            TICKET_VOTES: lambda text: self.signals(text).votes,
            TICKET_VOTES_SUM: self._added_votes,
            TICKET_VOTES_BM25: self._with_words,
            TICKET_VOTES_LINKS: self._with_links,
        }
        if (scores := by_scores.get(name)) is not None:
            return lambda text: self._first(scores(text), text)
        weights = replace(self.weights, component=0.0, time=0.0, resolved=0.0, links=0.0)
        chosen = self.weights if name == TICKETS else weights
        return lambda text: [hit.id for hit in rank_tickets(self.index, self.questions[text], chosen, DEPTH)]

    def _with_words(self, text: str) -> np.ndarray:
        signals = self.signals(text)
        return np.asarray(signals.votes + WORDS * signals.words)

    def _with_links(self, text: str) -> np.ndarray:
        return lift_by_neighbours(self.index, self.signals(text).rows, self._with_words(text), LINKS)

    def _added_votes(self, text: str) -> np.ndarray:
        index, question = self.index, self.questions[text]
        return match_sections(index, question.entities, index.vectors, index.sections, index.starts, "sum")

    def _first(self, scores: np.ndarray, text: str) -> list[str]:
        rows = self.signals(text).rows if len(scores) != len(self.index.ids) else np.arange(len(scores))
        return [self.index.ids[int(rows[n])] for n in best_first(scores, DEPTH)]


def _text_chunks(
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
