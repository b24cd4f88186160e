"""The past as questions over trees: what the weights of trees are fitted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from autokb.core.attributes import Attributes
from autokb.core.ids import digest
from autokb.core.vectors import Vectors
from autokb.retrieval.fitting import TreeCase
from autokb.retrieval.history import PastIssue, build_history
from autokb.retrieval.index import AskIndex
from autokb.retrieval.knowledge_index import Asked
from autokb.retrieval.match_issues import match_issues

ASKED_LATER = 0.3  # share of the past that is asked, the later part, over the earlier one
MOST_ASKED = 200  # issues
NODES_A_QUESTION = 60  # nearest nodes whose trees are ranked, as many as a question looks through


def tree_cases(
    index: AskIndex,
    past: Sequence[PastIssue],
    vectors: Mapping[str, Vectors],
    attributes: Mapping[str, Attributes],
) -> list[TreeCase]:
    """Ask the later past over the earlier one, each issue without its own tree, since that was made from it."""
    order = sorted(past, key=lambda p: (p.date, digest(p.id)))
    first = len(order) - min(int(len(order) * ASKED_LATER), MOST_ASKED)
    earlier = order[:first]
    known = np.array([vectors[p.id] for p in earlier]).reshape(len(earlier), index.nodes.vectors.shape[1])
    history = build_history(index.chunks.documents, earlier, known, index.chunks.centroids(), index.spec.language)
    before = replace(index, history=history)
    cases = (_make_case(before, p, vectors[p.id], attributes.get(p.id, {})) for p in order[first:])
    return [case for case in cases if case is not None]


def _make_case(index: AskIndex, issue: PastIssue, vector: Vectors, attributes: Attributes) -> TreeCase | None:
    knowledge = index.nodes.knowledge
    scored = index.score(issue.text, vector=vector)
    grown_from_it = {knowledge.root_of[i] for i, node in knowledge.issues.items() if issue.id in node.raw_issues}
    near = scored.nodes.best(NODES_A_QUESTION)
    hits = [hit for hit in near if knowledge.root_of[hit.id] not in grown_from_it]
    trees = match_issues(hits, Asked(knowledge, attributes), scored.similarities)
    found = [(tree, tree.issue) for tree in trees if tree.issue is not None]
    if not found:
        return None
    cited = index.nodes.best_cited(scored.documents.scores)
    return TreeCase(
        np.array([tree.similarity for tree, _ in found]),
        cited[[knowledge.rows[issue_id] for _, issue_id in found]],
        tuple(str(tree.match) for tree, _ in found),
        np.array([bool(set(knowledge.cited.get(issue_id, ())) & set(issue.documents)) for _, issue_id in found]),
    )
