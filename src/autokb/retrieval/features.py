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

from autokb.core.attributes import ANY, Match
from autokb.core.ranking import Scores
from autokb.retrieval.candidates import Candidates
from autokb.retrieval.knowledge_index import ACCEPTED, Asked


@dataclass(frozen=True)
class Evidence:
    """What one question finds, before anything is weighed.

    ``sections``, ``headings`` and ``words`` have a number a row: the cosines of the section and of its heading, and the
    share of BM25 that the section has. ``windows``, ``titles``, ``chunk_words``, ``votes`` and ``learnt`` have one a
    document: the mean cosine of its best windows, the cosine of its title, its best chunk's share of BM25, and what
    history says of it. ``nodes`` are the cosines of the nodes; ``tokens`` has the late interaction of each row, 0 where
    the encoder has none; ``long`` is 0 for a short question, 1 for a message.
    """

    asked: Asked
    candidates: Candidates
    sections: Scores
    headings: Scores
    words: Scores
    windows: Scores
    titles: Scores
    chunk_words: Scores
    votes: Scores
    learnt: Scores
    nodes: Scores
    tokens: Scores
    long: float

    def of_rows(self, documents: Scores, by_hand: Scores | float = 0.0) -> Scores:
        """Return for every row its document's number; a solution by hand has none and takes ``by_hand``."""
        columns = self.candidates.columns
        found: Scores = np.where(columns >= 0, documents[columns] if len(documents) else 0.0, by_hand)
        return found


Feature = Callable[[Evidence], Scores]


def section(found: Evidence) -> Scores:
    """Return the cosine of the section: its heading and text, symptoms and explanations too."""
    return found.sections


def heading(found: Evidence) -> Scores:
    """Return the cosine of the heading with the one above it."""
    return found.headings


def late_interaction(found: Evidence) -> Scores:
    """Return how well each word of the question is met in the section (``late_interaction.py``)."""
    return found.tokens


def words_of_short(found: Evidence) -> Scores:
    """Return the section's share of BM25 (Robertson and Zaragoza, 2009), as far as the question is short."""
    shares: Scores = found.words * (1 - found.long)
    return shares


def words_of_long(found: Evidence) -> Scores:
    """Return the section's share of BM25, as far as the question is a whole message, whose many words mislead."""
    shares: Scores = found.words * found.long
    return shares


def windows(found: Evidence) -> Scores:
    """Return the mean cosine of the document's three best windows; of one by hand its own."""
    return found.of_rows(found.windows, found.sections)


def title(found: Evidence) -> Scores:
    """Return the cosine of the document's title; of one by hand its own."""
    return found.of_rows(found.titles, found.sections)


def document_words_of_short(found: Evidence) -> Scores:
    """Return the share of BM25 of the document's best chunk, as far as the question is short."""
    shares: Scores = found.of_rows(found.chunk_words, found.words) * (1 - found.long)
    return shares


def own_node(found: Evidence) -> Scores:
    """Return the best cosine of a node that the section is a solution of, and is not for others; else 0."""
    candidates = found.candidates
    best = np.zeros(len(candidates.rows))
    _, views = candidates.matches(found.asked)
    kept = views != Match.CONFLICT
    np.maximum.at(best, candidates.view_rows[kept], found.nodes[candidates.view_nodes[kept]])
    return best


def is_on_node(found: Evidence) -> Scores:
    """Return 1 for a section that is the solution of some node, and not for others."""
    return (own_node(found) > 0).astype(np.float64)


def votes(found: Evidence) -> Scores:
    """Return the document's share of the votes of similar past issues, by what resolved them."""
    return found.of_rows(found.votes)


def learnt(found: Evidence) -> Scores:
    """Return the estimate of a ridge regression, on past issues, that the document resolves this."""
    return found.of_rows(found.learnt)


def stated(found: Evidence) -> Scores:
    """Return how many of the values that the question states the section is for."""
    candidates, asked = found.candidates, found.asked
    of_audience = np.zeros(len(candidates.audiences))
    for n, one in enumerate(candidates.audiences):
        fixed = dict(asked.index.combination_of[one])
        said = ((fixed.get(name, ANY), values) for name, values in asked.attributes.items())
        of_audience[n] = sum(values != ANY != fixes and bool(values & fixes) for fixes, values in said)
    return of_audience[candidates.row_audiences]


def left_open(found: Evidence) -> Scores:
    """Return 1 for a section that is only for some of those whom the question leaves open."""
    rows, _ = found.candidates.matches(found.asked)
    return np.array([match not in ACCEPTED for match in rows], dtype=np.float64)


FEATURES: Mapping[str, Feature] = {
    feature.__name__: feature
    for feature in (
        section,
        heading,
        late_interaction,
        words_of_short,
        words_of_long,
        windows,
        title,
        document_words_of_short,
        own_node,
        is_on_node,
        votes,
        learnt,
        stated,
        left_open,
    )
}
HISTORY = ("votes", "learnt")  # features that are left out where a measurement asks for no history


def feature_table(found: Evidence) -> NDArray[np.float64]:
    """Return a row a candidate, a column a feature in the order of ``FEATURES``."""
    columns = [feature(found) for feature in FEATURES.values()]
    return np.column_stack(columns).astype(np.float64).reshape(len(found.candidates.rows), len(FEATURES))
