"""Everything that a question needs, in memory: nodes, chunks, history, weights and gate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autokb.core.attributes import Attributes
from autokb.core.document_names import DocumentNames
from autokb.core.domain import DomainSpec
from autokb.core.nouns import Passage, RawIssue
from autokb.core.ranking import Ranking, Scores
from autokb.core.settings import CAUTION
from autokb.core.vectors import Vectors
from autokb.retrieval.calibrated_gate import SETTING as CALIBRATION
from autokb.retrieval.calibrated_gate import CalibratedGate, mean_of_nearest, read_calibrated_gate
from autokb.retrieval.corpus import Corpus
from autokb.retrieval.gate import DEFAULT_THRESHOLD, Gate, read_gate
from autokb.retrieval.history import History, PastIssue, build_history
from autokb.retrieval.knowledge_index import KnowledgeIndex
from autokb.retrieval.link_ranker import LinkedQuestion, LinkRanker, behind_first, first_line
from autokb.retrieval.node_index import NodeIndex
from autokb.retrieval.search import ChunkIndex, Found, search, words_weight
from autokb.retrieval.solution_index import SolutionIndex, shown_texts, without_rejected
from autokb.retrieval.weights import Weights, read_weights
from autokb.stores.published import Published

# Characters of a question that are embedded; its words are read whole. As many questions find their page so, and whole
# messages take the encoder two thirds of the time. Choosing the sentences that tell a problem is no better
# (``python -m benchmarks.question_length``, on Thunderbird's tuning part).
EMBEDDED_CHARACTERS = 600


@dataclass(frozen=True)
class Question:
    """What is asked, as text and as a vector, and what each kind of evidence counts for it."""

    text: str
    vector: Vectors
    weights: Weights


@dataclass(frozen=True)
class ScoredQuestion:
    """What one question finds before its attributes are looked at.

    ``documents`` are ranked by text, history, the nodes that cite them and their passages; ``similarities`` are the
    nodes' cosines, a row a node, ``solutions`` those of what can be shown; ``solution_scores`` add the words.
    """

    question: Question
    found: Found
    documents: Ranking
    similarities: Scores
    solutions: Scores
    solution_scores: Scores


@dataclass(frozen=True)
class AskIndex:
    """One published knowledge base, ready to be asked; a ``calibration`` by the team takes the place of its gate."""

    spec: DomainSpec
    encoder: str
    embed_questions: Callable[[Sequence[str]], Vectors]
    nodes: NodeIndex
    shown: SolutionIndex
    chunks: ChunkIndex
    history: History
    weights: Weights
    gate: Gate
    generation: str
    ranker: LinkRanker | None = None
    caution: float = CAUTION
    calibration: CalibratedGate | None = None

    def score(self, text: str, *, with_history: bool = True, vector: Vectors | None = None) -> ScoredQuestion:
        """Rank documents and nodes for a question; ``vector`` is that of its beginning where it is known already."""
        question = Question(
            text,
            self.embed_questions([beginning(text)])[0] if vector is None else vector,
            self.weights if with_history else self.weights.without_history(),
        )
        found = search(self.chunks, question.vector, text, question.weights)
        by_text = Ranking(self.chunks.documents, found.documents)
        similarities = self.nodes.similarities(question.vector)
        shown = self.shown.similarities(question.vector)
        nodes = question.weights.nodes * self.nodes.best_citing(similarities)
        words = words_weight(text, question.weights, self.spec.language) * self.shown.words.shares(text)
        passages = question.weights.passages * self.shown.best_passages(shown + words)
        documents = self._add_history(by_text, question).plus(nodes).plus(passages)
        return ScoredQuestion(question, found, documents, similarities, shown, shown + words)

    def _add_history(self, documents: Ranking, question: Question) -> Ranking:
        """Add what resolved similar issues."""
        weights = question.weights
        if not weights.history or not self.history.issues:
            return documents
        return documents.plus(weights.history * self.history.scores(question.vector, question.text, weights.neighbours))

    def reading_order(self, scored: ScoredQuestion) -> Ranking:
        """Return the documents in the order in which to read them: the likeliest, then as the second ranker has it.

        Its scores only order; those of ``scored.documents`` say how likely each is.
        """
        question, documents = scored.question, scored.documents
        if self.ranker is None or not question.weights.history:
            return documents
        line = first_line(question.text)
        is_one_line = line == question.text.strip()
        first = question.vector if is_one_line else self.embed_questions([line])[0]
        history = self._add_history(Ranking(documents.ids, np.zeros(len(documents.ids))), question)
        asked = LinkedQuestion(question.text, question.vector, first, "")
        z = self.ranker.scores(documents.scores - history.scores, asked)
        return Ranking(documents.ids, behind_first(documents.scores[None, :], z[None, :])[0])

    def passes_gate(self, scored: ScoredQuestion, *, reads_words: bool = True) -> bool:
        """Return whether a question is on topic, by the encoder's own cosines to what is nearest and by its words."""
        if self.calibration is not None:
            self.calibration.check_encoder(self.encoder)
            self.calibration.check_length(len(scored.question.vector))
            features = self.gate_features(scored, reads_words=reads_words)
            return self.calibration.passes(features, scored.question.vector)
        text, weights = scored.question.text, self.gate.words if reads_words else None
        unknown = self.chunks.words.unknown_share(text) if weights else 0.0
        words = weights.log_odds(text, unknown, self.spec.language) if weights else 0.0
        return self.gate.passes(scored.found.nearest, self._nearest_issue(scored), self.encoder, self.caution, words)

    def gate_features(
        self, scored: ScoredQuestion, *, reads_words: bool = True, duplicates_from: float = math.inf
    ) -> Scores:
        """Return the ``FEATURES`` that a calibrated gate reads of a question.

        Nodes and past issues whose cosine is ``duplicates_from`` or more do not count.
        """
        text, cosines = scored.question.text, scored.found.cosines
        if self.has_no_issues:
            issues = scored.solutions[self.shown.passage_rows]
        else:
            issues = np.concatenate([scored.similarities, self.history.cosines(scored.question.vector)])
        issues = issues[issues < duplicates_from]
        return np.array(
            [
                cosines.max(initial=-1.0),
                mean_of_nearest(cosines),
                issues.max(initial=-1.0),
                mean_of_nearest(issues),
                self.chunks.words.shares(text).max(initial=0.0),
                self.chunks.words.unknown_share(text) if reads_words else 0.0,
                float(reads_words and self.foreign_subject(text) is not None),
            ],
            dtype=np.float64,
        )

    def _nearest_issue(self, scored: ScoredQuestion) -> float:
        """Return a question's cosine to the nearest node or past issue; to the nearest section where there is none.

        A gate of a bare cosine takes no section for an issue.
        """
        if self.has_no_issues and self.gate.coefficients is not None:
            return float(scored.solutions[self.shown.passage_rows].max(initial=-1.0))
        return max(float(scored.similarities.max(initial=-1.0)), self.history.nearest(scored.question.vector))

    @property
    def has_no_issues(self) -> bool:
        """Whether the knowledge base is made of documents alone."""
        return not self.nodes.knowledge.ids and not self.history.issues

    def foreign_subject(self, text: str) -> str | None:
        """Return what a question opens with that neither the documents nor the domain speak of, if any."""
        return self.gate.words.foreign_subject(text, self.spec.language) if self.gate.words else None


