"""How likely the ticket found first is about the same problem, fitted on the workspace's own links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autokb.core.ids import digest
from autokb.core.tickets import Edge, Ticket
from autokb.core.vectors import Vectors
from autokb.plugins.tickets.graph.index import TicketIndex
from autokb.plugins.tickets.graph.links import linked_pairs
from autokb.plugins.tickets.graph.search import ScoredTickets, TicketQuestion, score_tickets
from autokb.retrieval.logistic import fit_logistic, probability_of

FEWEST_ASKED = 30  # questions; fewer cannot tell a chance
MOST_ASKED = 200  # questions: each costs an embedding
ASKED_CHARACTERS = 4_000  # of a ticket's text: more than the encoder reads
# Weights of the cosine and of the lead where few tickets are linked: of the Titanium tickets, rounded. They pull as if
# each were one more observation of its own size.
EXPECTED, PULL = (3.0, 6.0), (0.2, 0.2)


@dataclass(frozen=True, slots=True)
class MatchChance:
    """Weights of the best ticket's cosine to the question and of its lead over the next one."""

    text: float
    lead: float
    intercept: float

    def of(self, found: ScoredTickets) -> float:
        """Return the chance, from 0 to 1; 0 where no ticket was found."""
        features = best_and_lead(found)
        if features is None:
            return 0.0
        return round(probability_of(self.intercept + self.text * features[0] + self.lead * features[1]), 4)


@dataclass(frozen=True, slots=True)
class FittedMatch:
    """The chance, None where too few tickets are linked, how many were asked for it, and that in a sentence."""

    match: MatchChance | None
    asked: int
    reason: str


def fit_match(
    index: TicketIndex, tickets: Mapping[str, Ticket], edges: Iterable[Edge], embed: Callable[[Sequence[str]], Vectors]
) -> FittedMatch:
    """Ask each linked ticket as if it were new, half by their titles, half by their whole texts.

    The ticket that is asked is not to be found. What is right is what the source links it with.
    """
    linked: dict[str, set[str]] = {}
    for one, other in linked_pairs(edges):
        linked.setdefault(one, set()).add(other)
        linked.setdefault(other, set()).add(one)
    names = sorted((t for t in linked if t in index.rows), key=digest)[:MOST_ASKED]
    if len(names) < FEWEST_ASKED:
        reason = f"{len(names)} tickets have links, fewer than {FEWEST_ASKED}: how likely a match is stays unknown."
        return FittedMatch(None, len(names), reason)
    texts = [_as_question(tickets[name], whole=bool(n % 2)) for n, name in enumerate(names)]
    rows, right = [], []
    for name, text, vector in zip(names, texts, embed(texts), strict=True):
        found = score_tickets(index, TicketQuestion(text, vector, without=frozenset({name})))
        if (features := best_and_lead(found)) is not None:
            rows.append(features)
            right.append(found.best(1)[0].id in linked[name])
    weights = fit_logistic(np.array(rows), np.array(right), expected=EXPECTED, pull=PULL)
    text_weight, lead, intercept = (round(float(w), 4) for w in weights)
    reason = f"How likely a match is was fitted on {len(names)} tickets that link to others, each asked as if new."
    return FittedMatch(MatchChance(text_weight, lead, intercept), len(names), reason)


def _as_question(ticket: Ticket, *, whole: bool) -> str:
    return f"{ticket.title}\n\n{ticket.description}"[:ASKED_CHARACTERS].strip() if whole else ticket.title


def best_and_lead(found: ScoredTickets) -> tuple[float, float] | None:
    """Return the cosine of the best ticket and how far its score is above the next one's (None for no ticket)."""
    best = found.best(2)
    if not best:
        return None
    cosine = found.chunks.cosines[found.index.pieces_of(best[0].id)].max(initial=-1.0)
    return float(cosine), best[0].score - best[1].score if len(best) > 1 else 0.0
