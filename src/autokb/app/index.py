"""Everything that a question needs, in memory: nodes, chunks, history, weights and gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from autokb.answering.answer import Answer, answer
from autokb.app.library import Library
from autokb.app.published import Published
from autokb.app.reading_questions import read_question
from autokb.app.stages import Progress, Stages, silent
from autokb.core.attributes import Attributes
from autokb.core.document_names import DocumentNames
from autokb.core.domain import DomainSpec
from autokb.core.nouns import Hit, RawIssue
from autokb.llm.embedders import Embedder, Vectors
from autokb.retrieval.gate import DEFAULT_THRESHOLD, Gate, nearest_known, read_gate
from autokb.retrieval.history import History, PastIssue, build_history
from autokb.retrieval.knowledge_index import Asked, KnowledgeIndex
from autokb.retrieval.match_issues import TreeMatch, match_issues, ranked
from autokb.retrieval.search import ChunkIndex, Found, search
from autokb.retrieval.weights import Weights, read_weights, tree_scores
from autokb.stores.vector_index import best_first
from autokb.stores.workspace_file import WorkspaceFile

Scores = NDArray[np.float64]
DEPTH = 60  # nodes whose trees are looked through; a tree with no node among them is never among the best


@dataclass(frozen=True)
class NodeIndex:
    """Nodes with the vectors of their own text and of the raw issues behind them."""

    knowledge: KnowledgeIndex
    vectors: Vectors
    raw_vectors: Vectors
    raw_rows: NDArray[np.int64]
    cited_documents: NDArray[np.int64]
    cited_starts: NDArray[np.int64]
    cited_rows: NDArray[np.int64]

    def similarities(self, vector: Vectors) -> Scores:
        """Return for every node the cosine of its text or of the nearest raw issue behind it, whichever is nearer."""
        own = (self.vectors @ vector).astype(np.float64)
        if len(self.raw_rows):
            np.maximum.at(own, self.raw_rows, self.raw_vectors @ vector)
        return own

    def best_cited(self, documents: Scores) -> Scores:
        """Return for every node the best score among the documents that its displayed solutions cite, else 0."""
        best = np.zeros(len(self.vectors))
        if len(self.cited_documents):
            best[self.cited_rows] = np.maximum.reduceat(documents[self.cited_documents], self.cited_starts)
        return best


def node_index(
    knowledge: KnowledgeIndex, vectors: Vectors, raw: Mapping[str, Vectors], documents: tuple[str, ...]
) -> NodeIndex:
    """Index nodes (row n of ``vectors`` is node ``knowledge.ids[n]``) with the raw issues behind them."""
    rows, found = [], []
    for issue_id, row in knowledge.rows.items():
        for raw_id in knowledge.issues[issue_id].raw_issues:
            if raw_id in raw:
                rows.append(row)
                found.append(raw[raw_id])
    place = {d: n for n, d in enumerate(documents)}
    cited: list[int] = []
    starts: list[int] = []
    cited_rows: list[int] = []
    for issue_id, ids in knowledge.cited.items():
        columns = [place[d] for d in ids if d in place]
        if columns:
            starts.append(len(cited))
            cited_rows.append(knowledge.rows[issue_id])
            cited += columns
    return NodeIndex(
        knowledge,
        vectors,
        np.array(found, dtype=np.float32).reshape(len(found), vectors.shape[1]),
        np.array(rows, dtype=np.int64),
        np.array(cited, dtype=np.int64),
        np.array(starts, dtype=np.int64),
        np.array(cited_rows, dtype=np.int64),
    )


@dataclass(frozen=True)
class Look:
    """What one question finds before attributes are looked at."""

    text: str
    vector: Vectors
    found: Found
    documents: Scores
    similarities: Scores
    weights: Weights

    def node_scores(self, nodes: NodeIndex) -> Scores:
        """Return what nodes are ranked by: their similarity and the best document that their solutions cite."""
        return self.similarities + self.weights.document * nodes.best_cited(self.documents)


@dataclass(frozen=True)
class AskIndex:
    """One published knowledge base, ready to be asked."""

    spec: DomainSpec
    embedder: Embedder
    nodes: NodeIndex
    chunks: ChunkIndex
    history: History
    weights: Weights
    gate: Gate
    generation: str

    def ask(self, text: str, overrides: Attributes | None = None, k: int = 5) -> Answer:
        """Answer a question from what was published."""
        return self.answer(self.look(text), overrides or {}, k)

    def look(self, text: str, *, with_history: bool = True, vector: Vectors | None = None) -> Look:
        """Score documents and nodes for a question."""
        weights = self.weights if with_history else self.weights.without_history()
        vector = self.embedder.embed([text])[0] if vector is None else vector
        found = search(self.chunks, vector, text, weights)
        documents = found.documents
        if weights.history and self.history.issues:
            documents = documents + weights.history * self.history.scores(vector, text, weights.neighbours)
        return Look(text, vector, found, documents, self.nodes.similarities(vector), weights)

    def answer(self, look: Look, overrides: Attributes, k: int) -> Answer:
        """Answer from what a question found: one node a tree, a question back, or nothing."""
        read = read_question(look.text, overrides, self.spec)
        asked = Asked(self.nodes.knowledge, read.attributes, read.within)
        ids = self.chunks.documents
        return answer(
            look.text,
            asked,
            self._trees(asked, look),
            [Hit(ids[n], float(look.documents[n])) for n in best_first(look.documents, k)],
            look.similarities,
            passes=self.gate.passes(self.nearest(look), self.embedder.name),
            k=k,
            document_scores=dict(zip(ids, look.documents.tolist(), strict=True)),
        )

    def nearest(self, look: Look) -> float:
        """Return the encoder's own cosine that the gate reads: to the nearest node, passage or historical issue."""
        return nearest_known(
            (look.found.nearest, float(look.similarities.max(initial=-1.0)), self.history.nearest(look.vector))
        )

    def _trees(self, asked: Asked, look: Look) -> tuple[TreeMatch, ...]:
        scores = look.node_scores(self.nodes)
        hits = self.nodes.knowledge.nearest(scores, DEPTH)
        near = [t for t in match_issues(hits, asked, look.similarities) if t.nearest >= self.gate.threshold]
        found = tuple(near)  # the gate holds for each tree as for the question: what is not close is no answer
        cited = self.nodes.best_cited(look.documents)
        rows = self.nodes.knowledge.rows
        of_tree = np.array([float(cited[rows[t.issue]]) if t.issue else self._best_open(t, cited) for t in found])
        own = np.array([t.similarity for t in found])
        return ranked(found, tree_scores(own, of_tree, [str(t.match) for t in found], look.weights))

    def _best_open(self, tree: TreeMatch, cited: Scores) -> float:
        return max((float(cited[self.nodes.knowledge.rows[n]]) for n in tree.narrower), default=0.0)