def beginning(text: str) -> str:
    """Return what of a question is embedded: all of a short one, else its beginning up to a space."""
    if len(text) <= EMBEDDED_CHARACTERS:
        return text
    text = text.lstrip()
    space = text.rfind(" ", 0, EMBEDDED_CHARACTERS + 1)
    return text[: space if space > 0 else EMBEDDED_CHARACTERS]


def load_index(
    published: Published,
    spec: DomainSpec,
    encoder: str,
    embed: Callable[[Sequence[str]], Vectors],
    embed_questions: Callable[[Sequence[str]], Vectors],
    passages: Sequence[Passage],
    caution: float = CAUTION,
) -> AskIndex:
    """Put a published knowledge base into memory; ``embed`` gives the vectors of what was published."""
    corpus = Corpus.of(published.kb.documents, published.chunks, spec.language)
    passages = without_rejected(passages, published.kb.solutions.values())
    knowledge = KnowledgeIndex.of(
        (replace(i, attributes=_normalize_attributes(i.attributes, spec)) for i in published.kb.issues.values()),
        (replace(s, attributes=_normalize_attributes(s.attributes, spec)) for s in published.kb.solutions.values()),
        spec.attributes,
        (p.solution for p in passages),
    )
    windows, titles = corpus.window_texts(), corpus.titles()
    nodes = [knowledge.issues[i].text for i in knowledge.ids]
    raw_texts = [r.full_text for r in published.raw_issues.values()]
    shown = list(dict.fromkeys(shown_texts(knowledge, passages)))
    vectors = embed([*windows, *titles, *nodes, *raw_texts, *shown])
    parts = np.split(vectors, np.cumsum([len(windows), len(titles), len(nodes), len(raw_texts)]))
    raw = dict(zip(published.raw_issues, parts[3], strict=True))
    ids = tuple(d.id for d in corpus.documents)
    chunks = corpus.index(parts[0], parts[1])
    past = past_issues(published.raw_issues.values(), DocumentNames(corpus.documents))
    past_vectors = np.array([raw[p.id] for p in past], dtype=np.float32).reshape(len(past), vectors.shape[1])
    return AskIndex(
        spec=spec,
        encoder=encoder,
        embed_questions=embed_questions,
        nodes=NodeIndex.of(knowledge, parts[2], raw, ids),
        shown=SolutionIndex.of(knowledge, passages, dict(zip(shown, parts[4], strict=True)), chunks),
        chunks=chunks,
        history=build_history(ids, past, past_vectors, chunks.centroids(), spec.language),
        weights=read_weights(published.settings.get("weights", {})),
        gate=published_gate(published, encoder),
        calibration=published_calibration(published),
        generation=published.generation,
        caution=caution,
    )


