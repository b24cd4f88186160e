"""History: what resolved earlier issues votes for documents, beside what their texts say."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.core.domain import ENGLISH
from autokb.core.nouns import Hit
from autokb.core.ranking import Scores, best_first
from autokb.core.vectors import Vectors
from autokb.text.words import terms

NEIGHBOURS = 20  # the nearest single issue is not enough; more than some 20 add nothing
TEMPERATURE = 0.05  # of the neighbours' softmax, in units of cosine
ABSTENTION_COSINE = 0.4  # a vote of nobody at this cosine: far neighbours do not speak as loudly as near ones
WORD_BUCKETS = 512  # numbers in a text's word features, beside the encoder's 384: words that share one are rare
WORD_PART = 0.5  # what the words count beside the vector, as squared length
RIDGE = 1.0  # penalty on the squared coefficients; the features of a text have about length 1
PRIOR_ISSUES = 20.0  # issues without outcome that are added to the real ones: few links make no strong prior
CELLS_AT_ONCE = 50_000_000  # numbers of a table of issues x documents: 200 MB
DOCUMENTS_AT_ONCE = 2_048  # columns that are learnt together, so that memory does not grow with issues x documents
MOST_LEARNT = 20_000  # the most recent ones; more would cost memory and change nothing


@dataclass(frozen=True)
class PastIssue:
    """A raw issue and the documents that resolved it; ``date`` is ISO 8601 or empty."""

    id: str
    text: str
    date: str
    documents: tuple[str, ...]


@dataclass(frozen=True)
class History:
    """Historical issues with known outcomes, ready to vote; columns are the documents in the order given at build.

    ``outcomes`` are the columns of the documents that resolved each issue.
    """

    documents: tuple[str, ...]
    issues: tuple[PastIssue, ...]
    vectors: Vectors
    outcomes: tuple[tuple[int, ...], ...]
    idf: Mapping[str, float]
    classifier: NDArray[np.float32]
    offset: Scores
    language: str = ENGLISH

    def votes(self, vector: Vectors) -> Scores:
        """Return the documents' shares of the votes of the nearest issues, each weighted by its nearness."""
        if not self.issues:
            return np.zeros(len(self.documents))
        cosines = self.vectors @ vector
        near = best_first(cosines, NEIGHBOURS)
        top = max(float(cosines[near[0]]), ABSTENTION_COSINE)
        weights = np.exp((cosines[near].astype(np.float64) - top) / TEMPERATURE)
        nobody = math.exp((ABSTENTION_COSINE - top) / TEMPERATURE)
        shares: Scores = (weights @ _shares(self.outcomes, near, len(self.documents))) / (weights.sum() + nobody)
        return shares

    def learnt(self, vector: Vectors, text: str) -> Scores:
        """Return the linear classifier's estimate that each document resolves the issue."""
        if not self.issues:
            return np.zeros(len(self.documents))
        features = np.concatenate([vector, word_features(text, self.idf, self.language)])
        estimate: Scores = features @ self.classifier + self.offset
        return estimate

    def cosines(self, vector: Vectors) -> Vectors:
        """Return the cosine of each historical issue."""
        found: Vectors = self.vectors @ vector
        return found

    def nearest(self, vector: Vectors) -> float:
        """Return the cosine of the nearest historical issue, which a gate may read."""
        return float(self.cosines(vector).max()) if self.issues else -1.0


def build_history(
    documents: Sequence[str],
    issues: Sequence[PastIssue],
    vectors: Vectors,
    document_vectors: Vectors | None = None,
    language: str = ENGLISH,
) -> History:
    """Learn from issues (row n of ``vectors`` is issue n); links to documents that are gone are ignored.

    ``document_vectors`` has a row a document: what resolved an issue speaks a little for documents like it, which
    helps those with few links of their own.
    """
    column = {document: n for n, document in enumerate(documents)}
    kept = [n for n, issue in enumerate(issues) if any(d in column for d in issue.documents)]
    kept = sorted(kept, key=lambda n: (issues[n].date, issues[n].id))[-MOST_LEARNT:]
    past = tuple(issues[n] for n in kept)
    outcomes = tuple(tuple(sorted({column[d] for d in issue.documents if d in column})) for issue in past)
    idf = _compute_idf(past, language)
    near = np.ascontiguousarray(vectors[kept] if kept else vectors[:0], dtype=np.float32)
    words = np.array([word_features(i.text, idf, language) for i in past], dtype=np.float32).reshape(
        len(past), WORD_BUCKETS
    )
    classifier, offset = _learn(np.hstack([near, words]), outcomes, len(documents), document_vectors)
    return History(
        documents=tuple(documents),
        issues=past,
        vectors=near,
        outcomes=outcomes,
        idf=idf,
        classifier=classifier,
        offset=offset,
        language=language,
    )


