"""A second ranker, for the places behind the first: which documents helped questions like this one.

z(q, d) = beta text(q, d) + x(q).u_d + b_d, and p(d | q) is its softmax over all documents. ``text`` is the score
without history; x is the question's vector, that of its first line and its words. It is fitted on the links of
the past by their likelihood, recent questions counting more.
"""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.ranking import Scores
from autokb.core.vectors import Vectors
from autokb.retrieval.fitting import mean_hits
from autokb.text.words import terms

FEWEST_LINKED = 200  # questions with a link; fewer teach less than they mislead
FEWEST_TOLD = 3  # linked questions that a word must stand in
FIRST_LINE = 0.7  # what the first line's vector counts beside the whole question's
RIDGE = 0.3  # penalty on the squared weights, divided by the number of questions
BETA = 12.0  # where the factor of the text score starts, and what it is drawn to
BETA_PENALTY = 0.001
STEPS = 50  # of L-BFGS
HALF_LIVES = (180, 365, None)  # days after which a question counts half; None: never

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LinkedQuestion:
    """A past question: its text, its vector and its first line's, its date (ISO 8601 or empty)."""

    text: str
    vector: Vectors
    first_line: Vectors
    date: str


@dataclass(frozen=True)
class LinkRanker:
    """What was learnt: row d of ``weights`` belongs to document d, ``idf`` holds the known words in their order."""

    beta: float
    weights: NDArray[np.float32]
    bias: Floats
    idf: Mapping[str, float]
    language: str

    def scores(self, text_scores: Scores, question: LinkedQuestion) -> Scores:
        """Return z for every document."""
        features = _features([question], self.idf, self.language)[0]
        z: Scores = self.beta * text_scores + self.weights @ features + self.bias
        return z

    def as_json(self) -> dict[str, Any]:
        """Return the record; the weights as base64 of little-endian floats, for they are many."""
        return {
            "beta": self.beta,
            "bias": self.bias.tolist(),
            "idf": dict(self.idf),
            "weights": base64.b64encode(self.weights.astype("<f4").tobytes()).decode(),
        }


def read_ranker(data: Mapping[str, Any], language: str) -> LinkRanker:
    """Read a ranker back (ValueError, TypeError or KeyError where its record was damaged)."""
    bias = np.array(data["bias"], dtype=np.float64)
    weights = np.frombuffer(base64.b64decode(data["weights"]), dtype="<f4").reshape(len(bias), -1)
    idf = {str(word): float(value) for word, value in data["idf"].items()}
    return LinkRanker(float(data["beta"]), weights, bias, idf, language)


def first_line(text: str) -> str:
    """Return the first line that says something: of a customer's message often its title."""
    return next((line.strip() for line in text.split("\n") if line.strip()), text)


def learn_ranker(
    questions: Sequence[LinkedQuestion],
    text_scores: Floats,
    linked: NDArray[np.bool_],
    document_scores: Floats,
    language: str,
) -> LinkRanker | None:
    """Return a ranker learnt from all questions, or None where the workspace's own past does not gain by one.

    Row n of ``text_scores`` and ``linked`` (questions x documents) is question n, in the order of time.
    ``document_scores`` are those of the later questions, over the history before them: what the ranker's places 2 to n
    are compared with.
    """
    if len(questions) < FEWEST_LINKED:
        return None
    earlier = len(questions) - len(document_scores)
    right = linked[earlier:]
    before = _hits(document_scores, right)
    gains: dict[int | None, Floats] = {}
    for half_life in HALF_LIVES:
        ranker = _fit(questions[:earlier], text_scores[:earlier], linked[:earlier], half_life, language)
        rows = [ranker.scores(text_scores[n], questions[n]) for n in range(earlier, len(questions))]
        gains[half_life] = _hits(behind_first(document_scores, np.array(rows)), right) - before
    best = max(gains, key=lambda half_life: float(gains[half_life].mean()))
    gain = gains[best]
    if gain.mean() <= gain.std() / math.sqrt(len(gain)):
        return None
    return _fit(questions, text_scores, linked, best, language)


def behind_first(document_scores: Floats, z: Floats) -> Floats:
    """Return scores that keep each row's best document and order the others by z."""
    rows = np.arange(len(z))
    ordered = z.copy()
    ordered[rows, document_scores.argmax(axis=1)] = z.max(axis=1) + 1.0
    return ordered


