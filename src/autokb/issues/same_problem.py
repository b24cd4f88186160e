"""How likely two problems are the same one: what they say, the sections that answer them, what is known to have helped.

The weights are those of a logistic regression on pairs of questions whose outcomes are known (``python -m
benchmarks.same_problem`` fits them); two are one problem where the same document helped. Clusters are frozen and must
not hang on documents, and a model is asked about parents before their sections are known: these two go by the cosine
alone. What else was tried for the four uses: decision 22.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.nouns import Issue
from autokb.issues.answering_sections import AnsweringSections

SHARPNESS = 20.0  # of what a section's score counts: .05 below the best is about a third of it
INTERCEPT, COSINE, SECTIONS, OUTCOMES = -3.37, 3.64, 2.39, 1.05
JOINED = 0.0  # log odds from which on trees that show the same first become one
SPLIT = -1.0  # log odds below which parts of a cluster are two problems: another is nearly three times as likely
MOST_COMPARED = 2_000  # issues of a cluster; in a larger one the table of all pairs would take too long
NEAR_PARENTS = 0.5  # cosine of two parents' texts, below which none was the same problem: decision 26
FEWEST_LEARNT = 30  # issues; the cosine of near duplicates is not learnt from fewer
USUAL_NEAR = 0.6  # cosine to the seed where there are too few issues to learn it from
NEAR_BOUNDS = (0.45, 0.8)  # of what is learnt, for a knowledge base of one single topic
NEAR_DEVIATIONS = 2.0  # above the middle, where near duplicates begin: one pair in forty of unrelated issues lies there
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Problem:
    """The unit vector of a problem's words without attribute values, how well each subject of the documents answers it,
    and the documents that are known to have helped.
    """

    vector: Floats
    sections: Floats
    outcomes: frozenset[str] = frozenset()

    @property
    def profile(self) -> Floats:
        """The unit vector of what each subject counts."""
        weights = np.exp(SHARPNESS * (self.sections - self.sections.max()))
        unit: Floats = weights / np.linalg.norm(weights)
        return unit


def log_odds(one: Problem, other: Problem) -> float:
    """Return the logarithm of the odds that two problems are the same."""
    return float(log_odds_of_pairs([one, other])[0, 1])


def log_odds_of_pairs(problems: Sequence[Problem]) -> Floats:
    """Return the log odds of each two problems, in rows and columns in their order.

    Outcomes speak for one problem where a document helped with both, against it where others did, and neither way where
    that is not known of both.
    """
    vectors = np.array([p.vector for p in problems])
    profiles = np.array([p.profile for p in problems])
    documents = sorted(frozenset().union(*(p.outcomes for p in problems)))
    helped = np.array([[document in p.outcomes for document in documents] for p in problems], dtype=np.float64)
    known = helped.any(axis=1)
    agree = np.where(helped @ helped.T > 0, 1.0, -1.0) * np.outer(known, known)
    odds: Floats = INTERCEPT + COSINE * (vectors @ vectors.T) + SECTIONS * (profiles @ profiles.T) + OUTCOMES * agree
    return odds


@dataclass(frozen=True, slots=True)
class SplitPart:
    """The raw issues of one problem, by the one that leads them; ``seed`` leads the cluster that they are in."""

    lead: str
    members: tuple[str, ...]
    seed: str


@dataclass(frozen=True)
class SameProblem:
    """The evidence for which raw issues and trees are one problem.

    ``vectors`` are unit vectors of the raw issues' problems, ``sections`` those of the documents, and ``outcomes`` the
    documents that are known to have helped, by raw issue.
    """

    sections: AnsweringSections
    vectors: Mapping[str, Floats]
    outcomes: Mapping[str, Collection[str]]

    def of_issues(self, raw: Sequence[str]) -> Problem:
        """Return the problem that raw issues have in common."""
        return self._problem(self.middle(raw), raw)

    def of_tree(self, parent: Issue, text: Floats) -> Problem:
        """Return the problem of a tree: the masked text of its parent, as a vector, and its reports count half each."""
        reports = [raw for raw in parent.raw_issues if raw in self.vectors]
        vector = unit_mean([text, self.middle(reports)]) if reports else text
        return self._problem(vector, parent.raw_issues)

    def middle(self, raw: Sequence[str]) -> Floats:
        """Return the unit vector of what raw issues have in common."""
        return unit_mean([self.vectors[one] for one in raw])

    def parts(self, seed: str, members: Sequence[str]) -> Iterator[SplitPart]:
        """Yield the problems of a cluster; the seed leads its own, the others the member nearest to their middle."""
        for part in self._split(sorted(members)):
            yield SplitPart(seed if seed in part else self._central(part), tuple(part), seed)

    def _split(self, members: list[str]) -> Iterator[list[str]]:
        if not self.sections.spans or not 1 < len(members) <= MOST_COMPARED:
            yield members
            return
        from scipy.cluster.hierarchy import average, cut_tree
        from scipy.spatial.distance import squareform

        odds = log_odds_of_pairs([self.of_issues([member]) for member in members])
        tree = average(squareform(odds.max() - odds, checks=False))
        labels = cut_tree(tree, n_clusters=2)[:, 0].tolist()
        parts = [[m for m, label in zip(members, labels, strict=True) if label == part] for part in (0, 1)]
        if log_odds(*map(self.of_issues, parts)) >= SPLIT:
            yield members
            return
        for part in parts:
            yield from self._split(part)

    def _problem(self, vector: Floats, raw: Iterable[str]) -> Problem:
        helped = frozenset(document for one in raw for document in self.outcomes.get(one, ()))
        return Problem(vector, self.sections.score_subjects(vector), helped)

    def _central(self, members: Sequence[str]) -> str:
        middle = self.middle(members)
        return max(members, key=lambda member: round(float(self.vectors[member] @ middle), 9))


def unit_mean(rows: Any) -> Floats:
    """Return the mean of some vectors at length 1."""
    mean = np.mean(rows, axis=0)
    unit: Floats = mean / max(float(np.linalg.norm(mean)), 1e-12)
    return unit


def similarity_threshold(vectors: Any) -> float:
    """Learn from all raw issues how alike two must be to be the same problem.

    Most pairs are unrelated: their middle and the spread below it (which pairs of near duplicates do not touch) say
    how alike unrelated issues are by chance. Bounded, for a knowledge base of one single topic.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    if len(rows) < FEWEST_LEARNT:
        return USUAL_NEAR
    sample = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), 1_500)).astype(int))]
    pairs = (sample @ sample.T)[np.triu_indices(len(sample), 1)]
    low, middle = np.quantile(pairs, [0.16, 0.5])
    return round(float(np.clip(middle + NEAR_DEVIATIONS * (middle - low), *NEAR_BOUNDS)), 4)
