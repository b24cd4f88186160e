"""Every solution stands on the node that it holds for: one that fixes more than its node belongs to a child."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autokb.core.attributes import ANY, Attributes, Match, Values, compare
from autokb.core.domain import DomainSpec
from autokb.core.implications import implied_values, with_implied_values
from autokb.core.nouns import DISPLAYED, Evidence, Issue, Solution
from autokb.core.solution_text import solution_title
from autokb.heuristics.grouping import grouped
from autokb.heuristics.titles.phrase_editing import named_values, with_values
from autokb.issues.solutions import solution_id
from autokb.issues.trees import issue_id

FOR_OTHERS = "It applies only to attribute values that no issue in this tree has."

Paths = Mapping[str, tuple[str, ...]]  # by the id of a solution: what beside its node its id is made from


@dataclass(frozen=True, slots=True)
class PlacedTree:
    """The nodes of a tree, the parent first, and their solutions, ranked on each node."""

    issues: tuple[Issue, ...]
    solutions: tuple[Solution, ...]

    @property
    def parent(self) -> Issue:
        """The node for all customers of the tree."""
        return self.issues[0]

    def only(self, nodes: Collection[str]) -> PlacedTree:
        """Return the tree with some of its nodes and their solutions."""
        issues = tuple(issue for issue in self.issues if issue.id in nodes)
        return PlacedTree(issues, tuple(s for s in self.solutions if s.issue_id in nodes))

    def displayed(self, node: str) -> list[Solution]:
        """Return the solutions of a node that are shown, best first."""
        return [s for s in self.solutions if s.issue_id == node and s.status in DISPLAYED]


def place_solutions(
    trees: Iterable[tuple[str, Sequence[Issue]]],
    written: Iterable[Solution],
    paths: Paths,
    spec: DomainSpec,
    titles: Mapping[str, str],
) -> list[PlacedTree]:
    """Move each solution that fixes more than its node to the child that it holds for, made where there is none.

    So children come from what customers reported and from what the headings of the manuals distinguish, the document's
    title of ``titles`` among them, and everything found stays within reach. A child that was reported and shows nothing
    that its parent does not is none. A tree comes as the raw issue of its seed and its nodes, the parent first; the
    solutions of a node come best first. What is withheld stays where it was written.
    """
    solutions_of = grouped((solution.issue_id, solution) for solution in written)
    placed = []
    for seed, tree in trees:
        placing = _Placing(tree[0], seed, paths, spec, titles, {_key(node.attributes): node for node in tree})
        placing.place(tree, solutions_of)
        placed.append(placing.placed())
    return placed


@dataclass
class _Placing:
    parent: Issue
    seed: str
    paths: Paths
    spec: DomainSpec
    titles: Mapping[str, str]
    nodes: dict[tuple[tuple[str, Values], ...], Issue]
    solutions_of: dict[str, dict[str, Solution]] = field(default_factory=dict)

    def place(self, tree: Iterable[Issue], written: Mapping[str, Sequence[Solution]]) -> None:
        """Put the solutions of a tree's nodes where they belong: first those that stay, which lead their nodes."""
        moving = []
        for node in tree:
            for solution in written.get(node.id, ()):
                if solution.status in DISPLAYED and self.is_narrower_than(solution, node):
                    moving.append((solution, node))
                else:
                    self.put(solution, node)
        for solution, node in moving:
            self.move(solution, node)

    def is_narrower_than(self, solution: Solution, node: Issue) -> bool:
        """Return whether a solution holds for some of a node's customers only."""
        known = self._known(node.attributes)
        return any(values != ANY and not known.get(name, ANY) <= values for name, values in solution.attributes.items())

    def put(self, solution: Solution, node: Issue) -> None:
        self.solutions_of.setdefault(node.id, {}).setdefault(solution.id, solution)

    def move(self, solution: Solution, node: Issue) -> None:
        """Put a solution on the widest node of its tree that it holds for; where there can be none it is withheld.

        No child is made of an audience that nobody reported and no heading names: such a solution stays where it was
        written and says itself whom it is for.
        """
        home = self._home(solution.attributes)
        if home is None:
            self.put(replace(solution, status="withheld", reason=FOR_OTHERS), node)
        elif _key(home.attributes) not in self.nodes and not self._is_named(solution, home):
            self.put(solution, node)
        else:
            home = self.nodes.setdefault(_key(home.attributes), home)
            self._put_copy(solution, home)

    def _put_copy(self, solution: Solution, node: Issue) -> None:
        new_id = solution_id(node.id, self.paths[solution.id])
        self.put(replace(solution, id=new_id, issue_id=node.id), node)

    def _is_named(self, solution: Solution, home: Issue) -> bool:
        """Return whether headings name each value that a new child fixes and that does not follow from the others."""
        document, *headings = self.paths[solution.id]
        lines = (self.titles.get(document, ""), *headings, solution_title(solution))
        named = [m for line in lines for m in named_values(line, self.spec.attributes, self.spec.language)]
        fixed = {name: home.attributes[name] for name in _fixed_beside(self.parent, home)}
        return all(
            any(m.attribute == name and m.value in values for m in named)
            or name in implied_values({n: v for n, v in fixed.items() if n != name}, self.spec.attributes)
            for name, values in fixed.items()
        )

    def placed(self) -> PlacedTree:
        nodes = tuple(self.nodes.values())
        solutions = (solution for node in nodes for solution in self.solutions_of.get(node.id, {}).values())
        return without_repetition(PlacedTree(nodes, tuple(solutions)))

    def _known(self, attributes: Attributes) -> dict[str, Values]:
        fixed = _fixed(attributes)
        return {**implied_values(fixed, self.spec.attributes), **fixed}

    def _fixed_by_child(self, audience: Attributes) -> dict[str, Values]:
        """Return what the parent and an audience fix together, without what follows from the rest."""
        of_parent = _fixed(self.parent.attributes)
        fixed = {**of_parent, **_fixed(audience)}
        fixed |= {name: values & fixed[name] for name, values in of_parent.items()}
        for name in sorted(fixed.keys() - of_parent.keys()):
            others = {n: values for n, values in fixed.items() if n != name}
            if self._known(others).get(name, ANY) <= fixed[name]:
                fixed = others
        return fixed

    def _home(self, audience: Attributes) -> Issue | None:
        """Return the parent's child for an audience: it fixes what the parent leaves open and nothing else settles."""
        wide = self.parent.attributes
        fixed = self._fixed_by_child(audience)
        named = [" / ".join(sorted(values)) for name, values in fixed.items() if values != wide[name]]
        settled = with_implied_values(fixed, self.spec.attributes)
        attributes = {name: settled.get(name, ANY) for name in wide}
        if not all(attributes.values()) or not self.spec.allows(attributes):
            return None
        text = with_values(self.parent.text, named)
        return Issue(issue_id(self.seed, attributes), text, self.parent.id, attributes, self.parent.seed)