def load_index(
    published: Published, spec: DomainSpec, embedder: Embedder, file: WorkspaceFile, progress: Progress = silent
) -> AskIndex:
    """Put a published knowledge base into memory; vectors that are not stored are worked out and kept."""
    library = Library.of(published.kb.documents, published.chunks)
    knowledge = KnowledgeIndex.of(
        (replace(i, attributes=_normal(i.attributes, spec)) for i in published.kb.issues.values()),
        (replace(s, attributes=_normal(s.attributes, spec)) for s in published.kb.solutions.values()),
        spec.attributes,
        spec.attributes,
    )
    past = past_issues(published.raw_issues.values(), DocumentNames(library.documents))
    raw_texts = {i: r.full_text for i, r in published.raw_issues.items()}
    parts = {
        "windows": library.window_texts(),
        "titles": library.titles(),
        "nodes": [knowledge.issues[i].text for i in knowledge.ids],
        "raw": list(raw_texts.values()),
    }
    vectors = fetch(file, embedder, parts, progress)
    raw = dict(zip(raw_texts, vectors["raw"], strict=True))
    ids = tuple(d.id for d in library.documents)
    chunks = library.index(vectors["windows"], vectors["titles"])
    return AskIndex(
        spec=spec,
        embedder=embedder,
        nodes=node_index(knowledge, vectors["nodes"], raw, ids),
        chunks=chunks,
        history=_history(ids, past, raw, chunks, embedder),
        weights=read_weights(published.settings.get("weights", {})),
        gate=published_gate(published, embedder),
        generation=published.generation,
    )


def _normal(attributes: Attributes, spec: DomainSpec) -> Attributes:
    """Give value sets the spelling that comparing needs; an edited line may name every value of a set."""
    known = spec.attributes
    return {name: known[name].normal(values) if name in known else values for name, values in attributes.items()}


def _history(
    ids: tuple[str, ...],
    past: Sequence[PastIssue],
    raw: Mapping[str, Vectors],
    chunks: ChunkIndex,
    embedder: Embedder,
) -> History:
    vectors = np.array([raw[p.id] for p in past], dtype=np.float32).reshape(len(past), embedder.dimensions)
    return build_history(ids, past, vectors, chunks.centroids())


def published_gate(published: Published, embedder: Embedder) -> Gate:
    """Read the published gate; an import without one has the default of its encoder."""
    kept = published.settings.get("gate")
    return read_gate(kept) if kept else Gate(DEFAULT_THRESHOLD, embedder.name)


def past_issues(raw_issues: Iterable[RawIssue], names: DocumentNames) -> tuple[PastIssue, ...]:
    """Return the raw issues whose helpful documents are known, links resolved to document ids."""
    found = []
    for raw in sorted(raw_issues, key=lambda r: r.id):
        documents = tuple(dict.fromkeys(d for link in raw.resolved_by if (d := names.resolve(link)) is not None))
        if documents:
            found.append(PastIssue(raw.id, raw.full_text, raw.date, documents))
    return tuple(found)


def unresolved_links(raw_issues: Iterable[RawIssue], names: DocumentNames) -> list[str]:
    """Return what raw issues name as their help although no document is called so."""
    return sorted({link for raw in raw_issues for link in raw.resolved_by if names.resolve(link) is None})


def fetch(
    file: WorkspaceFile, embedder: Embedder, parts: Mapping[str, list[str]], progress: Progress = silent
) -> dict[str, Vectors]:
    """Return the vectors of named lists of texts; what is not stored yet is embedded and kept."""
    texts = [t for part in parts.values() for t in part]
    vectors = Stages(file, progress).embed("embeddings", embedder, texts)
    result, start = {}, 0
    for name, part in parts.items():
        result[name] = vectors[start : start + len(part)]
        start += len(part)
    return result
