"""What evaluations compare: past tickets ranked by each signal and by those of the paper, and answered in two ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

import numpy as np
from numpy.typing import NDArray

from autokb.core.errors import BadInputError
from autokb.core.ranking import Scores, best_first
from autokb.core.test_sets import LabelledQuery
from autokb.core.ticket_answer import QuestionParts
from autokb.core.tickets import NO_TICKETS, Edge
from autokb.core.vectors import Vectors
from autokb.pipeline.stages import Stages
from autokb.plugins.tickets.answers.ask_tickets import Gathered, TicketAnswerer, TicketQuestionRun
from autokb.plugins.tickets.answers.open_tickets import open_tickets
from autokb.plugins.tickets.answers.report import resolution_times
from autokb.plugins.tickets.answers.subgraph import FoundTickets
from autokb.plugins.tickets.build import as_embedded, load_index
from autokb.plugins.tickets.graph.answers import TicketTexts
from autokb.plugins.tickets.graph.index import TicketIndex, day_of, fold_names
from autokb.plugins.tickets.graph.search import TicketQuestion, score_tickets
from autokb.plugins.tickets.heuristics.read_question import read_ticket_question
from autokb.retrieval.search import words_only
from autokb.stores.ticket_tables import read_edges
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile

WORDS, LINKS = 1.0, 0.3  # what BM25 and links count beside votes, both between 0 and 1
ENTITY_CHARACTERS = 4_000  # of what a question says of one section
Answers = Callable[[str], str]  # from a question to the text of its answer


class RankedTickets:
    """The published tickets for some questions, by the ranking in use and by those of the paper.

    ``tickets+wording`` is ``tickets``, which is in use, without what only a ticket has: components, dates, links.
    """

    # Complex: arrays and vectors of the same pieces and questions are made once, in one order.
    def __init__(
        self,
        workspace: Workspace,
        file: WorkspaceFile,
        stages: Stages,
        asked: Sequence[LabelledQuery],
        without: frozenset[str],
    ) -> None:
        self.index = index = load_index(workspace, file)
        if not index.ids:
            raise BadInputError(NO_TICKETS.format(folder=workspace.folder))
        self.without = without
        self._stages, self._settings = stages, workspace.settings
        self.left_out = [index.rows[ticket] for ticket in sorted(without & index.rows.keys())]
        self.owners = np.array([index.rows[piece.ticket] for piece in index.pieces], dtype=np.int64)
        self.sections = np.array([piece.section for piece in index.pieces])
        self.linked = _linked_rows(index, read_edges(file))
        said = [read_ticket_question(query.text, index.template, {}).entities for query in asked]
        self.entities = {
            query.text: {name: words[:ENTITY_CHARACTERS] for name, words in one.items() if words.strip()}
            for query, one in zip(asked, said, strict=True)
        }
        of_entities = (text for one in self.entities.values() for text in one.values())
        texts = list(dict.fromkeys([*self.entities, *of_entities]))
        self.vectors: Mapping[str, Vectors] = dict(zip(texts, self.embed(texts), strict=True))
        self.questions = {query.text: self._question(query) for query in asked}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors as the build makes them."""
        return self._stages.embed(as_embedded(texts, self._settings))

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

    def system(self, name: str, most: int) -> Callable[[str], Sequence[str]]:
        """Return what gives at most so many tickets for a question, by its name."""
        by_scores: dict[str, Callable[[str], Scores]] = {
            "bm25": self._words,
            "votes": self._votes,
            "votes+sum": lambda text: self._votes(text, added=True),
            "votes+bm25": self._with_words,
            "votes+bm25+links": self._with_links,
            "tickets+wording": lambda text: score_tickets(self.index, TicketQuestion(text, self.vectors[text])).scores,
            "tickets": lambda text: score_tickets(self.index, self.questions[text]).scores,
        }

        def ranked(text: str) -> Sequence[str]:
            scores = by_scores[name](text).copy()
            scores[self.left_out] = -np.inf
            return [self.index.ids[n] for n in best_first(scores, most) if scores[n] > -np.inf]

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


def _linked_rows(index: TicketIndex, edges: Iterable[Edge]) -> NDArray[np.int64]:
    """Return the rows of tickets that are linked, each pair both ways."""
    pairs = [
        (index.rows[e.source], index.rows[e.target]) for e in edges if e.source in index.rows and e.target in index.rows
    ]
    return np.array([*pairs, *((b, a) for a, b in pairs)], dtype=np.int64).reshape(-1, 2)


class NearestPieces(TicketQuestionRun):
    """A question answered from the pieces of text nearest to it, as a search over chunks does: the paper's baseline."""

    def gather(self, parts: QuestionParts, found: FoundTickets) -> Gathered:
        """Return the pieces, whatever the graph says."""
        index, language = self.opened.index, self.opened.workspace.spec.language
        best = best_first(index.chunks.vectors.scores(found.vector), self.k)
        pieces = [index.pieces[int(n)] for n in best]
        tickets = self.opened.read(p.ticket for p in pieces)
        texts = (TicketTexts(tickets[p.ticket], language).around([(p.section, p.start)]) for p in pieces)
        return Gathered([passage for some in texts for passage in some])


@contextmanager
def both_answers(workspace: Workspace, budget: float | None) -> Iterator[tuple[Answers, Answers]]:
    """Give what answers from the nearest pieces of text, and what ``tickets ask`` does, by the same writer."""
    with closing(open_tickets(workspace)) as opened:
        arms = TicketAnswerer(opened, NearestPieces), TicketAnswerer(opened)
        nearest, graph = ((lambda text, arm=arm: arm.ask(text, budget=budget).answer) for arm in arms)
        yield nearest, graph


class TicketExperiments:
    """What evaluations are given of past tickets."""

    ranked = RankedTickets
    both_answers = staticmethod(both_answers)
    resolution_times = staticmethod(resolution_times)
