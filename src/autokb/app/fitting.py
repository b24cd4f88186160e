"""What is fitted inside a workspace: weights on its own past, the gate on its own raw issues."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autokb.app.index import AskIndex, Look
from autokb.app.stages import Stages
from autokb.core.attributes import Attributes
from autokb.core.ids import canonical_json, digest
from autokb.llm.embedders import Vectors
from autokb.retrieval.fitting import TreeCase, fit_tree_weights, fit_weights
from autokb.retrieval.gate import Gate, fit_gate, read_gate
from autokb.retrieval.history import PastIssue, build_history
from autokb.retrieval.knowledge_index import Asked
from autokb.retrieval.match_issues import match_issues
from autokb.retrieval.search import ChunkIndex
from autokb.retrieval.weights import Weights, read_weights

VERSION = "2"  # raise it when the same past gives other weights
ASKED_LATER = 0.3  # the later part of the past, asked over the earlier part
MOST_TREES_ASKED = 200
TREES_A_QUESTION = 60


@dataclass(frozen=True)
class FittedWeights:
    """Weights with a sentence that says where they come from."""

    weights: Weights
    reason: str
    asked: int

    def as_json(self) -> dict[str, Any]:
        """Return the setting that is published."""
        return {**self.weights.as_json(), "reason": self.reason, "asked": self.asked}


def fit_documents(
    stages: Stages, chunks: ChunkIndex, past: Sequence[PastIssue], vectors: Vectors, texts: str
) -> FittedWeights:
    """Fit what counts among documents; ``texts`` is the hash of everything that was embedded."""
    key = digest("weights", VERSION, texts, canonical_json([[p.id, p.text, p.date, list(p.documents)] for p in past]))

    def fit(_position: int) -> str:
        fitted = fit_weights(chunks, past, vectors)
        return json.dumps([fitted.weights.as_json(), fitted.reason, fitted.asked])

    (text,) = stages.remember("fit", [key], ["weights"], fit)
    if text is None:
        return FittedWeights(Weights().without_history(), "The fit failed; see the failures of the build.", 0)
    weights, reason, asked = json.loads(text)
    return FittedWeights(read_weights(weights), reason, asked)


def fit_questions_gate(stages: Stages, encoder: str, raw: Vectors, others: Sequence[Vectors], texts: str) -> Gate:
    """Fit the gate on all raw issues against the rest of the knowledge base."""
    key = digest("gate", VERSION, encoder, texts)
    (text,) = stages.remember("fit", [key], ["gate"], lambda _n: json.dumps(fit_gate(encoder, raw, others).as_json()))
    return fit_gate(encoder, raw[:0]) if text is None else read_gate(json.loads(text))


def fit_trees(
    stages: Stages,
    index: AskIndex,
    past: Sequence[PastIssue],
    vectors: Mapping[str, Vectors],
    attributes: Mapping[str, Attributes],
    texts: str,
) -> Weights:
    """Fit what the best cited document and the kind of match add to a tree's similarity.

    The later past is asked over the earlier one. A question's own tree is left out, since it was made from it.
    """
    knowledge = index.nodes.knowledge
    shape = canonical_json([[i, list(knowledge.cited.get(i, ()))] for i in knowledge.ids])
    key = digest("trees", VERSION, texts, shape, canonical_json(index.weights.as_json()))

    def fit(_position: int) -> str:
        order = sorted(past, key=lambda p: (p.date, digest(p.id)))
        first = len(order) - min(int(len(order) * ASKED_LATER), MOST_TREES_ASKED)
        earlier = order[:first]
        known = np.array([vectors[p.id] for p in earlier]).reshape(len(earlier), index.embedder.dimensions)
        before = AskIndex(
            **{
                **index.__dict__,
                "history": build_history(index.chunks.documents, earlier, known, index.chunks.centroids()),
            }
        )
        cases = [_case(before, p, vectors[p.id], attributes.get(p.id, {})) for p in order[first:]]
        return json.dumps(fit_tree_weights(index.weights, [c for c in cases if c is not None]).as_json())

    (text,) = stages.remember("fit", [key], ["trees"], fit)
    return index.weights if text is None else read_weights(json.loads(text))


def _case(index: AskIndex, issue: PastIssue, vector: Vectors, attributes: Attributes) -> TreeCase | None:
    knowledge = index.nodes.knowledge
    look: Look = index.look(issue.text, vector=vector)
    own = {knowledge.root_of[i] for i, node in knowledge.issues.items() if issue.id in node.raw_issues}
    hits = [
        h
        for h in knowledge.nearest(look.node_scores(index.nodes), TREES_A_QUESTION)
        if knowledge.root_of[h.id] not in own
    ]
    found = [t for t in match_issues(hits, Asked(knowledge, attributes), look.similarities) if t.issue is not None]
    if not found:
        return None
    cited = index.nodes.best_cited(look.documents)
    rows = [knowledge.rows[t.issue] for t in found if t.issue is not None]
    right = [bool(set(knowledge.cited.get(t.issue or "", ())) & set(issue.documents)) for t in found]
    return TreeCase(
        np.array([t.similarity for t in found]), cited[rows], tuple(str(t.match) for t in found), np.array(right)
    )
