"""A cluster of several problems grows several trees: those that the documents answer otherwise are told apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.issues.answering_sections import AnsweringSections
from autokb.issues.same_problem import SPLIT, Problem, log_odds, log_odds_of_pairs

MOST_COMPARED = 2_000  # issues of a cluster; in a larger one the table of all pairs would take too long
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SplitPart:
    """The raw issues of one problem, by the one that leads them; ``seed`` leads the cluster that they are in."""

    lead: str
    members: tuple[str, ...]
    seed: str


@dataclass(frozen=True)
class ClusterSplitter:
    """Splits clusters by ``vectors``, a problem's by raw issue, the sections that answer it and known ``outcomes``."""

    sections: AnsweringSections
    vectors: Mapping[str, Floats]
    outcomes: Mapping[str, Collection[str]]

    def parts(self, seed: str, members: Sequence[str]) -> Iterator[SplitPart]:
        """Yield the parts of a cluster; the seed leads its own, the others the member nearest to their middle."""
        for part in self._split(sorted(members)):
            yield SplitPart(seed if seed in part else self._central(part), tuple(part), seed)

    def _split(self, members: list[str]) -> Iterator[list[str]]:
        if not self.sections.spans or not 1 < len(members) <= MOST_COMPARED:
            yield members
            return
        from scipy.cluster.hierarchy import average, cut_tree
        from scipy.spatial.distance import squareform

        odds = log_odds_of_pairs([self._problem([member]) for member in members])
        tree = average(squareform(odds.max() - odds, checks=False))
        labels = cut_tree(tree, n_clusters=2)[:, 0].tolist()
        parts = [[m for m, label in zip(members, labels, strict=True) if label == part] for part in (0, 1)]
        if log_odds(*map(self._problem, parts)) >= SPLIT:
            yield members
            return
        for part in parts:
            yield from self._split(part)

    def _problem(self, members: Sequence[str]) -> Problem:
        middle = self._middle(members)
        helped = frozenset(document for member in members for document in self.outcomes.get(member, ()))
        return Problem(middle, self.sections.score_subjects(middle), helped)

    def _middle(self, members: Sequence[str]) -> Floats:
        mean = np.mean([self.vectors[member] for member in members], axis=0)
        unit: Floats = mean / max(float(np.linalg.norm(mean)), 1e-12)
        return unit

    def _central(self, members: Sequence[str]) -> str:
        middle = self._middle(members)
        return max(members, key=lambda member: round(float(self.vectors[member] @ middle), 9))
