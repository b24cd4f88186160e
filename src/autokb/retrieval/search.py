"""Search over chunks: each chunk's best window, its document's title and the words, in one pass over the vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.chunking.windows import Window
from autokb.core.domain import ENGLISH
from autokb.core.nouns import Chunk
from autokb.core.ranking import Positions, Scores, best_first
from autokb.core.vectors import Vectors
from autokb.stores.vector_index import VectorIndex, vector_index
from autokb.stores.word_index import WordIndex, Words
from autokb.text.words import terms

SHORT_QUESTION = 10  # words that count: up to here a question is short
LONG_QUESTION = 40  # from here on it is a whole message
# What is added to the cosine of a chunk where a node's chunks are looked for: the cosine of the title, and BM25's share
# by the length of the text. On the past of five knowledge bases no other values were better by two standard errors.
TITLE, WORDS_OF_SHORT, WORDS_OF_LONG = 0.3, 0.8, 0.4


@dataclass(frozen=True, slots=True)
class ChunkHit:
    """A found chunk: ``start`` to ``end`` is its best window, ``cosine`` that window's, ``score`` what ranks it."""

    chunk: str
    document: str
    score: float
    cosine: float
    start: int
    end: int


@dataclass(frozen=True)
class ChunkIndex:
    """Chunks ready to be searched: windows in the order of their chunks, those in the order of their documents."""

    documents: tuple[str, ...]
    chunks: tuple[str, ...]
    windows: tuple[Window, ...]
    vectors: VectorIndex
    titles: Vectors | None
    words: Words
    chunk_document: Positions
    chunk_starts: Positions
    document_starts: Positions
    filled: Positions  # positions of the documents that have windows

    def centroids(self) -> Vectors:
        """Return each document's mean window, of length 1."""
        vectors = self.vectors.vectors
        means = np.zeros((len(self.documents), vectors.shape[1]), dtype=np.float32)
        if len(vectors):
            sums = np.add.reduceat(vectors, self.document_starts, axis=0)
            means[self.filled] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
        return means


@dataclass(frozen=True)
class ScoredChunks:
    """What one question finds: scores of all documents and chunks, in the order of the index."""

    index: ChunkIndex
    documents: Scores
    chunks: Scores
    cosines: Vectors
    nearest: float

    def best_chunks(self, k: int, boost: Scores | None = None) -> tuple[ChunkHit, ...]:
        """Return the k best chunks; ``boost`` (by document) adds what history says of their documents."""
        scores = self.chunks if boost is None else self.chunks + boost[self.index.chunk_document]
        return tuple(self._make_hit(position, float(scores[position])) for position in best_first(scores, k))

    def _make_hit(self, position: int, score: float) -> ChunkHit:
        index = self.index
        start = int(index.chunk_starts[position])
        end = int(index.chunk_starts[position + 1]) if position + 1 < len(index.chunks) else len(index.windows)
        best = start + int(np.argmax(self.cosines[start:end]))
        window = index.windows[best]
        return ChunkHit(window.chunk, window.document, score, float(self.cosines[best]), window.start, window.end)


# Complex: it fills the columns of one index over the same windows, a comprehension each.
def build_index(
    documents: Sequence[str],
    chunks: Sequence[Chunk],
    windows: Sequence[Window],
    vectors: Vectors,
    titles: Vectors | None = None,
    word_texts: Mapping[str, str] | None = None,
    language: str = ENGLISH,
) -> ChunkIndex:
    """Index chunks by their windows' vectors (row n is window n); ``word_texts`` (by chunk id) is what BM25 reads.

    ``titles`` holds a vector for each document's title. A chunk without a window cannot be found.
    """
    place = {document: n for n, document in enumerate(documents)}
    with_windows = {w.chunk for w in windows}
    ordered = sorted(
        (c for c in chunks if c.id in with_windows and c.document in place), key=lambda c: place[c.document]
    )
    number = {c.id: n for n, c in enumerate(ordered)}
    chunk_of = np.array([number.get(w.chunk, -1) for w in windows], dtype=np.int64)
    rows = np.argsort(chunk_of, kind="stable")[np.count_nonzero(chunk_of < 0) :]
    chunk_of = chunk_of[rows]
    chunk_document = np.array([place[c.document] for c in ordered], dtype=np.int64)
    document_of = chunk_document[chunk_of]
    texts = [(word_texts or {}).get(c.id, c.text) for c in ordered]
    return ChunkIndex(
        documents=tuple(documents),
        chunks=tuple(c.id for c in ordered),
        windows=tuple(windows[n] for n in rows.tolist()),
        vectors=vector_index(vectors[rows]),
        titles=None if titles is None else np.ascontiguousarray(titles, dtype=np.float32),
        words=WordIndex.build(texts, language),
        chunk_document=chunk_document,
        chunk_starts=np.searchsorted(chunk_of, np.arange(len(ordered))),
        document_starts=np.searchsorted(document_of, np.unique(document_of)),
        filled=np.unique(document_of),
    )