def _hits(scores: Floats, right: NDArray[np.bool_]) -> Floats:
    return mean_hits(scores, right)


def _fit(
    questions: Sequence[LinkedQuestion],
    text_scores: Floats,
    linked: NDArray[np.bool_],
    half_life: int | None,
    language: str,
) -> LinkRanker:
    """Minimise the weighted negative log-likelihood of the links by L-BFGS from beta 12 and zero weights."""
    from scipy.optimize import minimize

    idf = _idf(questions, language)
    # The best weights lie in the span of the questions, so the search is made in coordinates of that span alone.
    whole = _features(questions, idf, language).astype(np.float64)
    left, lengths, basis = np.linalg.svd(whole, full_matrices=False)
    features = left * lengths
    ages = _weights_by_age([q.date for q in questions], half_life)
    count, documents, size = len(questions), text_scores.shape[1], features.shape[1]
    ridge = RIDGE / count

    def loss(flat: Floats) -> tuple[float, Floats]:
        beta, bias, weights = flat[0], flat[1 : 1 + documents], flat[1 + documents :].reshape(documents, size)
        z = beta * text_scores + features @ weights.T + bias
        z -= z.max(axis=1, keepdims=True)
        exponents = np.exp(z)
        p = exponents / exponents.sum(axis=1, keepdims=True)
        of_linked = np.where(linked, p, 0.0)
        told = np.maximum(of_linked.sum(axis=1, keepdims=True), 1e-300)
        slope = ages[:, None] * (p - of_linked / told)
        value = -float(ages @ np.log(told[:, 0])) + ridge * float((weights**2).sum() + (bias**2).sum())
        value += BETA_PENALTY * ((beta - BETA) / BETA) ** 2
        gradient = np.concatenate([
            [float((slope * text_scores).sum()) + 2 * BETA_PENALTY * (beta - BETA) / BETA**2],
            slope.sum(axis=0) + 2 * ridge * bias,
            (slope.T @ features + 2 * ridge * weights).ravel(),
        ])  # fmt: skip
        return value, gradient

    start = np.zeros(1 + documents * (1 + size))
    start[0] = BETA
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    weights = (found[1 + documents :].reshape(documents, size) @ basis).astype(np.float32)
    return LinkRanker(float(found[0]), weights, found[1 : 1 + documents].copy(), idf, language)


def _weights_by_age(dates: Sequence[str], half_life: int | None) -> Floats:
    """Return what each question counts, together 1: half after ``half_life`` days before the newest one."""
    if half_life is None:
        return np.full(len(dates), 1 / len(dates))
    days = np.array([_day(d) for d in dates])
    known = days[~np.isnan(days)]
    ages = (known.max() if len(known) else 0.0) - days
    ages = np.where(np.isnan(ages), np.median(ages[~np.isnan(ages)]) if len(known) else 0.0, ages)
    halved = 0.5 ** (ages / half_life)
    weights: Floats = halved / halved.sum()
    return weights


def _day(text: str) -> float:
    try:
        return float(date.fromisoformat(text[:10]).toordinal())
    except ValueError:
        return math.nan


def _idf(questions: Sequence[LinkedQuestion], language: str) -> dict[str, float]:
    counts = Counter(word for q in questions for word in set(terms(q.text, language)))
    known = sorted(word for word, count in counts.items() if count >= FEWEST_TOLD)
    return {word: math.log(len(questions) / counts[word]) for word in known}


def _features(questions: Sequence[LinkedQuestion], idf: Mapping[str, float], language: str) -> NDArray[np.float32]:
    place = {word: n for n, word in enumerate(idf)}
    words = np.zeros((len(questions), len(idf)), dtype=np.float32)
    for row, question in enumerate(questions):
        for word, count in Counter(terms(question.text, language)).items():
            if word in place:
                words[row, place[word]] = (1 + math.log(count)) * idf[word]
    words /= np.maximum(np.linalg.norm(words, axis=1, keepdims=True), 1e-12)
    vectors = np.array([q.vector for q in questions], dtype=np.float32)
    lines = FIRST_LINE * np.array([q.first_line for q in questions], dtype=np.float32)
    return np.hstack([vectors, lines, words])
