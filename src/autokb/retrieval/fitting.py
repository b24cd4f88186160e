"""Weights are fitted on a workspace's own past: each issue is asked when only earlier ones were known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from autokb.core.ids import digest
from autokb.core.ranking import Scores
from autokb.core.vectors import Vectors
from autokb.retrieval.history import PastIssue, build_history
from autokb.retrieval.search import ChunkIndex, gate_by_length, search_parts
from autokb.retrieval.weights import Weights

W = TypeVar("W")  # weights: a frozen dataclass of numbers
FEWEST_LABELLED = 30  # fewer questions cannot distinguish two weights
MOST_ASKED = 400  # the latest; more would cost seconds and move nothing
FOLDS = 6  # blocks of questions: the classifier of history is learnt anew before each
DEPTHS = (1, 3, 5, 10)  # places at which a hit counts: those of the hit rates that an evaluation reports
STANDARD_ERRORS = 2.0  # standard errors that a gain must reach: a weight is changed for a reason, not for luck
# Values tried for each weight, in units of cosine as the weights are; 0 leaves the evidence out.
TRIED: dict[str, tuple[float, ...]] = {
    "history": (0.0, 0.2, 0.35, 0.5, 0.7, 1.0),
    "neighbours": (0.0, 0.2, 0.4, 0.7, 1.0),
    "title": (0.0, 0.15, 0.3, 0.5),
    "words_long": (0.0, 0.2, 0.4, 0.8, 1.5),
    "words_short": (0.0, 0.4, 0.8, 1.5, 3.0),
}
TRIED_NODES: dict[str, tuple[float, ...]] = {
    "nodes": (0.0, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0),
    "passages": (0.0, 0.25, 0.5, 0.7, 1.0, 1.5),
}


@dataclass(frozen=True)
class Fitted:
    """The weights, how many questions they were fitted on and a sentence that says how."""

    weights: Weights
    asked: int
    reason: str


@dataclass(frozen=True)
class NodeCase:
    """A question over all documents: their scores without nodes and passages, what these say, and which are right."""

    documents: Scores
    nodes: Scores
    passages: Scores
    right: NDArray[np.bool_]


@dataclass(frozen=True)
class _PastQuestions:
    """The parts of the score for all asked questions, one row a question, and which documents were right."""

    text: Scores
    titles: Scores
    words: Scores
    votes: Scores
    learnt: Scores
    length: Scores
    right: NDArray[np.bool_]

    def quality(self, weights: Weights) -> Scores:
        """Return for each question its mean hit rate at 1, 3, 5 and 10 under these weights."""
        share = self.length[:, None]
        words = weights.words_short + share * (weights.words_long - weights.words_short)
        history = weights.neighbours * self.votes + (1 - weights.neighbours) * self.learnt
        scores = self.text + weights.title * self.titles + words * self.words + weights.history * history
        return mean_hits(scores, self.right)


def fit_weights(
    index: ChunkIndex, issues: Sequence[PastIssue], vectors: Vectors, defaults: Weights | None = None
) -> Fitted:
    """Fit the weights on issues with known outcomes (row n of ``vectors`` is issue n); too few keep the defaults.

    The later half is asked in blocks, each over the issues before it, so that no question sees itself or the future.
    Without dates the order is that of a hash, which is as good as chance.
    """
    defaults = defaults or Weights()
    known = set(index.documents)
    order = [n for n in _order_by_date(issues) if known.intersection(issues[n].documents)]
    if not order:
        return Fitted(
            defaults.without_history(), 0, "No issue names a document that resolved it: history counts nothing."
        )
    asked = _ask_past_issues(index, [issues[n] for n in order], vectors[order])
    if asked is None or len(asked.right) < FEWEST_LABELLED:
        count = 0 if asked is None else len(asked.right)
        reason = f"Only {count} questions could be asked, fewer than {FEWEST_LABELLED}: the weights are the defaults."
        return Fitted(defaults, count, reason)
    names = [n for n in TRIED if not n.startswith("words") or _has_enough_of_length(asked.length, n)]
    tried = {name: TRIED[name] for name in names}
    weights = climb(defaults, tried, asked.quality)
    return Fitted(weights, len(asked.right), f"Fitted on {len(asked.right)} questions, each over the issues before it.")


def fit_node_weights(weights: Weights, cases: Sequence[NodeCase]) -> Weights:
    """Fit what a document's best node and passage add to its score; too few cases change nothing."""
    cases = [case for case in cases if case.right.any()]
    if len(cases) < FEWEST_LABELLED:
        return weights
    names = ("documents", "nodes", "passages", "right")
    documents, nodes, passages, right = (np.array([getattr(case, name) for case in cases]) for name in names)

    def quality(candidate: Weights) -> Scores:
        return mean_hits(documents + candidate.nodes * nodes + candidate.passages * passages, right)

    return climb(weights, TRIED_NODES, quality)