def whole_chunks(chunks: Sequence[Chunk], with_context: bool = False) -> tuple[Window, ...]:
    """Return one window a chunk: the plain systems of the evaluation search chunks as they are."""
    return tuple(
        Window(
            chunk=c.id,
            document=c.document,
            start=c.spans[0][0],
            end=c.spans[-1][1],
            text=f"{c.context}\n{c.text}" if with_context and c.context else c.text,
        )
        for c in chunks
        if c.spans
    )


def search(index: ChunkIndex, vector: Vectors, text: str) -> ScoredChunks:
    """Score every chunk for a text, by vectors, title and words."""
    if not len(index.vectors.vectors):  # of a damaged file their length may be another than that of the question's
        nothing = np.zeros(0, dtype=np.float32)
        return ScoredChunks(index, np.zeros(len(index.documents)), np.zeros(0), nothing, -1.0)
    cosines = index.vectors.scores(vector)
    long = long_question_share(text, index.words.language)
    shares = index.words.shares(text) * (WORDS_OF_SHORT + long * (WORDS_OF_LONG - WORDS_OF_SHORT))
    titles = np.zeros(len(index.documents)) if index.titles is None else TITLE * (index.titles @ vector).astype(float)
    chunks = np.maximum.reduceat(cosines, index.chunk_starts) + shares + titles[index.chunk_document]
    return ScoredChunks(index, _score_by_words(index, chunks), chunks, cosines, float(cosines.max()))


def words_of_documents(index: ChunkIndex, text: str) -> Scores:
    """Return the share of BM25 of each document's best chunk."""
    return _score_by_words(index, index.words.shares(text))


def long_question_share(text: str, language: str = ENGLISH) -> float:
    """Return 0 for a short question, 1 for a whole message, and what lies between."""
    return min(max((len(terms(text, language)) - SHORT_QUESTION) / (LONG_QUESTION - SHORT_QUESTION), 0.0), 1.0)


def _score_by_words(index: ChunkIndex, scores: Scores) -> Scores:
    """Return the best chunk's score of each document; BM25 is never below 0."""
    documents = np.zeros(len(index.documents))
    np.maximum.at(documents, index.chunk_document, scores)
    return documents


def words_only(index: ChunkIndex, text: str) -> ScoredChunks:
    """Rank by BM25 alone."""
    scores = index.words.scores(text)
    return ScoredChunks(
        index, _score_by_words(index, scores), scores, np.zeros(len(index.windows), dtype=np.float32), 0.0
    )


def vectors_only(index: ChunkIndex, vector: Vectors) -> ScoredChunks:
    """Rank by the best vector alone, as the plain baseline does."""
    cosines = index.vectors.scores(vector)
    chunks = np.maximum.reduceat(cosines, index.chunk_starts).astype(np.float64) if len(cosines) else np.zeros(0)
    documents = np.full(len(index.documents), -1.0)  # a document without chunks is behind every other
    np.maximum.at(documents, index.chunk_document, chunks)
    return ScoredChunks(index, documents, chunks, cosines, float(cosines.max(initial=-1.0)))


def fused_equally(index: ChunkIndex, vector: Vectors, text: str, k: int = 60) -> Scores:
    """Rank documents by the usual reciprocal rank fusion of vectors and BM25, 1:1: the plain baseline."""
    rankings = (vectors_only(index, vector).chunks, index.words.scores(text))
    return _score_by_words(index, np.sum([1.0 / (k + 1 + _rank_positions(scores)) for scores in rankings], axis=0))


def _rank_positions(scores: NDArray[np.floating[Any]]) -> Scores:
    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return ranks
