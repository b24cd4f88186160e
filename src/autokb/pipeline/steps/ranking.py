"""The second ranker of a workspace: learnt from its links when these change, and looked up otherwise."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence

import numpy as np

from autokb.core.ids import canonical_json, digest
from autokb.core.vectors import Vectors, encoder_key
from autokb.retrieval.history import PastIssue
from autokb.retrieval.index import AskIndex
from autokb.retrieval.link_ranker import FEWEST_LINKED, LinkedQuestion, LinkRanker, first_line, read_ranker
from autokb.retrieval.solution_index import cited_first
from autokb.stores.database import UNREADABLE
from autokb.stores.workspace_file import WorkspaceFile

STAGE = "fit"
VERSION = "3"  # raise it when the same past gives another ranker


def find_ranker(file: WorkspaceFile, index: AskIndex, embed: Callable[[Sequence[str]], Vectors]) -> LinkRanker | None:
    """Return what the links of an index's history teach, None where they are too few or teach nothing.

    It follows from what is published and is no part of it: an import learns it again.
    """
    past = index.history.issues
    if len(past) < FEWEST_LINKED or not index.weights.history:
        return None
    key = _key(index, past)
    kept = file.finished([key]).get(key)
    if kept is not None:
        try:
            body = json.loads(kept)
            return None if body is None else read_ranker(body, index.spec.language)
        except UNREADABLE:
            pass  # it was damaged and is learnt again
    ranker = _learn(index, embed)
    file.finish(STAGE, {key: json.dumps(None if ranker is None else ranker.as_json(), allow_nan=False)})
    return ranker


def _key(index: AskIndex, past: Sequence[PastIssue]) -> str:
    """Return the hash of all that a ranker follows from; texts count through their vectors."""
    knowledge, chunks = index.nodes.knowledge, index.chunks
    cited = [[i, list(knowledge.cited.get(i, ()))] for i in knowledge.ids]
    links = [[p.id, p.text, p.date, list(p.documents)] for p in past]
    windows = [[w.document, w.chunk, w.start, w.end] for w in chunks.windows]
    shown = [cited_first(solution) for solution in index.shown.solutions]
    named = canonical_json([index.weights.as_json(), cited, links, chunks.documents, windows, shown])
    vectors = [chunks.vectors.vectors, index.nodes.vectors, index.nodes.raw_vectors, index.shown.vectors]
    vectors += [index.history.vectors] if chunks.titles is None else [index.history.vectors, chunks.titles]
    contents = [hashlib.sha256(np.ascontiguousarray(part).data).hexdigest() for part in vectors]
    return digest("link ranker", VERSION, encoder_key(index.encoder), named, *contents)


def _learn(index: AskIndex, embed: Callable[[Sequence[str]], Vectors]) -> LinkRanker | None:
    from autokb.retrieval.link_ranker import learn_ranker
    from autokb.retrieval.node_cases import past_scores

    vectors = {issue.id: vector for issue, vector in zip(index.history.issues, index.history.vectors, strict=True)}
    found = past_scores(index, index.history.issues, vectors)
    lines = [first_line(issue.text) for issue in found.issues]
    distinct = list(dict.fromkeys(lines))
    first = dict(zip(distinct, embed(distinct), strict=True))
    questions = [
        LinkedQuestion(issue.text, vectors[issue.id], first[line], issue.date)
        for issue, line in zip(found.issues, lines, strict=True)
    ]
    return learn_ranker(questions, found.text, found.linked, found.later, index.spec.language)
