"""What of the candidates a question is shown: the best that fit it, each as the accepted node of a tree sees it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from autokb.core.attributes import Match
from autokb.core.nouns import Solution
from autokb.core.ranking import best_first
from autokb.retrieval.candidates import Candidate, Candidates, cited_first
from autokb.retrieval.index import ScoredQuestion
from autokb.retrieval.knowledge_index import ACCEPTED, QuestionMatch
from autokb.retrieval.match_issues import TreeMatch, match_tree

FIRST_SHOWN = 3  # what a person reads before giving up
FIRST_SORTED = 64  # rows; what is shown is nearly always among them
MOST_OF_DOCUMENT = 2  # of them are from one document, so that another reading of the question has its place


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate as it is shown: a node's view of it with the tree that shows it, else the section itself."""

    row: int
    solution: Solution
    document: str
    tree: TreeMatch | None


@dataclass
class Presentation:
    """One scored question beside everything that can be shown."""

    scored: ScoredQuestion
    _trees: dict[str, TreeMatch | None] = field(default_factory=dict)

    @property
    def asked(self) -> QuestionMatch:
        """How nodes and solutions relate to what the question says."""
        return self.scored.evidence.asked

    @property
    def candidates(self) -> Candidates:
        """Everything that can be shown."""
        return self.scored.evidence.candidates

    def choose(self, k: int) -> list[Choice]:
        """Return the k best that fit the question, best first, the same steps once.

        Urgent warnings come before all else. At most ``MOST_OF_DOCUMENT`` of the ``FIRST_SHOWN`` are from one
        document, but for an article's remedies; what is more waits behind them.
        """
        chosen = list(self._distinct(map(self.as_section, self.scored.urgent)))[:FIRST_SHOWN]
        shown, remedies = {choice.row for choice in chosen}, self.candidates.roles.remedies
        waiting: list[Choice] = []
        for choice in self._distinct(self.fitting(row for row in self.ranked_rows() if row not in shown)):
            if len(chosen) >= min(k, FIRST_SHOWN):
                waiting.append(choice)
                if len(chosen) + len(waiting) >= k:
                    break
            elif choice.row in remedies or sum(c.document == choice.document for c in chosen) < MOST_OF_DOCUMENT:
                chosen.append(choice)
            else:
                waiting.append(choice)
        waiting.sort(key=lambda choice: (-self.score(choice), choice.row))
        return [*chosen, *waiting][:k]

    def ranked_rows(self) -> Iterator[int]:
        """Give all rows, best first; of two that are level the first in the order of the knowledge base.

        Few are ever looked at, so only as many are sorted as somebody asks for.
        """
        scores = np.round(self.scored.scores, 9)
        given, wanted = 0, FIRST_SORTED
        while given < len(scores):
            yield from best_first(scores, wanted)[given:].tolist()
            given, wanted = wanted, wanted * 16

    def distinct(self) -> Iterator[Choice]:
        """Give all that fits the question, best first, the same steps once."""
        return self._distinct(self.fitting(self.ranked_rows()))

    def fitting(self, rows: Iterable[int]) -> Iterator[Choice]:
        """Give what may be shown of these rows."""
        for row in rows:
            if (choice := self.as_shown(int(row))) is not None:
                yield choice

    def as_shown(self, row: int) -> Choice | None:
        """Return a row as the nearest accepted node shows it, else the section; None where it is for others."""
        candidate = self.candidates.rows[row]
        if view := self._view(candidate):
            return Choice(row, view[0], cited_first(candidate.solution), view[1])
        if (
            candidate.passage is None
            or candidate.is_withheld
            or self.asked.match(candidate.solution.id) is Match.CONFLICT
        ):
            return None
        return self.as_section(row)

    def as_section(self, row: int) -> Choice:
        """Return a row as its manual has it, for whomever it is."""
        solution = self.candidates.rows[row].solution
        return Choice(row, solution, cited_first(solution), None)

    def _view(self, candidate: Candidate) -> tuple[Solution, TreeMatch] | None:
        """Return what a node shows of a candidate: what holds for all, then by the nearest tree and node."""
        found = ((view, tree) for view in candidate.views if (tree := self.showing_tree(view)) is not None)
        return max(found, key=lambda one: self._nearness(*one), default=None)

    def _nearness(self, view: Solution, tree: TreeMatch) -> tuple[bool, float, bool, float, int, str]:
        node = self.asked.index.rows[view.issue_id]
        is_exact = self.asked.match(view.issue_id) is Match.EXACT
        return self.holds_for_all(view), tree.similarity, is_exact, self.scored.nodes[node], -view.rank, view.id

    def showing_tree(self, solution: Solution) -> TreeMatch | None:
        """Return the tree that shows a node's solution for this question, or None where it does not fit."""
        if self.asked.match(solution.id) is Match.CONFLICT:
            return None
        tree = self.tree_of(solution.issue_id)
        if tree is None or tree.issue is None:
            return None
        is_shown = self.asked.match(solution.issue_id) in ACCEPTED or self.asked.is_open(solution.issue_id)
        return tree if is_shown else None

    def tree_of(self, issue_id: str) -> TreeMatch | None:
        """Return what a node's tree offers, worked out once."""
        root = self.asked.index.root_of[issue_id]
        if root not in self._trees:
            self._trees[root] = match_tree(root, self.asked, self.scored.nodes)
        return self._trees[root]

    def by_hand(self, tree: TreeMatch) -> list[Solution]:
        """Return what people wrote for what a tree's accepted node shows; it comes before what was built."""
        views = (
            view for row in np.flatnonzero(self.candidates.columns < 0) for view in self.candidates.rows[row].views
        )
        of_tree = (view for view in views if self.asked.index.root_of[view.issue_id] == tree.tree)
        return [view for view in of_tree if not view.evidence and self.showing_tree(view)]

    def of_document(self, document: str) -> Iterator[Choice]:
        """Give what may be shown of a document, best first."""
        rows = self.candidates.rows_of.get(document, ())
        return self.fitting(sorted(rows, key=lambda row: (-round(float(self.scored.scores[row]), 9), row)))

    def holds_for_all(self, solution: Solution) -> bool:
        """Return whether a solution holds whatever the question leaves open.

        It may, on a node that holds for some alone: whom a solution is for is what its manual says.
        """
        return self.asked.match(solution.id) in ACCEPTED

    def score(self, choice: Choice) -> float:
        """Return the score of what is shown."""
        return float(self.scored.scores[choice.row])

    def cosine(self, solution: Solution) -> float:
        """Return the question's cosine to the section that a solution begins in."""
        return float(self.scored.evidence.sections[self.candidates.row_of[solution.id]])

    def _distinct(self, choices: Iterable[Choice]) -> Iterator[Choice]:
        seen: set[tuple[str, ...]] = set()
        for choice in choices:
            if choice.solution.steps not in seen:
                seen.add(choice.solution.steps)
                yield choice