def climb(start: W, tried: dict[str, tuple[float, ...]], quality: Callable[[W], Scores]) -> W:
    """Change one weight at a time, and only where the paired gain is well above its own standard error."""
    best, reached = start, quality(start)
    for _ in range(2):
        before = best
        for name, values in tried.items():
            options = [replace(best, **{name: value}) for value in values]  # type: ignore[type-var]
            gains = [(quality(option) - reached, option) for option in options]
            gain, option = max(gains, key=lambda found: float(found[0].mean()))
            if gain.mean() > max(STANDARD_ERRORS * gain.std() / np.sqrt(len(gain)), 1e-9):
                best, reached = option, reached + gain
        if best == before:
            break
    return best


def mean_hits(scores: Scores, right: NDArray[np.bool_]) -> Scores:
    """Return for each row the mean of its hits at the depths; a tie with a wrong one counts as behind it."""
    best = np.where(right, scores, -np.inf).max(axis=1)
    rank = ((scores >= best[:, None]) & ~right).sum(axis=1)
    hits: Scores = np.mean([rank < depth for depth in DEPTHS], axis=0)
    return hits


def _has_enough_of_length(length: Scores, name: str) -> bool:
    of_kind = length > 0.5 if name == "words_long" else length <= 0.5
    return int(of_kind.sum()) >= FEWEST_LABELLED


def _order_by_date(issues: Sequence[PastIssue]) -> list[int]:
    dated = sum(bool(issue.date) for issue in issues) * 2 >= len(issues)
    return sorted(range(len(issues)), key=lambda n: (issues[n].date if dated else "", digest(issues[n].id), n))


def _ask_past_issues(index: ChunkIndex, issues: Sequence[PastIssue], vectors: Vectors) -> _PastQuestions | None:
    centroids, language = index.centroids(), index.words.language
    rows = []
    for start, stop in _split_into_folds(len(issues)):
        history = build_history(index.documents, issues[:start], vectors[:start], centroids, language)
        seen = {issue.text for issue in issues[:start]}
        for n in range(start, stop):
            if issues[n].text not in seen:  # the same text asked again would only be recognised
                right = np.isin(np.array(index.documents), issues[n].documents)
                parts = search_parts(index, vectors[n], issues[n].text)
                votes, learnt = history.votes(vectors[n]), history.learnt(vectors[n], issues[n].text)
                rows.append((*parts, votes, learnt, gate_by_length(issues[n].text, language), right))
    return _PastQuestions(*(np.array(column) for column in zip(*rows, strict=True))) if rows else None


def _split_into_folds(count: int) -> Iterator[tuple[int, int]]:
    """Yield the blocks of the later half: where each starts is how many issues are known then."""
    first = max(count - min(count - count // 2, MOST_ASKED), 1)
    bounds = sorted({first + (count - first) * n // FOLDS for n in range(FOLDS + 1)})
    yield from pairwise(bounds)
