"""Calibrates the gate on a team's own questions: those that the knowledge base is for, and those that it is not.

The gate of the build is fitted against everyday questions alone. A team knows its traffic better: the same logistic
regression is fitted again on both sides of it, with the question's vector among its features (decision 32).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.core.ranking import Scores
from autokb.core.vectors import Vectors
from autokb.retrieval.calibrated_gate import FEATURES, CalibratedGate, CalibrationData
from autokb.retrieval.everyday_subjects import packaged_vectors
from autokb.retrieval.gate import DUPLICATE, NEAR_DUPLICATE
from autokb.retrieval.gate_fitting import everyday_questions
from autokb.retrieval.index import QuestionIndex, beginning
from autokb.retrieval.logistic import fit_logistic

FEWEST = 20  # questions of either side
COVERAGE = 0.95  # the share of the in-domain questions that the threshold lets pass
PARTS = 5  # each fifth of the questions is scored by a gate fitted on the others
# Share of the whole that the everyday questions count: they hold the gate shut for kinds that the team's own
# out-of-domain questions lack.
EVERYDAY = 0.1
# Weights of the features towards which the fit draws, and how strongly, as in the fit at build (decision 20). What that
# fit lacks starts at nothing; so does each number of the vector, which hundreds of weak weights may move.
EXPECTED = (15.0, 0.0, 7.0, 0.0, 0.0, -2.0, -6.0)
PULL = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 10.0)
PULL_OF_VECTOR = 0.1
ISSUES = FEATURES.index("issues")
DIGITS = 4  # of a weight
FINEST = 1e6  # steps of a threshold between 0 and 1


@dataclass(frozen=True)
class GateCases:
    """Questions as a gate reads them: a row each of ``FEATURES`` and of vectors, and their texts."""

    texts: tuple[str, ...]
    features: NDArray[np.float64]
    vectors: Vectors

    @classmethod
    def of(cls, index: QuestionIndex, texts: Sequence[str], vectors: Vectors | None = None) -> GateCases:
        """Score questions as ``ask`` does; one that the knowledge base holds already, without its near duplicates."""
        if vectors is None:
            vectors = index.embed_questions([beginning(text) for text in texts])
        rows = []
        for text, vector in zip(texts, vectors, strict=True):
            scored = index.score(text, vector=vector)
            row = index.gate_features(scored)
            if row[ISSUES] >= DUPLICATE:
                row = index.gate_features(scored, duplicates_from=NEAR_DUPLICATE)
            rows.append(row)
        return cls(tuple(texts), np.array(rows).reshape(len(rows), len(FEATURES)), vectors)

    def take(self, rows: NDArray[np.int64]) -> GateCases:
        """Return some of the questions."""
        return GateCases(tuple(self.texts[n] for n in rows), self.features[rows], self.vectors[rows])

    @property
    def cosines(self) -> Scores:
        """The cosine of each question to what is nearest to it, which a bare threshold reads."""
        found: Scores = self.features[:, [FEATURES.index("documents"), ISSUES]].max(axis=1)
        return found

    def parts(self) -> NDArray[np.int64]:
        """Return which of ``PARTS`` each question is in: by the hash of its text, so that their order is no matter."""
        order = sorted(range(len(self.texts)), key=lambda n: _hash(self.texts[n]))
        found = np.empty(len(order), dtype=np.int64)
        found[order] = np.arange(len(order)) % PARTS
        return found


@dataclass(frozen=True)
class Calibration:
    """A calibrated gate, and the probabilities that each side got from a gate fitted without it."""

    gate: CalibratedGate
    in_domain: Scores
    out_of_domain: Scores


def calibrate(
    index: QuestionIndex, in_domain: GateCases, out_of_domain: GateCases, date: str, coverage: float = COVERAGE
) -> Calibration:
    """Fit the gate on both sides, and choose its threshold by ``choose_threshold``.

    The threshold is chosen on probabilities from gates that were fitted without the question's fifth; the gate that is
    returned is fitted on all.
    """
    everyday = everyday_cases(index)
    scored = [np.empty(len(side.texts)) for side in (in_domain, out_of_domain)]
    parts = in_domain.parts(), out_of_domain.parts()
    for part in range(PARTS):
        others = [
            side.take(np.flatnonzero(of != part)) for side, of in zip((in_domain, out_of_domain), parts, strict=True)
        ]
        weights = _fit(others[0], others[1], everyday)
        for side, of, probabilities in zip((in_domain, out_of_domain), parts, scored, strict=True):
            left = np.flatnonzero(of == part)
            cases = side.take(left)
            odds = np.hstack([cases.features, cases.vectors]) @ weights[:-1] + weights[-1]
            probabilities[left] = 0.5 + 0.5 * np.tanh(odds / 2)
    threshold = choose_threshold(scored[0], scored[1], coverage)
    weights = _fit(in_domain, out_of_domain, everyday)
    gate = CalibratedGate(
        threshold=threshold,
        encoder=index.encoder,
        date=date,
        intercept=float(weights[-1]),
        weights=tuple(map(float, weights[: len(FEATURES)])),
        vector=tuple(map(float, weights[len(FEATURES) : -1])),
        in_domain=_data(in_domain, scored[0], threshold),
        out_of_domain=_data(out_of_domain, scored[1], threshold),
    )
    return Calibration(gate, *scored)


def choose_threshold(in_domain: Scores, out_of_domain: Scores, coverage: float) -> float:
    """Return a threshold at which this share of the in-domain probabilities passes, or more where more costs nothing.

    The highest one with that share is lowered halfway, in log-odds, to the likeliest out-of-domain question below it.
    """
    highest = least_passing(in_domain, coverage)
    refused = out_of_domain[out_of_domain < highest]
    if not len(refused):
        return highest
    ends = np.clip([highest, refused.max()], 1 / FINEST, 1 - 1 / FINEST)
    halfway = float(np.log(ends / (1 - ends)).mean())
    return math.ceil((0.5 + 0.5 * math.tanh(halfway / 2)) * FINEST) / FINEST


def least_passing(values: Scores, coverage: float) -> float:
    """Return the highest threshold that at least this share of the values reaches, rounded down."""
    turned_away = math.floor(len(values) * (1 - coverage) + 1e-9)
    return math.floor(float(np.sort(values)[turned_away]) * FINEST) / FINEST


def everyday_cases(index: QuestionIndex) -> GateCases:
    """Score the packaged questions about other things, without the kinds that are near; a language may lack them."""
    kinds = everyday_questions(index.spec.language)
    asked = [question for questions in kinds.values() for question in questions]
    kept = np.repeat([kind not in index.gate.left_out for kind in kinds], [len(some) for some in kinds.values()])
    vectors = packaged_vectors(asked, index.encoder) if asked else None
    rows = np.flatnonzero(kept)
    return GateCases.of(index, [asked[n] for n in rows], None if vectors is None else vectors[rows])


def _fit(in_domain: GateCases, out_of_domain: GateCases, everyday: GateCases) -> Scores:
    """Return the weights of features and vector and, last, the intercept; both sides count the same."""
    sides = [in_domain, out_of_domain, everyday] if len(everyday.texts) else [in_domain, out_of_domain]
    shares = (0.5, 0.5 - EVERYDAY, EVERYDAY) if len(sides) > 2 else (0.5, 0.5)
    rows = np.vstack([np.hstack([side.features, side.vectors]) for side in sides])
    sizes = [len(side.texts) for side in sides]
    counts = np.repeat([share / size for share, size in zip(shares, sizes, strict=True)], sizes) * len(rows)
    dimensions = in_domain.vectors.shape[1]
    found = fit_logistic(
        rows,
        np.arange(len(rows)) < sizes[0],
        expected=(*EXPECTED, *[0.0] * dimensions),
        pull=(*PULL, *[PULL_OF_VECTOR] * dimensions),
        counts=counts,
    )
    # rounded before it is judged, so that what is stored is what was measured
    return np.round(found, DIGITS)


def _data(cases: GateCases, probabilities: Scores, threshold: float) -> CalibrationData:
    """Describe one side; its hash is that of the sorted hashes of its texts."""
    whole = hashlib.sha256("\n".join(sorted(map(_hash, cases.texts))).encode()).hexdigest()
    return CalibrationData(len(cases.texts), int((probabilities >= threshold).sum()), whole)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
