"""What matching needs to know of a knowledge base, worked out once per build so that a question costs little."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autokb.knowledge.attributes import ANY, Attributes, Match, Values, compare, compare_values
from autokb.knowledge.nouns import DISPLAYED, Hit, Issue, Solution

_Combination = frozenset[tuple[str, Values]]
ACCEPTED = (Match.EXACT, Match.BROADER)


@dataclass(frozen=True, slots=True)
class KnowledgeIndex:
    """Issues as trees beside their displayed solutions; row n of any similarity array is issue ``ids[n]``."""

    names: tuple[str, ...]
    ids: tuple[str, ...]
    issues: Mapping[str, Issue]
    rows: Mapping[str, int]
    root_of: Mapping[str, str]
    trees: Mapping[str, tuple[str, ...]]
    solutions_of: Mapping[str, tuple[Solution, ...]]
    cited: Mapping[str, tuple[str, ...]]
    combination_of: Mapping[str, _Combination]

    @classmethod
    def of(cls, issues: Iterable[Issue], solutions: Iterable[Solution], names: Iterable[str]) -> KnowledgeIndex:
        """Index the issues and their displayed solutions; ``names`` are the configured attributes."""
        by_id = {issue.id: issue for issue in sorted(issues, key=lambda i: i.id)}
        shown: dict[str, list[Solution]] = {}
        for solution in sorted(solutions, key=lambda s: s.id):
            if solution.status in DISPLAYED and solution.issue_id in by_id:
                shown.setdefault(solution.issue_id, []).append(solution)
        roots = {issue_id: _root(issue_id, by_id) for issue_id in by_id}
        trees: dict[str, list[str]] = {root: [root] for root in by_id if roots[root] == root}
        for issue_id, root in roots.items():
            if issue_id != root:
                trees[root].append(issue_id)
        ordered = tuple(sorted(names))
        kept = {i: tuple(s) for i, s in shown.items()}
        return cls(
            names=ordered,
            ids=tuple(by_id),
            issues=by_id,
            rows={issue_id: row for row, issue_id in enumerate(by_id)},
            root_of=roots,
            trees={root: tuple(nodes) for root, nodes in trees.items()},
            solutions_of=kept,
            cited={i: _cited(s) for i, s in kept.items()},
            combination_of={i.id: _combination(i.attributes, ordered) for i in by_id.values()}
            | {s.id: _combination(s.attributes, ordered) for some in kept.values() for s in some},
        )

    def nearest(self, similarities: NDArray[np.floating], depth: int) -> tuple[Hit, ...]:
        """Return the ``depth`` most similar issues, best first, ties by id."""
        values = np.asarray(similarities, dtype=np.float64)
        if depth < len(values):
            floor = np.partition(values, len(values) - depth)[len(values) - depth]
            rows = np.flatnonzero(values >= floor)
        else:
            rows = np.arange(len(values))
        best = rows[np.argsort(-values[rows], kind="stable")][:depth]
        return tuple(Hit(self.ids[row], float(values[row])) for row in best)

    def children(self, issue_id: str) -> tuple[str, ...]:
        """Return the direct children of a node in order of their ids."""
        tree = self.trees[self.root_of[issue_id]]
        return tuple(node for node in tree if self.issues[node].parent_id == issue_id)


def _root(issue_id: str, issues: Mapping[str, Issue]) -> str:
    seen = {issue_id}
    while (parent := issues[issue_id].parent_id) is not None and parent in issues and parent not in seen:
        seen.add(parent)
        issue_id = parent
    return issue_id


def _cited(solutions: Iterable[Solution]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(e.document for s in solutions for e in s.evidence))


def _combination(attributes: Attributes, names: Iterable[str]) -> _Combination:
    return frozenset((name, attributes.get(name, ANY)) for name in names)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question beside the index: how each node and each solution stands to what it says.

    ``loose`` names attributes whose several values are only implied: a clarifying question may still settle them.
    """

    index: KnowledgeIndex
    attributes: Attributes
    loose: frozenset[str] = frozenset()
    _known: dict[_Combination, Match] = field(default_factory=dict, compare=False, repr=False)
    _open: dict[_Combination, bool] = field(default_factory=dict, compare=False, repr=False)

    @property
    def unknown(self) -> tuple[str, ...]:
        """The attributes that a clarifying question may be about."""
        return tuple(n for n in self.index.names if n not in self.attributes or n in self.loose)

    def match(self, thing_id: str) -> Match:
        """Compare a node or solution with the question."""
        combination = self.index.combination_of[thing_id]
        if combination not in self._known:
            self._known[combination] = compare(dict(combination), self.attributes, self.index.names)
        return self._known[combination]

    def is_open(self, thing_id: str) -> bool:
        """Return whether a node agrees with all that is said and fixes what is not, so that asking could settle it."""
        combination = self.index.combination_of[thing_id]
        if combination not in self._open:
            self._open[combination] = self.match(thing_id) not in ACCEPTED and all(
                self._agrees(name, values) for name, values in combination
            )
        return self._open[combination]

    def _agrees(self, name: str, values: Values) -> bool:
        match = compare_values(values, self.attributes.get(name))
        return match in ACCEPTED or (name in self.unknown and match is not Match.CONFLICT)

    def shown(self, issue_id: str) -> tuple[Solution, ...]:
        """Return a node's displayed solutions that are not in conflict with the question."""
        return tuple(s for s in self.index.solutions_of.get(issue_id, ()) if self.match(s.id) is not Match.CONFLICT)

    def has_shown(self, issue_id: str) -> bool:
        """Return whether a node has anything to show for this question."""
        return any(self.match(s.id) is not Match.CONFLICT for s in self.index.solutions_of.get(issue_id, ()))

    def told(self, name: str, value: str) -> Asked:
        """Return the same question with one attribute settled."""
        return Asked(self.index, {**self.attributes, name: frozenset({value})}, self.loose - {name})
