"""Whether a question is about the tickets: fitted on their own titles against everyday questions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.core.vectors import Vectors
from autokb.retrieval.everyday_subjects import packaged_vectors
from autokb.retrieval.gate_fitting import everyday_questions
from autokb.retrieval.logistic import fit_logistic
from autokb.tickets.index import TicketIndex

MOST_CASES = 400  # titles that are asked, evenly spread
FEWEST_CASES = 20  # of either side; below nothing is fitted
EXPECTED, PULL = (15.0, -2.0), (1.0, 1.0)  # as the gate of documents has it (decision 020)
EVEN_ODDS = 3.0  # three of four questions are taken to be on topic; a gate of tickets sees more that is not
FLOOR_QUANTILE = 0.02  # of the titles' own nearest pieces, where there are no everyday questions to compare with


@dataclass(frozen=True, slots=True)
class TicketGate:
    """Weights of a question's cosine to the nearest piece and of its share of words that no ticket has."""

    near: float
    unknown: float
    intercept: float
    source: str

    def confidence(self, near: float, unknown: float) -> float:
        """Return how likely a question is to be about what the tickets are about, from 0 to 1."""
        odds = self.intercept + self.near * near + self.unknown * unknown
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def fit_ticket_gate(
    index: TicketIndex, encoder: str, language: str, embed: Callable[[Sequence[str]], Vectors]
) -> TicketGate:
    """Fit the gate: titles are on topic, each compared with the other tickets alone; everyday questions are not."""
    rows = [n for n in range(len(index.ids)) if index.starts[n] < index.starts[n + 1]]
    rows = rows[:: max(1, math.ceil(len(rows) / MOST_CASES))]
    titles = embed([index.titles[n] for n in rows])
    own = _cases(index, [index.titles[n] for n in rows], titles, without=rows)
    everyday = [q for kind in everyday_questions(language).values() for q in kind]
    if len(own) < FEWEST_CASES or len(everyday) < FEWEST_CASES:
        floor = float(np.quantile(own[:, 0], FLOOR_QUANTILE)) if len(own) else 0.0
        near = EXPECTED[0]
        return TicketGate(near, 0.0, round(-near * floor, 4), f"a floor under {len(own)} titles' nearest tickets")
    packaged = packaged_vectors(everyday, encoder)
    others = _cases(index, everyday, embed(everyday) if packaged is None else packaged)
    labels = np.array([True] * len(own) + [False] * len(others))
    near, unknown, intercept = fit_logistic(np.vstack([own, others]), labels, expected=EXPECTED, pull=PULL)
    # The sample's own odds give way to those of what people ask here.
    intercept += math.log(EVEN_ODDS) - math.log(len(own) / len(others))
    source = f"fitted on {len(own)} titles and {len(others)} everyday questions"
    return TicketGate(round(float(near), 4), round(min(0.0, float(unknown)), 4), round(float(intercept), 4), source)


def measure_nearness(index: TicketIndex, question: str, vector: Vectors, tickets: Sequence[str]) -> tuple[float, float]:
    """Return the two features of a question: the cosine to the nearest piece of the tickets found for it, and the
    share of words that no ticket has.
    """
    near = -1.0
    for ticket in tickets:
        row = index.rows[ticket]
        pieces = index.vectors[index.starts[row] : index.starts[row + 1]]
        near = max(near, float((pieces @ vector).max(initial=-1.0)))
    return near, index.words.unknown_share(question)


def _cases(
    index: TicketIndex, texts: Sequence[str], vectors: Vectors, without: Sequence[int] = ()
) -> NDArray[np.float64]:
    found = []
    for n, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
        cosines = index.vectors @ vector
        if without:
            cosines[index.starts[without[n]] : index.starts[without[n] + 1]] = -1.0
        unknown = index.words.unknown_share(text, without[n : n + 1])
        found.append((float(cosines.max(initial=-1.0)), unknown))
    return np.array(found, dtype=np.float64).reshape(-1, 2)
