"""What matching needs to know of a knowledge base, worked out once per build so that a question costs little."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from autokb.core.attributes import ANY, Attributes, Match, Values, compare, compare_values
from autokb.core.domain import Attribute
from autokb.core.forest import Forest
from autokb.core.implications import implied_values
from autokb.core.nouns import DISPLAYED, Issue, Solution
from autokb.core.ranking import Scores
from autokb.core.vectors import Vectors
from autokb.heuristics.grouping import grouped
from autokb.stores.vector_index import VectorIndex, vector_index

_Combination = frozenset[tuple[str, Values]]  # what a node or solution fixes, each configured attribute named
ACCEPTED = (Match.EXACT, Match.BROADER)


@dataclass(frozen=True, slots=True)
class KnowledgeIndex:
    """Issues as trees beside their displayed solutions; row n of any array of scores is issue ``ids[n]``.

    ``trees`` holds the ids of each tree, the root first, the others in order of their ids; ``cited`` the documents that
    a node's displayed solutions cite. ``leaves`` says what fixed values leave of the attributes that are Any.
    """

    names: tuple[str, ...]
    forest: Forest[Issue]
    rows: Mapping[str, int]
    root_of: Mapping[str, str]
    trees: Mapping[str, tuple[str, ...]]
    solutions_of: Mapping[str, tuple[Solution, ...]]
    cited: Mapping[str, tuple[str, ...]]
    combination_of: Mapping[str, _Combination]
    leaves: Mapping[_Combination, Attributes]
    attributes: Mapping[str, Attribute]

    # Complex: it fills the columns of one index over the same issues, a comprehension each.
    @classmethod
    def of(
        cls,
        issues: Iterable[Issue],
        solutions: Iterable[Solution],
        attributes: Mapping[str, Attribute],
        passages: Iterable[Solution] = (),
    ) -> KnowledgeIndex:
        """Index the issues and their displayed solutions, and for whom ``passages`` are, which belong to no issue.

        The configured ``attributes`` say what values imply: what is for Android leaves phone and tablet, a laptop
        conflicts.
        """
        forest = Forest(sorted(issues, key=lambda i: i.id))
        shown = _displayed(solutions, forest)
        trees = {r.id: (r.id, *sorted(n.id for n in forest.subtree(r.id) if n is not r)) for r in forest.roots}
        names = tuple(sorted(attributes))
        things: Iterable[Issue | Solution] = chain(forest.nodes.values(), *shown.values(), passages)
        combinations = _combinations_of(things, names)
        return cls(
            names=names,
            forest=forest,
            rows={issue_id: row for row, issue_id in enumerate(forest.nodes)},
            root_of={node: root for root, nodes in trees.items() for node in nodes},
            trees=trees,
            solutions_of=shown,
            cited={i: tuple(dict.fromkeys(e.document for s in some for e in s.evidence)) for i, some in shown.items()},
            combination_of=combinations,
            leaves={
                c: implied_values({name: values for name, values in c if values != ANY}, attributes)
                for c in dict.fromkeys(combinations.values())
            },
            attributes=attributes,
        )

    @property
    def issues(self) -> Mapping[str, Issue]:
        """The issues by their ids, in the order of the rows."""
        return self.forest.nodes

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the issues, in the order of the rows."""
        return tuple(self.forest.nodes)


def _combinations_of(things: Iterable[Issue | Solution], names: Sequence[str]) -> dict[str, _Combination]:
    """Return what each thing says of each attribute, by its id; there are far fewer combinations than things."""
    told: dict[tuple[Values, ...], _Combination] = {}
    found: dict[str, _Combination] = {}
    for thing in things:
        values = tuple([thing.attributes.get(name, ANY) for name in names])
        if (combination := told.get(values)) is None:
            combination = told[values] = frozenset(zip(names, values, strict=True))
        found[thing.id] = combination
    return found


def _displayed(solutions: Iterable[Solution], forest: Forest[Issue]) -> dict[str, tuple[Solution, ...]]:
    """Return the solutions that each node displays, the best first."""
    ranked = sorted(solutions, key=lambda s: (s.rank, s.id))
    shown = (s for s in ranked if s.status in DISPLAYED and s.issue_id in forest.nodes)
    return {issue_id: tuple(some) for issue_id, some in grouped((s.issue_id, s) for s in shown).items()}


