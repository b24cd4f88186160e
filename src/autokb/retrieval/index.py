"""Everything that a question needs, in memory: candidates, nodes, chunks, history, ranker and gate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from autokb.core.attributes import Attributes
from autokb.core.document_names import DocumentNames
from autokb.core.domain import DomainSpec
from autokb.core.nouns import KnowledgeBase, Passage, RawIssue
from autokb.core.ranking import Ranking, Scores, best_first
from autokb.core.settings import CAUTION
from autokb.core.vectors import TokenVectors, Vectors
from autokb.heuristics.question_kind import asks_fact
from autokb.heuristics.urgency import find_urgent
from autokb.llm.rerankers import Reranker
from autokb.retrieval.calibrated_gate import SETTING as CALIBRATION
from autokb.retrieval.calibrated_gate import CalibratedGate, mean_of_nearest, read_calibrated_gate
from autokb.retrieval.candidates import Candidate, Candidates, candidates_of, searched_texts, without_rejected
from autokb.retrieval.corpus import Corpus
from autokb.retrieval.features import FEATURES, QuestionEvidence, feature_table
from autokb.retrieval.gate import DEFAULT_THRESHOLD, Gate, read_gate
from autokb.retrieval.history import History, PastIssue, build_history
from autokb.retrieval.knowledge_index import KnowledgeIndex, NodeCosines, NodeIndex, QuestionMatch
from autokb.retrieval.late_interaction import ComparedTokens, TokenIndex
from autokb.retrieval.own_features import OwnFeatures
from autokb.retrieval.ranker import Ranker, packaged_ranker
from autokb.retrieval.read_question import read_question
from autokb.retrieval.reader import WEIGHT as READER_WEIGHT
from autokb.retrieval.reader import ReaderRun, read_first
from autokb.retrieval.recalibration import SETTING as CONFIDENCE
from autokb.retrieval.recalibration import UNCHANGED, Recalibration, read_recalibration
from autokb.retrieval.search import ChunkIndex, long_question_share, words_of_documents
from autokb.stores.published import Published
from autokb.text.word_forms import Spelling

# Characters of a question that are embedded; its words are read whole. As many questions find their page so, and whole
# messages take the encoder two thirds of the time. Choosing the sentences that tell a problem is no better
# (``python -m benchmarks.question_length``, on Thunderbird's tuning part).
EMBEDDED_CHARACTERS = 600
LATE_INTERACTION = list(FEATURES).index("late_interaction")  # the column that the second look fills
READ_CLOSELY = 50  # candidates whose tokens are read; the right one is among the first 20 in .97 of the questions


class TokenReader(Protocol):
    """Gives the tokens of texts their vectors, where the encoder has them."""

    def ordinary_words(self) -> frozenset[str]:
        """Return the ordinary words of the language, as far as they are known."""

    def question(self, text: str) -> TokenVectors:
        """Return the tokens of a question."""

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the tokens of a text stand in it."""

    def read(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the tokens of texts, each encoded once."""


@dataclass(frozen=True)
class ScoredQuestion:
    """What one question finds: the features of everything that can be shown, what they add up to, and the documents.

    ``read`` is the ``text`` as it was read, its slips mended; ``urgent`` are the rows of warnings that it calls for.
    Row n of ``features`` and of ``scores`` is that of candidate n; a document's score is that of its best candidate.
    ``windows`` are the cosines of all windows. ``by_reader`` is what a stronger reader said of each row, if one
    did, and ``reading`` how that went.
    """

    text: str
    read: str
    vector: Vectors
    windows: Scores
    evidence: QuestionEvidence
    features: NDArray[np.float64]
    scores: Scores
    documents: Ranking
    urgent: tuple[int, ...] = ()
    by_reader: Scores | None = None
    reading: ReaderRun | None = None

    @property
    def nodes(self) -> NodeCosines:
        """The cosines of the nodes."""
        return self.evidence.nodes

    @property
    def nearest_window(self) -> float:
        """The cosine of the nearest window; -1 where there is none."""
        return float(self.windows.max(initial=-1.0))


@dataclass(frozen=True)
class QuestionIndex:
    """One published knowledge base, ready to be asked; a ``calibration`` by the team takes the place of its gate."""

    spec: DomainSpec
    encoder: str
    embed_questions: Callable[[Sequence[str]], Vectors]
    nodes: NodeIndex
    candidates: Candidates
    chunks: ChunkIndex
    history: History
    gate: Gate
    generation: str
    spelling: Spelling | None = None
    tokens: ComparedTokens | None = None
    read_tokens: Callable[[str], TokenVectors] | None = None
    token_spans: Callable[[str], list[tuple[int, int]]] | None = None
    ranker: Ranker = field(default_factory=packaged_ranker)
    caution: float = CAUTION
    calibration: CalibratedGate | None = None
    recalibration: Recalibration = UNCHANGED
    reranker: Reranker | None = None
    own: OwnFeatures | None = None  # features of plug-ins that this workspace uses
    passages: tuple[Passage, ...] = ()  # of all documents, also those that people took out of sight

    def score(
        self,
        text: str,
        overrides: Attributes | None = None,
        *,
        with_history: bool = True,
        said: str = "",
        also: Sequence[str] = (),
        vector: Vectors | None = None,
    ) -> ScoredQuestion:
        """Score everything that can be shown; ``overrides`` replace attributes that are read from the text.

        ``said`` is all that a customer said where that is more, in which urgent warnings are looked for. ``also`` are
        other ways to read the same message: a row's features are the mean over all of them; what else is read of the
        question is read of the text. ``vector`` is that of the beginning of the text where it is known already.
        """
        asked, text = text, self._mended(text)
        if vector is None or text != asked:
            vector = self.embed_questions([beginning(text)])[0]
        read = read_question(text, overrides or {}, self.spec)
        ranker = self.ranker if with_history else self.ranker.without_history()
        question = QuestionMatch(self.nodes.knowledge, read.attributes, read.within, read.beside)
        evidence = partial(self._evidence, question, ranker)
        found, features = evidence(text, vector)
        if also:
            also = [self._mended(one) for one in also]
            others = (evidence(one, vector)[1] for one, vector in zip(also, self._vectors_of(also), strict=True))
            features = np.mean([features, *others], axis=0)
        scores = ranker.score(features)
        if self.own is not None:
            scores = scores + self.own.score(text, found)
        documents = Ranking(self.chunks.documents, _best_of_documents(scores, self.candidates))
        urgent = self.candidates.warnings(find_urgent(said or text, self.spec), scores)
        windows = self.chunks.vectors.scores(vector).astype(np.float64)
        return ScoredQuestion(
            text=asked,
            read=text,
            vector=vector,
            windows=windows,
            evidence=found,
            features=features,
            scores=scores,
            documents=documents,
            urgent=urgent,
        )

    def _mended(self, text: str) -> str:
        """Return a text with its slips of spelling mended, by the words of the documents."""
        return text if self.spelling is None else self.spelling.correct(text)

    def _vectors_of(self, texts: Sequence[str]) -> Iterable[Vectors]:
        """Give the vectors of texts, each when it is needed where its tokens are read right behind it, by one run."""
        starts = [beginning(one) for one in texts]
        if self.read_tokens is None:
            return iter(self.embed_questions(starts))
        return (self.embed_questions([one])[0] for one in starts)

    def _evidence(
        self, asked: QuestionMatch, ranker: Ranker, text: str, vector: Vectors
    ) -> tuple[QuestionEvidence, NDArray[np.float64]]:
        """Return what one text finds, and the features of all rows by it."""
        past = self.history.cosines(vector)
        found = QuestionEvidence(
            asked=asked,
            candidates=self.candidates,
            sections=(self.candidates.vectors @ vector).astype(np.float64),
            headings=(self.candidates.headings @ vector).astype(np.float64),
            words=words_of_documents(self.chunks, text),
            votes=self.history.votes_of(past),
            learnt=self.history.learnt(vector, text),
            nodes=self.nodes.similarities(vector),
            past=past,
            tokens=np.zeros(len(self.candidates.rows)),
            long=long_question_share(text, self.spec.language),
            asks_fact=asks_fact(text, self.spec.language),
        )
        features = feature_table(found)
        found = replace(found, tokens=self._late_interaction(text, ranker.score_matches(features)))
        features[:, LATE_INTERACTION] = found.tokens
        ranker.lift_remedies(features, self.candidates.roles)
        return found, features

    def read_first(self, scored: ScoredQuestion) -> ScoredQuestion:
        """Return a question with what the reader says of its first candidates; as it is where there is no reader."""
        if self.reranker is None:
            return scored
        said, reading = read_first(self.reranker, beginning(scored.read), self.candidates, scored.scores)
        scores = scored.scores + READER_WEIGHT * said
        documents = Ranking(self.chunks.documents, _best_of_documents(scores, self.candidates))
        return replace(scored, scores=scores, documents=documents, by_reader=said, reading=reading)

    def _late_interaction(self, text: str, scores: Scores) -> Scores:
        """Return the late interaction of the rows with the best scores so far; the others are given the least of it."""
        found = np.zeros(len(scores))
        if self.tokens is not None and self.read_tokens is not None and len(scores):
            rows = best_first(scores, READ_CLOSELY)
            closely = self.tokens.scores(self.read_tokens(beginning(text)), rows)
            found[:] = closely.min()
            found[rows] = closely
        return found

    @cached_property
    def warnings(self) -> frozenset[int]:
        """The rows of all sections that the domain's urgent warnings name."""
        return self.candidates.named_by(self.spec.urgent)

    def scores_of_parts(self, text: str, parts: Mapping[int, Sequence[tuple[int, int]]]) -> dict[int, Scores]:
        """Return the late interaction (ColBERT's MaxSim) of a question with parts of rows' ``searched_text``.

        ``parts`` are spans of that text by row. A part without a token has 0, and so has every part where the encoder
        has no token vectors.
        """
        if self.tokens is None or self.read_tokens is None or self.token_spans is None:
            return {row: np.zeros(len(spans)) for row, spans in parts.items()}
        within = []
        for row, spans in parts.items():
            starts = self._token_starts(row)
            bounds = np.asarray(spans, dtype=np.int32).reshape(-1, 2)
            within.append((bounds[:, :1] <= starts) & (starts < bounds[:, 1:]))
        found = self.tokens.scores_of_parts(self.read_tokens(beginning(text)), list(parts), within)
        return dict(zip(parts, found, strict=True))

    def _token_starts(self, row: int) -> NDArray[np.int32]:
        """Return where the tokens of a row's text begin; it is cut into tokens once."""
        if row not in self._starts_of_tokens:
            assert self.token_spans is not None, "an encoder that has tokens"
            spans = self.token_spans(self.candidates.rows[row].searched_text)
            self._starts_of_tokens[row] = np.array([start for start, _ in spans], dtype=np.int32)
        return self._starts_of_tokens[row]

    @cached_property
    def _starts_of_tokens(self) -> dict[int, NDArray[np.int32]]:
        return {}

    @property
    def least_probability(self) -> float:
        """The least probability of being answerable at which a question is answered."""
        return self.caution if self.gate.coefficients is None or self.gate.threshold is None else self.gate.threshold

    def nearness(self, scored: ScoredQuestion) -> float:
        """Return the log-odds of being on topic by the build's gate, from the encoder's own cosines."""
        self.gate.check_encoder(self.encoder)
        if self.has_no_issues and self.gate.coefficients is not None:  # that of a bare cosine takes no section for one
            issue = float(scored.evidence.sections.max(initial=-1.0))
        else:
            issue = max(float(scored.nodes.of_all.max(initial=-1.0)), float(scored.evidence.past.max(initial=-1.0)))
        return self.gate.log_odds(scored.nearest_window, issue)

    def word_odds(self, scored: ScoredQuestion) -> float:
        """Return what the question's words add to those log-odds, as the build fitted them beside the cosines."""
        if self.gate.words is None:
            return 0.0
        return self.gate.words.log_odds(scored.read, self.chunks.words.unknown_share(scored.read), self.spec.language)

    def passes_calibration(self, scored: ScoredQuestion) -> bool:
        """Return whether a question is on topic by the team's calibration; there must be one."""
        assert self.calibration is not None, "a calibration"
        self.calibration.check_encoder(self.encoder)
        self.calibration.check_length(len(scored.vector))
        return self.calibration.passes(self.gate_features(scored), scored.vector)

    def gate_features(self, scored: ScoredQuestion, *, duplicates_from: float = math.inf) -> Scores:
        """Return the ``FEATURES`` that a calibrated gate reads of a question.

        Nodes and past issues whose cosine is ``duplicates_from`` or more do not count.
        """
        text, cosines = scored.read, scored.windows
        if self.has_no_issues:
            issues = scored.evidence.sections
        else:
            issues = np.concatenate([scored.nodes.of_all, scored.evidence.past])
        issues = issues[issues < duplicates_from]
        return np.array(
            [
                cosines.max(initial=-1.0),
                mean_of_nearest(cosines),
                issues.max(initial=-1.0),
                mean_of_nearest(issues),
                self.chunks.words.shares(text).max(initial=0.0),
                self.chunks.words.unknown_share(text),
                float(self.foreign_subject(text) is not None),
            ],
            dtype=np.float64,
        )

    @property
    def has_no_issues(self) -> bool:
        """Whether the knowledge base is made of documents alone."""
        return not self.nodes.knowledge.rows and not self.history.issues

    def foreign_subject(self, text: str) -> str | None:
        """Return what a question opens with that neither the documents nor the domain speak of, if any."""
        return self.gate.words.foreign_subject(text, self.spec.language) if self.gate.words else None


def _best_of_documents(scores: Scores, candidates: Candidates) -> Scores:
    """Return the score of each document's best candidate; those that have none follow."""
    best = candidates.best_of_documents(scores, least=-np.inf)
    empty = np.isneginf(best)
    best[empty] = best.min(where=~empty, initial=0.0) - 1.0
    return best


def beginning(text: str, most: int = EMBEDDED_CHARACTERS) -> str:
    """Return what of a question is embedded: all of a short one, else its beginning up to a space."""
    if len(text) <= most:
        return text
    text = text.lstrip()
    space = text.rfind(" ", 0, most + 1)
    return text[: space if space > 0 else most]


def load_index(
    published: Published,
    spec: DomainSpec,
    encoder: str,
    embed: Callable[[Sequence[str]], Vectors],
    embed_questions: Callable[[Sequence[str]], Vectors],
    passages: Sequence[Passage],
    caution: float = CAUTION,
    tokens: TokenReader | None = None,
) -> QuestionIndex:
    """Put a published knowledge base into memory; ``embed`` gives the vectors of what was published."""
    corpus = Corpus.of(published.kb.documents, published.chunks, spec.language)
    knowledge, shown = _find_shown(published.kb, spec, passages)
    windows, titles = corpus.window_vectors(passages, embed), corpus.titles()
    nodes = [knowledge.issues[i].text for i in knowledge.ids]
    told = published.told_issues
    raw_texts = [r.full_text for r in told.values()]
    texts = searched_texts(shown)
    read = tokens.read([one.searched_text for one in shown]) if tokens is not None else None
    vectors = embed([*titles, *nodes, *raw_texts, *texts])
    parts = np.split(vectors, np.cumsum([len(titles), len(nodes), len(raw_texts)]))
    raw = dict(zip(told, parts[2], strict=True))
    ids = tuple(d.id for d in corpus.documents)
    chunks = corpus.index(windows, parts[0])
    past = past_issues(told.values(), DocumentNames(corpus.documents))
    past_vectors = np.array([raw[p.id] for p in past], dtype=np.float32).reshape(len(past), vectors.shape[1])
    return QuestionIndex(
        spec=spec,
        encoder=encoder,
        embed_questions=embed_questions,
        nodes=NodeIndex.of(knowledge, parts[1], raw),
        candidates=Candidates.of(shown, knowledge, dict(zip(texts, parts[3], strict=True)), chunks),
        chunks=chunks,
        history=build_history(ids, past, past_vectors, chunks.centroids(), spec.language),
        gate=gate_of(published.settings, encoder),
        calibration=calibration_of(published.settings),
        recalibration=read_recalibration(published.settings.get(CONFIDENCE)),
        generation=published.generation,
        caution=caution,
        spelling=None if tokens is None else _spelling(corpus, spec, tokens.ordinary_words()),
        tokens=None if read is None else TokenIndex.of(read),
        read_tokens=None if tokens is None else tokens.question,
        token_spans=None if tokens is None else tokens.spans,
        ranker=packaged_ranker(reads_tokens=read is not None),
        passages=tuple(passages),
    )


# Complex: what is taken over and what is read for new texts stand side by side.
def load_decisions(
    index: QuestionIndex,
    published: Published,
    embed: Callable[[Sequence[str]], Vectors],
    embed_questions: Callable[[Sequence[str]], Vectors],
    tokens: TokenReader | None = None,
) -> QuestionIndex:
    """Return an index of the same publication with what people decided since: what ``load_index`` would return.

    Only solutions and candidates are worked out anew; of their vectors and tokens only those of new texts are read.
    ``embed_questions`` and ``tokens`` take the place of those of the index.
    """
    knowledge, shown = _find_shown(published.kb, index.spec, index.passages)
    before, old = index.candidates, {one.searched_text: row for row, one in enumerate(index.candidates.rows)}
    kept = index.tokens
    if tokens is not None and isinstance(kept, TokenIndex):
        kept = _tokens_of([one.searched_text for one in shown], kept, old, tokens)
    vectors = {one.searched_headings: before.headings[row] for row, one in enumerate(before.rows)}
    vectors |= {text: before.vectors[row] for text, row in old.items()}
    missing = [text for text in searched_texts(shown) if text not in vectors]
    if missing:
        vectors |= zip(missing, embed(missing), strict=True)
    return replace(
        index,
        embed_questions=embed_questions,
        nodes=replace(index.nodes, knowledge=knowledge),
        candidates=Candidates.of(shown, knowledge, vectors, index.chunks),
        generation=published.generation,
        tokens=kept,
        read_tokens=None if tokens is None else tokens.question,
        token_spans=None if tokens is None else tokens.spans,
    )


def _tokens_of(texts: Sequence[str], kept: TokenIndex, rows: Mapping[str, int], tokens: TokenReader) -> TokenIndex:
    """Return the tokens of texts: those with rows are ``kept``, the others are read."""
    new = [text for text in texts if text not in rows]
    read = dict(zip(new, tokens.read(new), strict=True))
    return TokenIndex.of([kept.tokens[rows[text]] if text in rows else read[text] for text in texts])


def _find_shown(
    kb: KnowledgeBase, spec: DomainSpec, passages: Sequence[Passage]
) -> tuple[KnowledgeIndex, list[Candidate]]:
    """Return nodes with the solutions that people left them, and all that can be shown."""
    kept = without_rejected(passages, kb.solutions.values())
    knowledge = KnowledgeIndex.of(
        (replace(i, attributes=normal_attributes(i.attributes, spec)) for i in kb.issues.values()),
        (replace(s, attributes=normal_attributes(s.attributes, spec)) for s in kb.solutions.values()),
        spec.attributes,
        (p.solution for p in kept),
    )
    return knowledge, candidates_of(knowledge, kept, withheld=True)


def _spelling(corpus: Corpus, spec: DomainSpec, ordinary: frozenset[str]) -> Spelling:
    """Return what mends the slips of customers: by the words of the documents, and of the domain."""
    texts = (f"{document.title}\n{document.text}" for document in corpus.documents)
    return Spelling.of(texts, spec.language, known=ordinary, extra_words=names_of_values(spec))


def names_of_values(spec: DomainSpec) -> list[str]:
    """Return what the values of a domain's attributes are called; customers write these words too."""
    values = (a for attribute in spec.attributes.values() for a in (*attribute.values, *attribute.synonyms.values()))
    return [name for one in values for name in ((one,) if isinstance(one, str) else one)]


def normal_attributes(attributes: Attributes, spec: DomainSpec) -> Attributes:
    """Give value sets the spelling that comparing needs; an edited line may name every value of a set."""
    known = spec.attributes
    return {name: known[name].normal(values) if name in known else values for name, values in attributes.items()}


def gate_of(settings: Mapping[str, Mapping[str, object]], encoder: str) -> Gate:
    """Read the gate among published settings; an import without one has the default of its encoder."""
    kept = settings.get("gate")
    return read_gate(kept) if kept else Gate(DEFAULT_THRESHOLD, encoder)


def calibration_of(settings: Mapping[str, Mapping[str, object]]) -> CalibratedGate | None:
    """Read the calibration of a team among published settings, None where there is none."""
    kept = settings.get(CALIBRATION)
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
