"""Evaluates the ranking of tickets: every signal by itself and together, beside plain text chunks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.chunkers import chunk_page
from autokb.core.errors import BadInputError, UnreadableFileError
from autokb.core.nouns import Chunk, Document
from autokb.core.progress import Progress, silent
from autokb.core.ranking import Scores, best_first
from autokb.core.test_sets import LabelledQuery, read_queries
from autokb.core.tickets import TICKET, Edge
from autokb.core.vectors import Vectors
from autokb.heuristics.tickets.read_question import read_ticket_question
from autokb.pipeline.stages import open_stages
from autokb.plugins.lab.evaluation.record import Record
from autokb.plugins.lab.evaluation.retrieval.baselines import DEPTH, fused_baseline, index_chunks, vector_baseline
from autokb.plugins.lab.evaluation.retrieval.datasets import Judgement, Qrels, read_qrels, resolve_documents
from autokb.plugins.lab.evaluation.retrieval.experiment import RetrievalReport, System, evaluate_retrieval
from autokb.plugins.lab.evaluation.retrieval.system_names import (
    TICKET_BM25,
    TICKET_FUSED,
    TICKET_TEXT,
    TICKET_VOTES,
    TICKET_VOTES_BM25,
    TICKET_VOTES_LINKS,
    TICKET_VOTES_SUM,
    TICKET_WORDING,
    TICKETS,
    choose_ticket_systems,
)
from autokb.plugins.lab.studies.past_tickets import (
    NO_TICKETS,
    TicketIndex,
    TicketQuestion,
    as_embedded,
    day_of,
    fold_names,
    load_index,
    score_tickets,
)
from autokb.plugins.lab.studies.run_report import count_answers
from autokb.retrieval.search import ChunkIndex, words_only
from autokb.stores.ticket_tables import PublishedTicket, read_edges, read_tickets
from autokb.stores.workspace import Workspace

METRICS = ("mrr", "recall@1", "recall@3", "recall@5", "recall@10", "hit_rate@1", "hit_rate@10", "ndcg@1", "ndcg@3")
CHUNK_SIZE = 1_000  # characters of the baseline's chunks, which are cut wherever that is
WORDS, LINKS = 1.0, 0.3  # what BM25 and links count beside votes, both between 0 and 1
ENTITY_CHARACTERS = 4_000  # of what a question says of one section


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


# Complex: systems of two indexes are made over the same open file, in the order that was asked for.
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
        index = load_index(workspace, file)
        if not index.ids:
            raise BadInputError(NO_TICKETS.format(folder=workspace.folder))

        def embed(texts: Sequence[str]) -> Vectors:
            return stages.embed(as_embedded(texts, workspace.settings))

        experiment = _Experiment(index, read_edges(file), embed, asked, frozenset(without))
        systems = {name: experiment.system(name) for name in wanted if name not in (TICKET_TEXT, TICKET_FUSED)}
        if {TICKET_TEXT, TICKET_FUSED} & set(wanted):
            tickets = {name: one for name, one in read_tickets(file).items() if name not in without}
            chunks = _index_whole_tickets(tickets, embed, workspace.spec.language)
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
    return TicketRetrievalReport(report, TICKETS)


class _Experiment:
    """The questions over the published tickets, by the ranking in use and by those of the paper."""

    # Complex: arrays and vectors of the same pieces and questions are made once, in one order.
    def __init__(
        self,
        index: TicketIndex,
        edges: Sequence[Edge],
        embed: Callable[[Sequence[str]], Vectors],
        asked: Sequence[LabelledQuery],
        without: frozenset[str],
    ) -> None:
        self.index, self.without = index, without
        self.left_out = [index.rows[ticket] for ticket in sorted(without & index.rows.keys())]
        self.owners = np.array([index.rows[piece.ticket] for piece in index.pieces], dtype=np.int64)
        self.sections = np.array([piece.section for piece in index.pieces])
        pairs = [(index.rows[e.source], index.rows[e.target]) for e in edges if {e.source, e.target} <= set(index.rows)]
        self.linked = np.array([*pairs, *((b, a) for a, b in pairs)], dtype=np.int64).reshape(-1, 2)
        said = [read_ticket_question(query.text, index.template, {}).entities for query in asked]
        self.entities = {
            query.text: {name: words[:ENTITY_CHARACTERS] for name, words in one.items() if words.strip()}
            for query, one in zip(asked, said, strict=True)
        }
        of_entities = (text for one in self.entities.values() for text in one.values())
        texts = list(dict.fromkeys([*self.entities, *of_entities]))
        self.vectors: Mapping[str, Vectors] = dict(zip(texts, embed(texts), strict=True))
        self.questions = {query.text: self._question(query) for query in asked}

    def _question(self, query: LabelledQuery) -> TicketQuestion:
        components = query.fields.get("components") or ()
        given = fold_names(map(str, components if isinstance(components, list | tuple) else [components]))
        return TicketQuestion(
            query.text,
            self.vectors[query.text],
            given or self.index.components_named(query.text),
            day_of(str(query.fields.get("created") or "")),
            self.without,
        )

    def system(self, name: str) -> System:
        """Return a system by its name."""
        by_scores: dict[str, Callable[[str], Scores]] = {
            TICKET_BM25: self._words,
            TICKET_VOTES: self._votes,
            TICKET_VOTES_SUM: lambda text: self._votes(text, added=True),
            TICKET_VOTES_BM25: self._with_words,
            TICKET_VOTES_LINKS: self._with_links,
            TICKET_WORDING: lambda text: score_tickets(self.index, TicketQuestion(text, self.vectors[text])).scores,
            TICKETS: lambda text: score_tickets(self.index, self.questions[text]).scores,
        }

        def ranked(text: str) -> Sequence[str]:
            scores = by_scores[name](text).copy()
            scores[self.left_out] = -np.inf
            return [self.index.ids[n] for n in best_first(scores, DEPTH) if scores[n] > -np.inf]

        return ranked

    def _words(self, text: str) -> Scores:
        """Return BM25 as a share of the best ticket's."""
        words = words_only(self.index.chunks, text).documents
        return words / max(float(words.max(initial=0.0)), 1e-12)

    def _votes(self, text: str, *, added: bool = False) -> Scores:
        """Return the mean over the question's sections of the cosine of the tickets' own, 0 where one has none.

        Of a section with several pieces the best counts; ``added`` has all count, as the paper's formula has it.
        """
        found = np.zeros(len(self.index.ids))
        for section, words in self.entities[text].items():
            of_section = np.flatnonzero(self.sections == section)
            cosines = self.index.chunks.vectors.vectors[of_section] @ self.vectors[words]
            votes = np.zeros(len(found))
            (np.add if added else np.maximum).at(votes, self.owners[of_section], cosines)
            found += votes
        return found / max(1, len(self.entities[text]))

    def _with_words(self, text: str) -> Scores:
        scores: Scores = self._votes(text) + WORDS * self._words(text)
        return scores

    def _with_links(self, text: str) -> Scores:
        """Return the scores, each ticket lifted by a share of what the best of its neighbours is above it."""
        scores = self._with_words(text)
        best = scores.copy()
        np.maximum.at(best, self.linked[:, 0], scores[self.linked[:, 1]])
        return scores + LINKS * (best - scores)


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
