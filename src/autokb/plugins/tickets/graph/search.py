"""Tickets for a question: searched as the question's own chunks are, with what only a ticket has."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from autokb.core.nouns import Hit
from autokb.core.ranking import Scores, best_first
from autokb.core.vectors import Vectors
from autokb.plugins.tickets.graph.index import TicketIndex
from autokb.retrieval.search import ScoredChunks, search

# What is added to the score, in units of cosine, where a component is in common, and what is lost for each unit of the
# logarithm of the weeks between (a month: 1.6, a year: 4.0); decision 049 has what they and their neighbours gain.
COMPONENT, TIME = 0.1, 0.04
WEEK = 7.0  # days


@dataclass(frozen=True)
class TicketQuestion:
    """What is searched for: a text with its vector.

    ``components`` are folded; ``day`` (since 1970) is when it was asked, NaN where nobody knows. ``without`` are
    tickets that are not to be found, such as the one that is compared with all others.
    """

    text: str
    vector: Vectors
    components: frozenset[str] = frozenset()
    day: float = math.nan
    without: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ScoredTickets:
    """The scores of all tickets in the order of the index; those that are not to be found have minus infinity."""

    index: TicketIndex
    chunks: ScoredChunks
    scores: Scores

    def best(self, k: int) -> tuple[Hit, ...]:
        """Return the k best tickets with their scores."""
        hits = (Hit(self.index.ids[n], float(self.scores[n])) for n in best_first(self.scores, k))
        return tuple(hit for hit in hits if hit.score > -np.inf)


def score_tickets(index: TicketIndex, question: TicketQuestion) -> ScoredTickets:
    """Score every ticket by its nearest piece, the words, components in common and how far off it is in time."""
    chunks = search(index.chunks, question.vector, question.text)
    scores = chunks.documents.copy()
    if question.components:
        scores += COMPONENT * np.array([bool(question.components & own) for own in index.components])
    days = np.abs(index.days - question.day)
    if not np.isnan(days).all():
        unknown = float(np.nanmedian(days))  # says neither yes nor no
        scores -= TIME * np.log1p(np.nan_to_num(days, nan=unknown) / WEEK)
    scores[[index.rows[ticket] for ticket in question.without if ticket in index.rows]] = -np.inf
    return ScoredTickets(index, chunks, scores)
