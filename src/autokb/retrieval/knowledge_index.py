"""What matching needs to know of a knowledge base, worked out once per build so that a question costs little."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from autokb.core.attributes import ANY, Attributes, Match, Values, compare, compare_values
from autokb.core.domain import Attribute
from autokb.core.nouns import DISPLAYED, Hit, Issue, Solution
from autokb.text.lexicon import implied_sets

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
    leaves: Mapping[_Combination, Attributes]

    @classmethod
    def of(
        cls,
        issues: Iterable[Issue],
        solutions: Iterable[Solution],
        names: Iterable[str],
        configuration: Mapping[str, Attribute] | None = None,
    ) -> KnowledgeIndex:
        """Index the issues and their displayed solutions; ``names`` are the configured attributes.

        ``configuration`` says what values imply: what is for Android leaves phone and tablet, a laptop conflicts.
        """
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
        combinations = {i.id: _combination(i.attributes, ordered) for i in by_id.values()}
        combinations |= {s.id: _combination(s.attributes, ordered) for some in kept.values() for s in some}
        return cls(
            names=ordered,
            ids=tuple(by_id),
            issues=by_id,
            rows={issue_id: row for row, issue_id in enumerate(by_id)},
            root_of=roots,
            trees={root: tuple(nodes) for root, nodes in trees.items()},
            solutions_of=kept,
            cited={i: _cited(s) for i, s in kept.items()},
            combination_of=combinations,
            leaves={c: _leaves(c, configuration or {}) for c in set(combinations.values())},
        )

    def nearest(self, similarities: NDArray[np.floating], depth: int) -> tuple[Hit, ...]:
        """Return the ``depth`` most similar issues, best first, ties by id."""
        values = np.asarray(similarities, dtype=np.float64)
        if 0 < depth < len(values):
            floor = np.partition(values, len(values) - depth)[len(values) - depth]
            rows = np.flatnonzero(values >= floor)
        else:
            rows = np.arange(len(values))
        best = rows[np.argsort(-values[rows], kind="stable")][: max(0, depth)]
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


def _leaves(combination: _Combination, configuration: Mapping[str, Attribute]) -> Attributes:
    """Return what the fixed values leave of the attributes that are Any."""
    return implied_sets({name: values for name, values in combination if values != ANY}, configuration)


def _combination(attributes: Attributes, names: Iterable[str]) -> _Combination:
    return frozenset((name, attributes.get(name, ANY)) for name in names)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question beside the index: how each node and each solution stands to what it says.

    ``within`` holds what an unknown attribute can still be (iOS leaves phone and tablet): a node or solution with none
    of these is in conflict, otherwise the attribute stays unknown.
    """

    index: KnowledgeIndex
    attributes: Attributes
    within: Attributes = field(default_factory=dict)
    _known: dict[_Combination, Match] = field(default_factory=dict, compare=False, repr=False)
    _open: dict[_Combination, bool] = field(default_factory=dict, compare=False, repr=False)

    @property
    def unknown(self) -> tuple[str, ...]:
        """The attributes that a clarifying question may be about."""
        return tuple(name for name in self.index.names if name not in self.attributes)

    def match(self, thing_id: str) -> Match:
        """Compare a node or solution with the question."""
        combination = self.index.combination_of[thing_id]
        if combination not in self._known:
            left = self.index.leaves.get(combination, {})
            impossible = any(self._outside(name, values) for name, values in combination) or any(
                self.attributes.get(name, ANY) != ANY and not values & self.attributes[name]
                for name, values in left.items()
            )
            found = compare(dict(combination), self.attributes, self.index.names)
            self._known[combination] = Match.CONFLICT if impossible else found
        return self._known[combination]

    def _outside(self, name: str, values: Values) -> bool:
        within = self.within.get(name) if name not in self.attributes else None
        return within is not None and values != ANY and not values & within

    def is_open(self, thing_id: str) -> bool:
        """Return whether a node agrees with all that is said and fixes what is not, so that asking could settle it."""
        combination = self.index.combination_of[thing_id]
        if combination not in self._open:
            self._open[combination] = self.match(thing_id) not in (*ACCEPTED, Match.CONFLICT) and all(
                name not in self.attributes or compare_values(values, self.attributes[name]) in ACCEPTED
                for name, values in combination
            )
        return self._open[combination]

    def shown(self, issue_id: str) -> tuple[Solution, ...]:
        """Return a node's displayed solutions that are not in conflict with the question."""
        return tuple(s for s in self.index.solutions_of.get(issue_id, ()) if self.match(s.id) is not Match.CONFLICT)

    def has_shown(self, issue_id: str) -> bool:
        """Return whether a node has anything to show for this question."""
        return any(self.match(s.id) is not Match.CONFLICT for s in self.index.solutions_of.get(issue_id, ()))
