"""History: what resolved earlier issues votes for documents, beside what their texts say."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
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

    ``outcomes`` are the columns of the documents that resolved each issue; each has the ``shares`` of its vote.
    """

    documents: tuple[str, ...]
    issues: tuple[PastIssue, ...]
    vectors: Vectors
    outcomes: tuple[tuple[int, ...], ...]
    shares: NDArray[np.float32]
    idf: Mapping[str, float]
    classifier: NDArray[np.float32]
    offset: Scores
    language: str = ENGLISH

    def votes(self, vector: Vectors) -> Scores:
        """Return the documents' shares of the votes of the nearest issues, each weighted by its nearness."""
        return self.votes_of(self.cosines(vector))

    def votes_of(self, cosines: Vectors) -> Scores:
        """Return those votes from the ``cosines`` of all historical issues."""
        if not self.issues:
            return np.zeros(len(self.documents))
        near = best_first(cosines, NEIGHBOURS)
        top = max(float(cosines[near[0]]), ABSTENTION_COSINE)
        weights = np.exp((cosines[near].astype(np.float64) - top) / TEMPERATURE)
        nobody = math.exp((ABSTENTION_COSINE - top) / TEMPERATURE)
        shares: Scores = (weights @ self._shares_of(near)) / (weights.sum() + nobody)
        return shares

    def _shares_of(self, rows: Iterable[int]) -> NDArray[np.float32]:
        """Return a row an issue: each of the documents that resolved it has an equal share."""
        wanted = list(rows)
        found = np.zeros((len(wanted), len(self.documents)), dtype=np.float32)
        for at, row in enumerate(wanted):
            found[at, list(self.outcomes[row])] = self.shares[row]
        return found

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


@dataclass(frozen=True)
class Learnt:
    """What a ridge regression learnt from past issues, apart from the documents, which need only their mean window.

    A text has the features of its vector, d numbers, and of its words; the coefficients of a document are ``likeness``
    (features, d) times its mean window around the ``mean`` of all, and its ``own`` column where issues name it, of so
    many as ``named`` says. ``total`` (d) sums up over the issues what they say for documents like those that helped.
    """

    issues: int
    middle: Scores
    likeness: Scores
    total: Scores
    mean: NDArray[np.float32]
    own: Mapping[str, Scores]
    named: Mapping[str, int]
    idf: Mapping[str, float]

    def columns(
        self, documents: Sequence[str], centroids: NDArray[np.float32] | None
    ) -> tuple[NDArray[np.float32], Scores]:
        """Return the coefficients of documents, (features, documents), and what is added to each estimate."""
        named = np.array([self.named.get(document, 0) for document in documents], dtype=np.float64)
        solved = np.zeros((len(self.middle), len(documents)))
        for column in np.flatnonzero(named).tolist():
            solved[:, column] = self.own[documents[column]]
        if centroids is not None:
            around = (centroids - self.mean).astype(np.float64).T
            solved += self.likeness @ around
            named += self.total @ around
        return np.ascontiguousarray(solved, dtype=np.float32), named / (self.issues + PRIOR_ISSUES) - (
            self.middle @ solved
        )


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
    kept = issues_that_count(documents, issues)
    past = tuple(issues[n] for n in kept)
    near = np.ascontiguousarray(vectors[kept] if kept else vectors[:0], dtype=np.float32)
    learnt = learn(documents, past, near, document_vectors, language)
    return history_of(learnt, documents, past, near, document_vectors, language)


def issues_that_count(documents: Sequence[str], issues: Sequence[PastIssue]) -> list[int]:
    """Return which issues are learnt from, by their date: the most recent ones that one of the documents resolved."""
    known = frozenset(documents)
    kept = [n for n, issue in enumerate(issues) if known.intersection(issue.documents)]
    return sorted(kept, key=lambda n: (issues[n].date, issues[n].id))[-MOST_LEARNT:]


