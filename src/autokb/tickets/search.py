"""Tickets for a question: the cosine of their best pieces, words, matched sections, and what only a ticket has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autokb.core.nouns import Hit
from autokb.core.ranking import best_first
from autokb.core.ticket_weights import TicketWeights
from autokb.core.vectors import Vectors
from autokb.tickets.index import Rows, TicketIndex

BEST_PIECES = 3  # a ticket's text counts by its best piece and by the mean of its best ones, half each
EXACT_UP_TO = 40_000  # pieces that are all compared; of more only those of candidates are
CANDIDATES = 600  # tickets whose pieces are compared, by their centroids and words
WEEK = 7.0  # days
Scores = NDArray[np.float64]
Votes = Literal["best", "sum"]


@dataclass(frozen=True)
class TicketQuestion:
    """What is searched for: a text with its vector, and the vectors of what it says of each section.

    ``components`` are folded; ``day`` (since 1970) is when it was asked, NaN where nobody knows. ``without`` are
    tickets that are not to be found, such as the one that is compared with all others.
    """

    text: str
    vector: Vectors
    entities: Mapping[str, Vectors] = field(default_factory=dict)
    components: frozenset[str] = frozenset()
    day: float = math.nan
    without: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Signals:
    """What speaks for each of the tickets in ``rows``, before it is weighted."""

    rows: Rows
    text: Scores
    words: Scores
    votes: Scores
    component: Scores
    weeks: Scores
    resolved: Scores

    def score(self, weights: TicketWeights) -> Scores:
        """Return the weighted sum, without the neighbours."""
        return (
            self.text
            + weights.words * self.words
            + weights.votes * self.votes
            + weights.component * self.component
            - weights.time * np.log1p(self.weeks)
            + weights.resolved * self.resolved
        )


def rank_tickets(index: TicketIndex, question: TicketQuestion, weights: TicketWeights, k: int) -> tuple[Hit, ...]:
    """Return the k best tickets with their scores."""
    signals = find_signals(index, question, with_votes=bool(weights.votes))
    scores = score_tickets(index, question, signals, weights)
    hits = (Hit(index.ids[int(signals.rows[n])], float(scores[n])) for n in best_first(scores, k))
    return tuple(hit for hit in hits if hit.score > -np.inf)


def score_tickets(index: TicketIndex, question: TicketQuestion, signals: Signals, weights: TicketWeights) -> Scores:
    """Return the scores of the tickets in ``signals.rows``; those that are not to be found have minus infinity."""
    scores = signals.score(weights)
    if question.without:
        left_out = [index.rows[ticket] for ticket in question.without if ticket in index.rows]
        scores[np.isin(signals.rows, left_out)] = -np.inf
    return lift_by_neighbours(index, signals.rows, scores, weights.links)


def find_signals(index: TicketIndex, question: TicketQuestion, *, with_votes: bool = True) -> Signals:
    """Return what speaks for each ticket; of a large index for the candidates alone."""
    words = index.words.scores(question.text)
    words = words / max(float(words.max(initial=0.0)), 1e-12)
    rows = _candidates(index, question.vector, words)
    pieces, starts = _pieces_of(index, rows)
    vectors = index.vectors if pieces is None else index.vectors[pieces]
    sections = index.sections if pieces is None else index.sections[pieces]
    text = best_of_runs(vectors @ question.vector, starts, BEST_PIECES)
    votes = np.zeros(len(rows))
    if with_votes and question.entities:
        votes = match_sections(index, question.entities, vectors, sections, starts) / len(question.entities)
    days = np.abs(index.days[rows] - question.day)
    unknown = 0.0 if np.isnan(days).all() else float(np.nanmedian(days))  # says neither yes nor no
    return Signals(
        rows=rows,
        text=(text[0] + text.mean(axis=0)) / 2,
        words=words[rows],
        votes=votes,
        component=np.array([float(bool(question.components & index.components[n])) for n in rows.tolist()]),
        weeks=np.nan_to_num(days, nan=unknown) / WEEK,
        resolved=index.resolved[rows].astype(np.float64),
    )


def match_sections(
    index: TicketIndex,
    entities: Mapping[str, Vectors],
    vectors: Vectors,
    sections: Rows,
    starts: Rows,
    votes: Votes = "best",
) -> Scores:
    """Return for each ticket the sum over the question's sections of the cosine of its own pieces of that section.

    Of a section with several pieces the best counts; with ``sum`` all do, as the paper's formula has it.
    """
    found = np.zeros(len(starts) - 1)
    number = {rule.name: n for n, rule in enumerate(index.template.sections)}
    for section, vector in entities.items():
        cosines = np.where(sections == number.get(section, -1), vectors @ vector, np.nan)
        if votes == "sum":
            found += _sum_runs(np.nan_to_num(cosines, nan=0.0), starts)
        else:
            found += best_of_runs(np.nan_to_num(cosines, nan=0.0), starts, 1)[0]
    return found


def lift_by_neighbours(index: TicketIndex, rows: Rows, scores: Scores, weight: float) -> Scores:
    """Return the scores, each ticket lifted by a share of what the best of its neighbours is above it."""
    if not weight or not len(index.from_rows):
        return scores
    whole = np.full(len(index.ids), -np.inf)
    whole[rows] = scores
    best = np.full(len(index.ids), -np.inf)
    np.maximum.at(best, index.from_rows, whole[index.to_rows])
    with np.errstate(invalid="ignore"):  # of what is not to be found
        above = best[rows] - scores
    return scores + weight * np.where(np.isfinite(above), np.maximum(above, 0.0), 0.0)


def best_of_runs(values: NDArray[np.floating], starts: Rows, count: int) -> Scores:
    """Return the ``count`` best values of each run, best first; a short run repeats its last, an empty one has 0."""
    filled = np.flatnonzero(np.diff(starts) > 0)
    found = np.zeros((count, len(starts) - 1))
    if not len(filled):
        return found
    left = np.asarray(values, dtype=np.float64).copy()
    first = starts[filled]
    owner = np.repeat(np.arange(len(filled)), np.diff(starts)[filled])
    positions = np.arange(len(left))
    best = np.maximum.reduceat(left, first)
    found[0, filled] = best
    for place in range(1, count):
        at = np.minimum.reduceat(np.where(left == best[owner], positions, len(left)), first)
        left[at[at < len(left)]] = -np.inf
        following = np.maximum.reduceat(left, first)
        best = np.where(np.isfinite(following), following, best)
        found[place, filled] = best
    return found


def _sum_runs(values: NDArray[np.floating], starts: Rows) -> Scores:
    whole = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    return np.asarray(whole[starts[1:]] - whole[starts[:-1]])


def _candidates(index: TicketIndex, vector: Vectors, words: Scores) -> Rows:
    if len(index.vectors) <= EXACT_UP_TO:
        return np.arange(len(index.ids))
    near = (index.centroids @ vector).astype(np.float64)
    return np.sort(np.array(best_first(near + TicketWeights().words * words, CANDIDATES), dtype=np.int64))


def _pieces_of(index: TicketIndex, rows: Rows) -> tuple[Rows | None, Rows]:
    """Return the rows of vectors that some tickets have (None for all), and where each ticket's begin among them."""
    if len(rows) == len(index.ids):
        return None, index.starts
    lengths = (index.starts[rows + 1] - index.starts[rows]).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    pieces = np.repeat(index.starts[rows] - starts[:-1], lengths) + np.arange(starts[-1])
    return pieces, starts
