"""What is fitted inside a workspace: the gate, on its own raw issues or sections."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from autokb.core.ids import canonical_json, digest
from autokb.core.nouns import Document
from autokb.core.vectors import Vectors
from autokb.pipeline.stages import Stages, Work
from autokb.retrieval.everyday_subjects import everyday_subjects
from autokb.retrieval.gate import Gate, read_gate
from autokb.retrieval.gate_fitting import everyday_questions, fit_question_gate, own_names
from autokb.retrieval.index import QuestionIndex

STAGE = "fit"
VERSION = "14"  # raise it when the same texts give another gate


def fit_gate(
    stages: Stages,
    index: QuestionIndex,
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
    sections = sha256(index.candidates.vectors.tobytes()).hexdigest() if index.has_no_issues else ""
    # the name of the encoder as it is now, for the gate holds it
    key = digest("gate", VERSION, index.encoder, language, texts, nodes, past, pages, everyday, names, sections)

    def fit(_nothing: None) -> str:
        gate = fit_question_gate(index, raw, issues, documents, stages.embed, reads_words=reads_words)
        return json.dumps(gate.as_json(), allow_nan=False)

    work = Work(fit, lambda _position: None, travels=False)  # one alone, and it embeds
    (gate,) = stages.remember(STAGE, [key], ["gate"], work, lambda _n, text: _read_gate(json.loads(text)))
    return gate or index.gate


def _read_gate(body: Any) -> Gate:
    """Read a stored gate; ValueError where it was damaged."""
    gate = read_gate(body)
    if canonical_json(gate.as_json()) != canonical_json(body):
        raise ValueError("this is no gate")
    return gate