def history_of(
    learnt: Learnt,
    documents: Sequence[str],
    past: Sequence[PastIssue],
    vectors: Vectors,
    centroids: Vectors | None,
    language: str = ENGLISH,
    known: Container[str] | None = None,
) -> History:
    """Return the history of some documents, by what was learnt of all.

    ``known`` are all documents, where these are not; an issue's vote is shared by those that it names.
    """
    column = {document: n for n, document in enumerate(documents)}
    named = [{d for d in issue.documents if d in (column if known is None else known)} for issue in past]
    classifier, offset = learnt.columns(documents, centroids)
    return History(
        documents=tuple(documents),
        issues=tuple(past),
        vectors=vectors,
        outcomes=tuple(tuple(sorted(column[d] for d in some if d in column)) for some in named),
        shares=np.float32(1.0) / np.array([max(len(some), 1) for some in named], dtype=np.float32),
        idf=learnt.idf,
        classifier=classifier,
        offset=offset,
        language=language,
    )


def learn(
    documents: Sequence[str],
    past: Sequence[PastIssue],
    vectors: Vectors,
    centroids: Vectors | None,
    language: str = ENGLISH,
) -> Learnt:
    """Fit what resolved past issues (row n of ``vectors`` is issue n) to their features, in closed form.

    The fit is around a mean that is pulled to nothing while there are few issues. It is linear in what the issues
    say, so that it need not be done for each document: what they say for one like those that helped is the product of
    their mean windows around the mean of all.
    """
    column = {document: n for n, document in enumerate(documents)}
    idf = _compute_idf(past, language)
    words = np.array([word_features(i.text, idf, language) for i in past], dtype=np.float32)
    x = np.hstack([vectors, words.reshape(len(past), WORD_BUCKETS)]).astype(np.float64)
    outcomes = [sorted({column[d] for d in issue.documents if d in column}) for issue in past]
    named, own = _outcomes(outcomes)
    mean, alike = _alike(outcomes, centroids, vectors.shape[1])
    middle = x.mean(axis=0) if len(x) else np.zeros(x.shape[1])
    solved = _ridge(x - middle, np.hstack([own, alike]))
    return Learnt(
        issues=len(past),
        middle=middle,
        likeness=solved[:, len(named) :],
        total=alike.sum(axis=0),
        mean=mean,
        own={documents[n]: solved[:, at] for at, n in enumerate(named)},
        named={documents[n]: int(own[:, at].sum()) for at, n in enumerate(named)},
        idf=idf,
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


def _compute_idf(past: Sequence[PastIssue], language: str) -> dict[str, float]:
    """Return the weight of each word that at least two issues say."""
    issues_with = Counter(word for issue in past for word in set(terms(issue.text, language)))
    return {word: 1 + math.log((1 + len(past)) / (1 + n)) for word, n in sorted(issues_with.items()) if n > 1}


def _outcomes(outcomes: Sequence[Sequence[int]]) -> tuple[list[int], Scores]:
    """Return the documents that issues name, and which issue (rows) names which of them (columns)."""
    named = sorted({n for some in outcomes for n in some})
    place = {n: at for at, n in enumerate(named)}
    own = np.zeros((len(outcomes), len(named)))
    for row, some in enumerate(outcomes):
        own[row, [place[n] for n in some]] = 1.0
    return named, own


def _alike(
    outcomes: Sequence[Sequence[int]], centroids: Vectors | None, dimensions: int
) -> tuple[NDArray[np.float32], Scores]:
    """Return the mean of all documents' mean windows, and for each issue that of those which helped, around it."""
    alike = np.zeros((len(outcomes), dimensions))
    if centroids is None or not len(centroids):
        return np.zeros(dimensions, dtype=np.float32), alike
    mean: NDArray[np.float32] = centroids.mean(axis=0)
    for row, some in enumerate(outcomes):
        if some:
            alike[row] = (centroids[some] - mean).mean(axis=0)
    return mean, alike


def _ridge(centred: Scores, outcomes: Scores) -> Scores:
    """Return the coefficients, (features, outcomes), of features around their mean; around theirs outcomes need not be,
    for what is the same for all issues falls out.
    """
    rows, columns = centred.shape
    if rows <= columns:  # the same answer from the smaller system
        solved = centred.T @ np.linalg.solve(centred @ centred.T + RIDGE * np.eye(rows), outcomes)
    else:
        solved = np.linalg.solve(centred.T @ centred + RIDGE * np.eye(columns), centred.T @ outcomes)
    return solved.astype(np.float64)