def _normalize_attributes(attributes: Attributes, spec: DomainSpec) -> Attributes:
    """Give value sets the spelling that comparing needs; an edited line may name every value of a set."""
    known = spec.attributes
    return {name: known[name].normal(values) if name in known else values for name, values in attributes.items()}


def published_gate(published: Published, encoder: str) -> Gate:
    """Read the published gate; an import without one has the default of its encoder."""
    kept: Mapping[str, object] | None = published.settings.get("gate")
    return read_gate(kept) if kept else Gate(DEFAULT_THRESHOLD, encoder)


def published_calibration(published: Published) -> CalibratedGate | None:
    """Read the calibration of a team, None where there is none."""
    kept = published.settings.get(CALIBRATION)
    return read_calibrated_gate(kept) if kept else None


def past_issues(raw_issues: Iterable[RawIssue], names: DocumentNames) -> tuple[PastIssue, ...]:
    """Return the raw issues whose helpful documents are known, links resolved to document ids."""
    found = []
    for raw in sorted(raw_issues, key=lambda r: r.id):
        documents = tuple(dict.fromkeys(d for link in raw.resolved_by if (d := names.resolve(link)) is not None))
        if documents:
            found.append(PastIssue(raw.id, raw.full_text, raw.date, documents))
    return tuple(found)


def unresolved_links(raw_issues: Iterable[RawIssue], names: DocumentNames) -> tuple[str, ...]:
    """Return what raw issues name as their help although no document is called so."""
    return tuple(sorted({link for raw in raw_issues for link in raw.resolved_by if names.resolve(link) is None}))