def without_foreign_children(
    tree: PlacedTree, reported: Iterable[Issue], decided: Collection[str] = frozenset()
) -> PlacedTree:
    """Return a tree without the children by attributes that no report tells apart, where the parent has an answer.

    The manual's section for people with diabetes is none for reports that only say that a child has fever.
    ``reported`` are the tree's nodes before anything was placed; ``decided`` the ids of solutions and nodes about which
    people decided something: these children stay.
    """
    parent = tree.parent
    if not tree.displayed(parent.id):
        return tree
    told = {name for node in reported for name in _fixed_beside(parent, node)}
    stay = {parent.id, *decided, *(s.issue_id for s in tree.solutions if s.id in decided)}
    stay |= {n.id for n in tree.issues if n.raw_issues or not told.isdisjoint(_fixed_beside(parent, n))}
    return tree.only(stay)


def without_repetition(tree: PlacedTree) -> PlacedTree:
    """Return a tree without the children that show nothing that no wider node does, the solutions of each node ranked.

    ``PlacedTree.issues`` begins with the parent.
    """
    parent, of_node = tree.parent, grouped((solution.issue_id, solution) for solution in tree.solutions)

    def shown(ids: Iterable[str]) -> list[set[Evidence]]:
        return [set(s.evidence) for i in ids for s in of_node.get(i, ()) if s.status in DISPLAYED]

    def adds(issue: Issue) -> bool:
        broader = (n for n in tree.issues if compare(n.attributes, issue.attributes, issue.attributes) is Match.BROADER)
        wider, own = shown(dict.fromkeys((parent.id, *(n.id for n in broader)))), shown((issue.id,))
        # Some lines of a wider solution, without those for others, say more to these customers than all of them.
        tailored = any(mine < theirs for mine in own for theirs in wider)
        return tailored or not set().union(*own) <= set().union(*wider)

    kept = [issue for issue in tree.issues if issue is parent or adds(issue)]
    ranked = (
        replace(solution, rank=rank) for issue in kept for rank, solution in enumerate(of_node.get(issue.id, ()), 1)
    )
    return PlacedTree(tuple(kept), tuple(ranked))


def _fixed_beside(parent: Issue, node: Issue) -> set[str]:
    return {name for name, values in node.attributes.items() if values not in (ANY, parent.attributes[name])}


def _fixed(attributes: Attributes) -> dict[str, Values]:
    return {name: values for name, values in attributes.items() if values != ANY}


def _key(attributes: Attributes) -> tuple[tuple[str, Values], ...]:
    return tuple(sorted(attributes.items()))
