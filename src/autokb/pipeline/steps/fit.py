"""What is fitted inside a workspace: weights on its own past, the gate on its own raw issues or sections."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from autokb.core.ids import canonical_json, digest
from autokb.core.nouns import Document
from autokb.core.vectors import Vectors
from autokb.pipeline.stages import Stages
from autokb.retrieval.everyday_subjects import everyday_subjects
from autokb.retrieval.fitting import fit_node_weights, fit_weights
from autokb.retrieval.gate import Gate, read_gate
from autokb.retrieval.gate_fitting import everyday_questions, fit_question_gate, own_names
from autokb.retrieval.history import PastIssue
from autokb.retrieval.index import AskIndex
from autokb.retrieval.node_cases import node_cases
from autokb.retrieval.search import ChunkIndex
from autokb.retrieval.weights import Weights, read_weights

STAGE = "fit"
VERSION = "12"  # raise it when the same past gives other weights


def fit_documents(
    stages: Stages, chunks: ChunkIndex, past: Sequence[PastIssue], vectors: Vectors, texts: str
) -> Weights:
    """Fit what counts among documents; ``texts`` is the hash of everything that was embedded."""
    key = digest("weights", VERSION, texts, canonical_json([[p.id, p.text, p.date, list(p.documents)] for p in past]))

    def fit(_position: int) -> str:
        fitted = fit_weights(chunks, past, vectors)
        return json.dumps([fitted.weights.as_json(), fitted.reason, fitted.asked], allow_nan=False)

    (weights,) = stages.remember(STAGE, [key], ["weights"], fit, lambda _n, text: _read_weights(json.loads(text)[0]))
    return weights or Weights().without_history()


def fit_gate(
    stages: Stages,
    index: AskIndex,
    raw: Mapping[str, Vectors],
    issues: Mapping[str, str],
    documents: Sequence[Document],
    texts: str,
    *,
    reads_words: bool = True,
) -> Gate:
    """Fit the gate; ``raw`` and ``issues`` hold vectors and texts of the raw issues, ``texts`` is the hash of all.

    Only the gate of the second encoder, whose name is in the key, does not read words.
    """
    knowledge = index.nodes.knowledge
    nodes = canonical_json([[i, n.text, n.parent_id, list(n.raw_issues)] for i, n in knowledge.issues.items()])
    past = canonical_json(sorted(p.id for p in index.history.issues))
    pages = canonical_json([[d.id, d.title, digest(d.text)] for d in documents])
    language = index.spec.language
    lists = (everyday_questions(language), everyday_subjects(language))
    everyday = canonical_json([{kind: list(items) for kind, items in one.items()} for one in lists])
    names = canonical_json(own_names(index.spec))
    sections = sha256(index.shown.vectors.tobytes()).hexdigest() if index.has_no_issues else ""
    # the name of the encoder as it is now, for the gate holds it
    key = digest("gate", VERSION, index.encoder, language, texts, nodes, past, pages, everyday, names, sections)

    def fit(_position: int) -> str:
        gate = fit_question_gate(index, raw, issues, documents, stages.embed, reads_words=reads_words)
        return json.dumps(gate.as_json(), allow_nan=False)

    (gate,) = stages.remember(STAGE, [key], ["gate"], fit, lambda _n, text: _read_gate(json.loads(text)))
    return gate or index.gate


def fit_nodes(
    stages: Stages, index: AskIndex, past: Sequence[PastIssue], vectors: Mapping[str, Vectors], texts: str
) -> Weights:
    """Fit what nodes and passages add to a document's score."""
    knowledge, shown = index.nodes.knowledge, index.shown
    shape = [[i, knowledge.issues[i].raw_issues, knowledge.cited.get(i, ())] for i in knowledge.ids]
    outcomes, cited = [[p.id, p.documents] for p in past], shown.passage_documents.tolist()
    compared = (index.nodes.vectors, index.nodes.raw_vectors, shown.vectors[shown.passage_rows])
    hashes = (sha256(rows.tobytes()).hexdigest() for rows in compared)
    plain = canonical_json([index.weights.as_json(), outcomes, shape, cited])
    key = digest("nodes", VERSION, texts, plain, *hashes)

    def fit(_position: int) -> str:
        cases = node_cases(index, past, vectors) if index.weights.history else []
        return json.dumps(fit_node_weights(index.weights, cases).as_json(), allow_nan=False)

    (weights,) = stages.remember(STAGE, [key], ["nodes"], fit, lambda _n, text: _read_weights(json.loads(text)))
    return weights or index.weights


def _read_weights(body: Any) -> Weights:
    """Read stored weights; ValueError where they were damaged, for readers of a published setting take any."""
    weights = read_weights(body)
    if canonical_json(weights.as_json()) != canonical_json(body):
        raise ValueError("these are no weights")
    return weights


def _read_gate(body: Any) -> Gate:
    """Read a stored gate; ValueError where it was damaged."""
    gate = read_gate(body)
    if canonical_json(gate.as_json()) != canonical_json(body):
        raise ValueError("this is no gate")
    return gate