def word_features(text: str, idf: Mapping[str, float], language: str = ENGLISH) -> NDArray[np.float32]:
    """Return a text's words as a short vector: words share buckets by their checksum, each with a sign of its own."""
    features = np.zeros(WORD_BUCKETS, dtype=np.float32)
    for word, count in sorted(Counter(terms(text, language)).items()):
        if word in idf:
            code = zlib.crc32(word.encode("utf-8", "surrogatepass"))
            sign = 1.0 if code >> 20 & 1 else -1.0
            features[code % WORD_BUCKETS] += sign * (1 + math.log(count)) * idf[word]
    length = float(np.linalg.norm(features))
    scaled: NDArray[np.float32] = features * np.float32(math.sqrt(WORD_PART) / length) if length else features
    return scaled


def resolving_documents(
    links: Mapping[str, Collection[str]], raw_issues: Sequence[str], documents: Collection[str]
) -> tuple[Hit, ...]:
    """Return the documents that resolved a node's own raw issues, with their share, most frequent first.

    Two issues without outcome are counted beside the real ones, so that a single link does not speak for all.
    """
    known = frozenset(documents)
    linked = [known.intersection(links[raw]) for raw in raw_issues if known.intersection(links.get(raw, ()))]
    counts = Counter(document for found in linked for document in found)
    hits = (Hit(document, n / (len(linked) + 2)) for document, n in counts.items())
    return tuple(sorted(hits, key=lambda h: (-h.score, h.id)))


def _shares(outcomes: Sequence[tuple[int, ...]], rows: Iterable[int], documents: int) -> NDArray[np.float32]:
    """Return a row an issue: each of the documents that resolved it has an equal share."""
    wanted = [outcomes[row] for row in rows]
    shares = np.zeros((len(wanted), documents), dtype=np.float32)
    for row, columns in enumerate(wanted):
        shares[row, list(columns)] = np.float32(1.0) / np.float32(len(columns))
    return shares


def _learn(
    features: NDArray[np.float32],
    outcomes: Sequence[tuple[int, ...]],
    documents: int,
    document_vectors: Vectors | None,
) -> tuple[NDArray[np.float32], Scores]:
    """Fit the documents some at a time; each is a column by itself.

    A document gains where it is similar to those that helped: the products of vectors around their mean.
    """
    lead: NDArray[np.float32] | None = None
    if document_vectors is not None and len(outcomes) and documents:
        centred = document_vectors - document_vectors.mean(axis=0)
        rows = np.arange(len(outcomes))
        parts = np.array_split(rows, -(-len(rows) * documents // CELLS_AT_ONCE))
        lead = np.concatenate([_shares(outcomes, some, documents) @ centred for some in parts])
    classifier = np.zeros((features.shape[1], documents), dtype=np.float32)
    offset = np.zeros(documents)
    for start in range(0, documents, DOCUMENTS_AT_ONCE):
        part = slice(start, min(start + DOCUMENTS_AT_ONCE, documents))
        helped = np.zeros((len(outcomes), part.stop - start), dtype=np.float32)
        for row, columns in enumerate(outcomes):
            helped[row, [c - start for c in columns if start <= c < part.stop]] = 1.0
        classifier[:, part], offset[part] = _fit_ridge(
            features, helped if lead is None else helped + lead @ centred[part].T
        )
    return classifier, offset


def _compute_idf(past: Sequence[PastIssue], language: str) -> dict[str, float]:
    """Return the weight of each word that at least two issues say."""
    issues_with = Counter(word for issue in past for word in set(terms(issue.text, language)))
    return {word: 1 + math.log((1 + len(past)) / (1 + n)) for word, n in sorted(issues_with.items()) if n > 1}


def _fit_ridge(features: NDArray[np.float32], outcomes: NDArray[np.float32]) -> tuple[NDArray[np.float32], Scores]:
    """Fit outcomes to features in closed form, around a mean that is pulled to nothing while there are few."""
    x, y = features.astype(np.float64), outcomes.astype(np.float64)
    prior = y.sum(axis=0) / (len(y) + PRIOR_ISSUES)
    middle = x.mean(axis=0) if len(x) else np.zeros(x.shape[1])
    centred, rest = x - middle, y - prior
    if len(x) <= x.shape[1]:  # the same answer from the smaller system
        solved = centred.T @ np.linalg.solve(centred @ centred.T + RIDGE * np.eye(len(x)), rest)
    else:
        solved = np.linalg.solve(centred.T @ centred + RIDGE * np.eye(x.shape[1]), centred.T @ rest)
    return np.ascontiguousarray(solved, dtype=np.float32), prior - middle @ solved
