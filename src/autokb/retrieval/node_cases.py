"""The past as questions: what the weight of nodes in the document score is fitted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from autokb.core.ids import digest
from autokb.core.vectors import Vectors
from autokb.retrieval.fitting import NodeCase
from autokb.retrieval.history import PastIssue, build_history
from autokb.retrieval.index import AskIndex

ASKED_LATER = 0.3  # share of the past that is asked, the later part, over the earlier one
MOST_ASKED = 200  # issues


def node_cases(index: AskIndex, past: Sequence[PastIssue], vectors: Mapping[str, Vectors]) -> list[NodeCase]:
    """Ask the later past over the earlier one, each issue without its own tree, since that was made from it."""
    order = sorted(past, key=lambda p: (p.date, digest(p.id)))
    first = len(order) - min(int(len(order) * ASKED_LATER), MOST_ASKED)
    earlier = order[:first]
    known = np.array([vectors[p.id] for p in earlier]).reshape(len(earlier), index.nodes.vectors.shape[1])
    history = build_history(index.chunks.documents, earlier, known, index.chunks.centroids(), index.spec.language)
    before = replace(index, history=history, weights=replace(index.weights, nodes=0.0, passages=0.0))
    knowledge = index.nodes.knowledge
    roots = np.array([knowledge.root_of[i] for i in knowledge.ids])
    grown_from: dict[str, set[str]] = {}
    for node in knowledge.issues.values():
        for raw in node.raw_issues:
            grown_from.setdefault(raw, set()).add(knowledge.root_of[node.id])
    cases = []
    for issue in order[first:]:
        scored = before.score(issue.text, vector=vectors[issue.id])
        own = np.isin(roots, list(grown_from.get(issue.id, ())))
        nodes = index.nodes.best_citing(np.where(own, 0.0, scored.similarities))
        right = np.isin(np.array(index.chunks.documents), issue.documents)
        passages = index.shown.best_passages(scored.solutions)
        cases.append(NodeCase(scored.documents.scores, nodes, passages, right))
    return cases
