"""Which solutions a question is shown: each of the likeliest documents gives the best of its fitting ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from autokb.core.attributes import ANY, Match, Values
from autokb.core.nouns import Solution
from autokb.core.ranking import Positions, Ranking, Scores
from autokb.retrieval.knowledge_index import ACCEPTED, Asked
from autokb.retrieval.match_issues import Similarities, TreeMatch, match_tree
from autokb.retrieval.node_index import nearness
from autokb.retrieval.solution_index import SolutionIndex
from autokb.retrieval.weights import Weights

NO_ROWS: Positions = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Choice:
    """A solution and the tree that shows it (None for a passage), and the document that it was chosen for."""

    solution: Solution
    document: str
    tree: TreeMatch | None


@dataclass
class Chooser:
    """One question beside everything that can be shown.

    ``cosines`` are the question's to the rows of ``shown``, ``scores`` the same with the words they share,
    ``similarities`` its cosines to the nodes.
    """

    asked: Asked
    shown: SolutionIndex
    cosines: Scores
    scores: Scores
    similarities: Similarities
    weights: Weights
    _trees: dict[str, TreeMatch | None] = field(default_factory=dict)
    _ranked: dict[str, list[int]] = field(default_factory=dict)
    _fits: dict[frozenset[tuple[str, Values]], float] = field(default_factory=dict)

    def rank(self, documents: Ranking, order: Ranking, most: int) -> list[str]:
        """Return the likeliest documents in the order of reading, and solutions by hand, each a document of its own.

        One by hand stands before the first document that is less likely by the document score.
        """
        scores = documents.by_id()
        ranked = [hit.id for hit in order.best(most)]
        own = 1 + self.weights.title
        for row in self.shown.by_hand:
            node = float(nearness(self.similarities[self.shown.nodes[row]]))
            passage = self.weights.passages * float(self.scores[row])
            likely = own * float(self.cosines[row]) + passage + self.weights.nodes * node
            place = next((n for n, d in enumerate(ranked) if scores.get(d, likely) < likely), len(ranked))
            ranked.insert(place, self.shown.solutions[row].id)
        return ranked[:most]

    def choose(self, documents: Sequence[str], k: int) -> list[Choice]:
        """Return the best fitting solution of each document, in their order, and a second one of the first; at most k.

        A document without one gives way to the next.
        """
        return self._first_of_each(documents, k, self.fitting)

    def choose_passages(self, documents: Sequence[str], k: int) -> list[Choice]:
        """Return the best fitting passage of each document, and a second one of the first; at most k."""
        return self._first_of_each(documents, k, self.fitting_passages)

    def _first_of_each(
        self, documents: Sequence[str], k: int, fitting: Callable[[str], Iterator[Choice]]
    ) -> list[Choice]:
        chosen: list[Choice] = []
        for document in documents:
            if len(chosen) >= k:
                break
            found = fitting(document)
            if (best := next(found, None)) is not None:
                chosen.append(best)
                if len(chosen) == 1 < k:
                    chosen += islice((c for c in found if c.solution.steps != best.solution.steps), 1)
        return chosen

    def fitting(self, document: str) -> Iterator[Choice]:
        """Yield the solutions of a document that the accepted nodes of their trees show, best first."""
        for row in self._ranked_rows(document):
            solution = self.shown.solutions[row]
            if self.shown.nodes[row] >= 0 and (tree := self.showing_tree(solution)) is not None:
                yield Choice(solution, document, tree)

    def fitting_by_hand(self, tree: TreeMatch) -> list[Solution]:
        """Return what people wrote for what a tree's accepted node shows; it comes before what was built."""
        written = (self.shown.solutions[row] for row in self.shown.by_hand)
        return [s for s in written if self.asked.index.root_of[s.issue_id] == tree.tree and self.showing_tree(s)]

    def showing_tree(self, solution: Solution) -> TreeMatch | None:
        """Return the tree that shows a solution for this question, or None where it does not fit."""
        if self.asked.match(solution.id) is Match.CONFLICT:
            return None
        tree = self.tree_of(solution.issue_id)
        return tree if tree is not None and self.is_shown_by(tree, solution.issue_id) else None

    def fitting_passages(self, document: str) -> Iterator[Choice]:
        """Yield the passages of a document that are not in conflict with the question, best first."""
        for row in self._ranked_rows(document):
            passage = self.shown.solutions[row]
            if self.shown.nodes[row] < 0 and self.asked.match(passage.id) is not Match.CONFLICT:
                yield Choice(passage, document, None)

    def tree_of(self, issue_id: str) -> TreeMatch | None:
        """Return what a node's tree offers, worked out once."""
        root = self.asked.index.root_of[issue_id]
        if root not in self._trees:
            self._trees[root] = match_tree(root, self.asked, self.similarities)
        return self._trees[root]

    def is_shown_by(self, tree: TreeMatch, issue_id: str) -> bool:
        """Return whether a tree with an accepted node shows a node's solutions: those that fit, and open ones."""
        return tree.issue is not None and (self.asked.match(issue_id) in ACCEPTED or self.asked.is_open(issue_id))

    def settles(self, solution: Solution) -> bool:
        """Return whether a solution holds whatever the question leaves open.

        It may, on a node that holds for some alone: whom a solution is for is what its manual says.
        """
        return self.asked.match(solution.id) in ACCEPTED

    def _audience_fits(self, solution: Solution) -> float:
        """Return what it counts that a solution is for whom the question states, worked out once for an audience."""
        audience = self.asked.index.combination_of[solution.id]
        if audience not in self._fits:
            fixed = dict(audience)
            stated = ((fixed[name], values) for name, values in self.asked.attributes.items() if name in fixed)
            same = sum(values != ANY and bool(values & fixes) for fixes, values in stated)
            is_open = not self.settles(solution)
            self._fits[audience] = self.weights.stated * same - self.weights.open * is_open
        return self._fits[audience]

    def score(self, solution: Solution) -> float:
        """Return how well a solution's words fit the question: the cosine and the words they share."""
        return float(self.scores[self.shown.row_of[solution.id]])

    def cosine(self, solution: Solution) -> float:
        """Return the question's cosine to what a solution says."""
        return float(self.cosines[self.shown.row_of[solution.id]])

    def _ranked_rows(self, document: str) -> list[int]:
        """Return the rows of a document, best first: by what they say, the build's order and whom they serve.

        They are ranked once: for the solutions of nodes, the passages and the question back.
        """
        if document not in self._ranked:
            self._ranked[document] = self._rank_rows(self.shown.rows_of.get(document, NO_ROWS))
        return self._ranked[document]

    def _rank_rows(self, rows: Positions) -> list[int]:
        shown, weights = self.shown, self.weights
        scores = self.scores[rows] - weights.rank * (shown.ranks[rows] - 1)
        of_nodes = shown.nodes[rows] >= 0
        scores[of_nodes] += weights.own_node * nearness(self.similarities[shown.nodes[rows[of_nodes]]])
        found = []
        for row, score in zip(rows.tolist(), scores.tolist(), strict=True):
            solution = shown.solutions[row]
            found.append((-round(score + self._audience_fits(solution), 9), solution.id, row))
        return [row for _, _, row in sorted(found)]
