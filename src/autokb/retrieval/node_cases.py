"""The past as questions: what weights and the second ranker are fitted on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autokb.core.ids import digest
from autokb.core.ranking import Scores
from autokb.core.vectors import Vectors
from autokb.retrieval.fitting import NodeCase
from autokb.retrieval.history import PastIssue, build_history
from autokb.retrieval.index import AskIndex
from autokb.retrieval.weights import Weights

ASKED_LATER = 0.3  # share of the past that is asked, the later part, over the earlier one
MOST_ASKED = 200  # issues
NEAR_DUPLICATE = 0.95  # cosine from which two raw issues are one report
MOST_LEARNT = 4_000  # the latest issues that a ranker is learnt from


@dataclass(frozen=True)
class PastScores:
    """Past issues in the order of time over all documents: ``text`` is each one's score without history.

    ``linked`` says which documents resolved it; ``later`` holds the whole document scores of the later ones, each over
    the history before them. None of them sees its own tree.
    """

    issues: tuple[PastIssue, ...]
    text: Scores
    linked: NDArray[np.bool_]
    later: Scores


def node_cases(index: AskIndex, past: Sequence[PastIssue], vectors: Mapping[str, Vectors]) -> list[NodeCase]:
    """Ask the later past over the earlier one, each issue without its own tree, since that was made from it."""
    order = _in_order(past)
    later = order[_count_earlier(order) :]
    before = _over_earlier(index, order, vectors)
    return [_make_case(before, issue, vectors[issue.id], roots) for issue, roots in _with_own_trees(index, later)]


def past_scores(index: AskIndex, past: Sequence[PastIssue], vectors: Mapping[str, Vectors]) -> PastScores:
    """Score the past for a ranker: all issues without history, the later ones with what was known before them too."""
    order = _in_order(past)[-MOST_LEARNT:]
    weights = index.weights
    told = replace(index, weights=weights.without_history())
    before = _over_earlier(index, order, vectors)
    text = [_add_up(_make_case(told, p, vectors[p.id], own), weights) for p, own in _with_own_trees(index, order)]
    after = order[_count_earlier(order) :]
    later = [_add_up(_make_case(before, p, vectors[p.id], own), weights) for p, own in _with_own_trees(index, after)]
    linked = np.array([np.isin(np.array(index.chunks.documents), p.documents) for p in order])
    return PastScores(tuple(order), np.array(text), linked, np.array(later))


def _in_order(past: Sequence[PastIssue]) -> list[PastIssue]:
    return sorted(past, key=lambda p: (p.date, digest(p.id)))


def _count_earlier(order: Sequence[PastIssue]) -> int:
    return len(order) - min(int(len(order) * ASKED_LATER), MOST_ASKED)


def _over_earlier(index: AskIndex, order: Sequence[PastIssue], vectors: Mapping[str, Vectors]) -> AskIndex:
    """Return the index with the earlier past as its history."""
    earlier = order[: _count_earlier(order)]
    known = np.array([vectors[p.id] for p in earlier]).reshape(len(earlier), index.nodes.vectors.shape[1])
    history = build_history(index.chunks.documents, earlier, known, index.chunks.centroids(), index.spec.language)
    return replace(index, history=history)


def _with_own_trees(index: AskIndex, issues: Sequence[PastIssue]) -> Iterator[tuple[PastIssue, NDArray[np.bool_]]]:
    """Yield the issues with the rows of the nodes in trees that grew from them."""
    knowledge = index.nodes.knowledge
    roots = np.array([knowledge.root_of[i] for i in knowledge.ids])
    grown_from: dict[str, set[str]] = {}
    for node in knowledge.issues.values():
        for raw in node.raw_issues:
            grown_from.setdefault(raw, set()).add(knowledge.root_of[node.id])
    for issue in issues:
        yield issue, np.isin(roots, list(grown_from.get(issue.id, ())))


def _make_case(index: AskIndex, issue: PastIssue, vector: Vectors, own: NDArray[np.bool_]) -> NodeCase:
    bare = replace(index, weights=replace(index.weights, nodes=0.0, passages=0.0))
    scored = bare.score(issue.text, vector=vector)
    nodes = index.nodes.best_citing(np.where(own, 0.0, scored.similarities))
    right = np.isin(np.array(index.chunks.documents), issue.documents)
    return NodeCase(scored.documents.scores, nodes, index.shown.best_passages(scored.solution_scores), right)


def _add_up(case: NodeCase, weights: Weights) -> Scores:
    return case.documents + weights.nodes * case.nodes + weights.passages * case.passages
