"""What speaks for a candidate: named functions from what one question finds to a number for every row.

Each is added, by its weight, to the score of the row (``ranker.py``). A feature of a document counts for all its rows,
one of a section for that row alone. Whoever adds one proves it: ``python -m benchmarks ranking`` must show a paired
gain of more than two standard errors over all bases together, each ranked by weights of the others (CONTRIBUTING.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.core.attributes import Match
from autokb.core.ranking import Positions, Scores
from autokb.core.vectors import Vectors
from autokb.retrieval.candidates import Candidates
from autokb.retrieval.knowledge_index import NodeCosines, QuestionMatch

SAME_WORDS = 0.8  # cosine from which a question is nearly a node's own words


@dataclass(frozen=True)
class QuestionEvidence:
    """What one question finds, before anything is weighed.

    ``sections``, ``headings`` and ``tokens`` have a number a row: the cosines of the section and of its heading, and
    the late interaction, 0 where the encoder has none. ``words``, ``votes`` and ``learnt`` have one a document: its
    best chunk's share of BM25, and what history says of it. ``nodes`` are the cosines of the nodes,
    ``past`` those of past issues; ``long`` is 0 for a short question, 1 for a message; ``asks_fact`` whether
    it asks for a fact, which any section may state.
    """

    asked: QuestionMatch
    candidates: Candidates
    sections: Scores
    headings: Scores
    tokens: Scores
    words: Scores
    votes: Scores
    learnt: Scores
    nodes: NodeCosines
    past: Vectors
    long: float
    asks_fact: bool = False

    def of_rows(self, documents: Scores) -> Scores:
        """Return for every row its document's number; a solution by hand has none."""
        columns = self.candidates.columns
        found: Scores = np.where(columns >= 0, documents[columns] if len(documents) else 0.0, 0.0)
        return found


Feature = Callable[[QuestionEvidence], Scores]


def section(found: QuestionEvidence) -> Scores:
    """Return the cosine of the section under its headings, symptoms and explanations too."""
    return found.sections


def heading(found: QuestionEvidence) -> Scores:
    """Return the cosine of the heading with the one above it."""
    return found.headings


def late_interaction(found: QuestionEvidence) -> Scores:
    """Return how well each word of the question is met in the section (``late_interaction.py``)."""
    return found.tokens


def words(found: QuestionEvidence) -> Scores:
    """Return the share of BM25 (Robertson and Zaragoza, 2009) of the document's best chunk, if the question is short.

    The many words of a whole message mislead.
    """
    shares: Scores = found.of_rows(found.words) * (1 - found.long)
    return shares


def same_words(found: QuestionEvidence) -> Scores:
    """Return by how much the cosine of a node is above ``SAME_WORDS`` whose view of the section a person approved: the
    best, of those that are not for others. The question is nearly that node's own words.

    What nobody has read is the build's guess, and moves nothing.
    """
    candidates = found.candidates
    best = np.zeros(len(candidates.rows))
    is_near = found.nodes.of_all > SAME_WORDS
    if not is_near.any() or not len(candidates.approved):
        return best
    near = candidates.approved[is_near[candidates.view_nodes[candidates.approved]]]  # few; those below add nothing
    matches = (found.asked.match(candidates.audiences[n]) for n in candidates.view_audiences[near].tolist())
    kept = near[[match is not Match.CONFLICT for match in matches]]
    np.maximum.at(best, candidates.view_rows[kept], found.nodes.of_all[candidates.view_nodes[kept]] - SAME_WORDS)
    return best


def votes(found: QuestionEvidence) -> Scores:
    """Return the document's share of the votes of similar past issues, by what resolved them."""
    return found.of_rows(found.votes)


def learnt(found: QuestionEvidence) -> Scores:
    """Return the estimate of a ridge regression, on past issues, that the document resolves this."""
    return found.of_rows(found.learnt)


def introduction(found: QuestionEvidence) -> Scores:
    """Return 1 for a section that only introduces its article, unless the question asks for a fact."""
    return _of(found, found.candidates.roles.introductions)


def problem(found: QuestionEvidence) -> Scores:
    """Return 1 for a section that states or explains the problem that another one of its article remedies, unless the
    question asks for a fact.
    """
    return _of(found, found.candidates.roles.problems)


def remedy(found: QuestionEvidence) -> Scores:
    """Return 0; the ranker fills it, for what an article's sections say of it needs their scores (``ranker.py``)."""
    return np.zeros(len(found.candidates.rows))


def _of(found: QuestionEvidence, rows: Positions) -> Scores:
    marked = np.zeros(len(found.candidates.rows))
    marked[rows] = 0.0 if found.asks_fact else 1.0
    return marked


FEATURES: Mapping[str, Feature] = {
    feature.__name__: feature
    for feature in (section, heading, late_interaction, words, same_words, votes, learnt, introduction, problem, remedy)
}
HISTORY = ("votes", "learnt")  # features that are left out where a measurement asks for no history


def feature_table(found: QuestionEvidence) -> NDArray[np.float64]:
    """Return a row a candidate, a column a feature in the order of ``FEATURES``."""
    columns = [feature(found) for feature in FEATURES.values()]
    return np.column_stack(columns).astype(np.float64).reshape(len(found.candidates.rows), len(FEATURES))
