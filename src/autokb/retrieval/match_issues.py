"""The node of a tree that fits what the question says (decision 1), and algorithm 2 as it was published."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from autokb.core.attributes import ANY, Match
from autokb.core.nouns import Hit
from autokb.retrieval.knowledge_index import ACCEPTED, QuestionMatch


class Similarities(Protocol):
    """The similarity of each node by its row."""

    def __getitem__(self, row: int, /) -> float:
        """Return that of one node."""


@dataclass(frozen=True, slots=True)
class TreeMatch:
    """What one tree offers: the accepted node (or none) and the nodes that a clarifying question could settle.

    ``similarity`` is the accepted node's own cosine, or the best open node's where none is accepted.
    """

    tree: str
    issue: str | None
    match: Match
    similarity: float
    narrower: tuple[str, ...] = ()


# Complex: the three ranks of a node are conditions over the same matches, the best first.
def match_tree(root: str, asked: QuestionMatch, similarities: Similarities) -> TreeMatch | None:
    """Return the node of a tree that fits: exact before broader, then the most specific, then the nearest."""
    nodes = asked.index.trees[root]
    cosines = {node: float(similarities[asked.index.rows[node]]) for node in nodes}
    narrower = tuple(node for node in nodes if asked.is_open(node) and asked.has_shown(node))
    opened = {asked.index.issues[node].parent_id for node in narrower}  # they can show what their children do
    accepted = [n for n in nodes if asked.match(n) in ACCEPTED and (n in opened or asked.has_shown(n))]
    if accepted:
        best = min(accepted, key=lambda n: (asked.match(n) is not Match.EXACT, *width(n, asked), -cosines[n], n))
        return TreeMatch(root, best, asked.match(best), cosines[best], narrower)
    if narrower:
        return TreeMatch(root, None, Match.NARROWER, max(cosines[node] for node in narrower), narrower)
    return None


def width(issue_id: str, asked: QuestionMatch) -> tuple[int, int]:
    """Return how wide a node is: attributes that are Any, then values of the others; the smallest is most specific.

    A node inside another one (attribute by attribute) is never wider than it.
    """
    values = [v for _, v in asked.index.combination_of[issue_id]]
    return sum(v == ANY for v in values), sum(len(v) for v in values if v != ANY)


def match_as_published(hits: Iterable[Hit], asked: QuestionMatch) -> list[str]:
    """Algorithm 2 as printed: the nodes it accepts; a child hit that is broader than the question enters no branch.

    "=" reads as an exact match and "is a subset of" as exact or broader, the question's unknown attributes beside Any
    included; the order is that of acceptance and a node comes once.
    """
    accepted: dict[str, None] = {}
    for hit in hits:
        node, issue = hit.id, asked.index.issues[hit.id]
        if asked.match(node) is Match.EXACT:
            accepted[node] = None
        elif asked.match(node) is Match.BROADER:
            if issue.parent_id is None:
                accepted[_exact_child(node, asked) or node] = None
        elif (parent := issue.parent_id) is not None and asked.match(parent) in ACCEPTED:
            accepted[_exact_child(parent, asked) or parent] = None
    return list(accepted)


def _exact_child(parent: str, asked: QuestionMatch) -> str | None:
    return next((c.id for c in asked.index.forest.children(parent) if asked.match(c.id) is Match.EXACT), None)
