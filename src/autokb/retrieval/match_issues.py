"""From the most similar issues to the node of each tree that fits what the question says (algorithm 2, decision 1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autokb.core.attributes import ANY, Match
from autokb.core.nouns import Hit
from autokb.retrieval.knowledge_index import ACCEPTED, Asked

Similarities = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class TreeMatch:
    """What one tree offers: the accepted node (or none) and the nodes that a clarifying question could settle.

    ``similarity`` is the accepted node's own cosine (the best open node's where none is accepted), ``nearest`` the best
    cosine of any node in the tree, ``score`` what trees are ranked by.
    """

    tree: str
    issue: str | None
    match: Match
    similarity: float
    nearest: float
    score: float
    narrower: tuple[str, ...] = ()


def match_issues(
    hits: Sequence[Hit],
    asked: Asked,
    similarities: Similarities,
    algorithm: Literal["complete", "literal"] = "complete",
) -> tuple[TreeMatch, ...]:
    """Return the trees of the hits with their accepted nodes, best first; ``similarities`` has a row per issue."""
    found = complete(hits, asked, similarities) if algorithm == "complete" else literal(hits, asked, similarities)
    return ranked(found, [tree.score for tree in found])


def ranked(trees: Sequence[TreeMatch], scores: Sequence[float] | Similarities) -> tuple[TreeMatch, ...]:
    """Order the trees by the given scores, ties by id."""
    scored = (replace(tree, score=float(score)) for tree, score in zip(trees, scores, strict=True))
    return tuple(sorted(scored, key=lambda t: (-t.score, t.tree, t.issue or "")))


def complete(hits: Iterable[Hit], asked: Asked, similarities: Similarities) -> list[TreeMatch]:
    """Look through the whole tree of each hit and accept one node a tree."""
    roots = dict.fromkeys(asked.index.root_of[hit.id] for hit in hits)
    return [tree for root in roots if (tree := match_tree(root, asked, similarities)) is not None]


def match_tree(root: str, asked: Asked, similarities: Similarities) -> TreeMatch | None:
    """Return the node of a tree that fits: exact before broader, then the most specific, then the nearest."""
    nodes = asked.index.trees[root]
    cosines = {node: float(similarities[asked.index.rows[node]]) for node in nodes}
    nearest = max(cosines.values())
    narrower = tuple(node for node in nodes if asked.is_open(node) and asked.has_shown(node))
    opened = {asked.index.issues[node].parent_id for node in narrower}  # they can show what their children do
    accepted = [n for n in nodes if asked.match(n) in ACCEPTED and (n in opened or asked.has_shown(n))]
    if accepted:
        best = min(accepted, key=lambda n: (asked.match(n) is not Match.EXACT, *width(n, asked), -cosines[n], n))
        cosine = cosines[best]
        return TreeMatch(root, best, asked.match(best), cosine, nearest, score=cosine, narrower=narrower)
    if narrower:
        cosine = max(cosines[node] for node in narrower)
        return TreeMatch(root, None, Match.NARROWER, cosine, nearest, score=cosine, narrower=narrower)
    return None


def width(issue_id: str, asked: Asked) -> tuple[int, int]:
    """Return how wide a node is: attributes that are Any, then values of the others; the smallest is most specific.

    A node inside another one (attribute by attribute) is never wider than it.
    """
    values = [v for _, v in asked.index.combination_of[issue_id]]
    return sum(v == ANY for v in values), sum(len(v) for v in values if v != ANY)


def literal(hits: Iterable[Hit], asked: Asked, similarities: Similarities) -> list[TreeMatch]:
    """Algorithm 2 as printed: an accepted set of nodes; a child hit that is broader than the question enters no branch.

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
    return [_make_match(node, asked, similarities) for node in accepted]


def _exact_child(parent: str, asked: Asked) -> str | None:
    return next((c.id for c in asked.index.forest.children(parent) if asked.match(c.id) is Match.EXACT), None)


def _make_match(node: str, asked: Asked, similarities: Similarities) -> TreeMatch:
    own = float(similarities[asked.index.rows[node]])
    return TreeMatch(asked.index.root_of[node], node, asked.match(node), own, nearest=own, score=own)
