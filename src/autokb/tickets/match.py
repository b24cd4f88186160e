"""How likely the ticket found first is about the same problem, fitted on the workspace's own links."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

import numpy as np

from autokb.core.ticket_weights import TicketWeights
from autokb.retrieval.logistic import fit_logistic
from autokb.tickets.search import Scores, Signals

# Weights of the cosine and of the lead where few tickets are linked: of the Titanium tickets, rounded. They pull as if
# each were one more observation of its own size.
EXPECTED, PULL = (3.0, 6.0), (0.2, 0.2)


@dataclass(frozen=True, slots=True)
class MatchChance:
    """Weights of the best ticket's cosine to the question and of its lead over the next one."""

    text: float
    lead: float
    intercept: float

    def of(self, signals: Signals, scores: Scores) -> float:
        """Return the chance, from 0 to 1; 0 where no ticket was found."""
        features = best_and_lead(signals, scores)
        if features is None:
            return 0.0
        odds = self.intercept + self.text * features[0] + self.lead * features[1]
        return round(1 / (1 + math.exp(-max(-30.0, min(30.0, odds)))), 4)

    def as_json(self) -> dict[str, float]:
        """Return what is stored."""
        return asdict(self)


def fit_match(asked: Iterable[tuple[Signals, np.ndarray, np.ndarray]], weights: TicketWeights) -> MatchChance:
    """Fit it on tickets asked as if they were new: their signals, which row is their own, and which are linked.

    People who ask tell no component and no date, so those do not count here.
    """
    plain = replace(weights, component=0.0, time=0.0)
    rows, right = [], []
    for signals, own, linked in asked:
        scores = np.where(own, -np.inf, signals.score(plain))
        if (features := best_and_lead(signals, scores)) is not None:
            rows.append(features)
            right.append(bool(linked[int(np.argmax(scores))]))
    text, lead, intercept = fit_logistic(np.array(rows), np.array(right), expected=EXPECTED, pull=PULL)
    return MatchChance(round(float(text), 4), round(float(lead), 4), round(float(intercept), 4))


def best_and_lead(signals: Signals, scores: Scores) -> tuple[float, float] | None:
    """Return the cosine of the best ticket and how far its score is above the next one's (None for no ticket)."""
    best = int(np.argmax(scores)) if len(scores) else -1
    if best < 0 or not np.isfinite(scores[best]):
        return None
    others = np.delete(scores, best)
    second = float(others.max(initial=-np.inf))
    return float(signals.text[best]), float(scores[best]) - second if np.isfinite(second) else 0.0