@dataclass(frozen=True, slots=True)
class QuestionMatch:
    """One question beside the index: how each node and each solution relates to it.

    ``within`` holds what an unknown attribute can still be (iOS leaves phone and tablet): a node or solution with none
    of these is in conflict, otherwise the attribute stays unknown. What is for a value ``beside`` a stated one is not.
    """

    index: KnowledgeIndex
    attributes: Attributes
    within: Attributes = field(default_factory=dict)
    beside: Attributes = field(default_factory=dict)
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
            self._known[combination] = (
                Match.CONFLICT if self._is_impossible(combination) else self._compare(combination)
            )
        return self._known[combination]

    def _is_impossible(self, combination: _Combination) -> bool:
        """Return whether no customer of the question can have these values, or what follows from them."""
        left = self.index.leaves.get(combination, {})
        return any(self._is_outside(name, values) for name, values in combination) or any(
            self.attributes.get(name, ANY) != ANY and not values & self.attributes[name]
            for name, values in left.items()
        )

    def _compare(self, combination: _Combination) -> Match:
        found = compare(dict(combination), self.attributes, self.index.names)
        if found is Match.CONFLICT and self.beside:
            wide = {name: values | self.beside.get(name, values) for name, values in self.attributes.items()}
            if compare(dict(combination), wide, self.index.names) is not Match.CONFLICT:
                return Match.OVERLAP
        return found

    def _is_outside(self, name: str, values: Values) -> bool:
        within = self.within.get(name) if name not in self.attributes else None
        return within is not None and values != ANY and not values & within

    def is_open(self, thing_id: str) -> bool:
        """Return whether a node agrees with what is stated and fixes what is not, so that asking could settle it."""
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


@dataclass(frozen=True)
class NodeCosines:
    """A question's cosines with all nodes: each by its row, exact, and ``of_all`` at once.

    Of many nodes ``of_all`` tells only those that are near, -1 for the others; each by its row is ``worked_out``.
    """

    of_all: Scores
    worked_out: Callable[[int], float] | None = None

    def __getitem__(self, row: int) -> float:
        """Return the cosine of one node."""
        return float(self.of_all[row]) if self.worked_out is None else self.worked_out(row)


@dataclass(frozen=True)
class NodeIndex:
    """Row n of ``texts`` is the text of node ``knowledge.ids[n]``; ``raw_rows`` are the rows of raw issues' nodes.

    Row n of ``raw`` is the raw issue ``raw_ids[n]``.
    """

    knowledge: KnowledgeIndex
    texts: VectorIndex
    raw_ids: tuple[str, ...]
    raw: VectorIndex
    raw_rows: NDArray[np.int64]

    @classmethod
    def of(cls, knowledge: KnowledgeIndex, vectors: Vectors, raw: Mapping[str, Vectors]) -> NodeIndex:
        """Index nodes with the raw issues behind them (``raw`` holds their vectors)."""
        raw_rows, raw_ids = [], []
        for issue_id, row in knowledge.rows.items():
            for raw_id in knowledge.issues[issue_id].raw_issues:
                if raw_id in raw:
                    raw_rows.append(row)
                    raw_ids.append(raw_id)
        return cls(
            knowledge,
            vector_index(vectors),
            tuple(raw_ids),
            vector_index(np.array([raw[i] for i in raw_ids], dtype=np.float32).reshape(len(raw_ids), vectors.shape[1])),
            np.array(raw_rows, dtype=np.int64),
        )

    @property
    def vectors(self) -> Vectors:
        """The vectors of the nodes' texts."""
        return self.texts.vectors

    @property
    def raw_vectors(self) -> Vectors:
        """The vectors of the raw issues."""
        return self.raw.vectors

    def similarities(self, vector: Vectors) -> NodeCosines:
        """Return for every node the cosine of its text or of the nearest raw issue behind it, whichever is nearer."""
        rows, cosines = self.texts.near(vector)
        if rows is None:
            nearest = cosines.astype(np.float64)
        else:
            nearest = np.full(len(self.vectors), -1.0)
            nearest[rows] = cosines
        raw_rows, raw_cosines = self.raw.near(vector)
        raw_nodes = self.raw_rows if raw_rows is None else self.raw_rows[raw_rows]
        np.maximum.at(nearest, raw_nodes, raw_cosines.astype(np.float64))
        if rows is None and raw_rows is None:
            return NodeCosines(nearest)

        def work_out(row: int) -> float:
            return float(max(self.vectors[row] @ vector, (self.raw_of(row) @ vector).max(initial=-1.0)))

        return NodeCosines(nearest, work_out)

    def raw_of(self, row: int) -> Vectors:
        """Return the vectors of the raw issues behind a node."""
        first, end = np.searchsorted(self.raw_rows, (row, row + 1))  # they are in the order of the nodes
        return self.raw_vectors[first:end]
