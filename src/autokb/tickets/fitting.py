"""Weights of tickets are fitted on the workspace's own links: each linked ticket is asked as if it were new."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autokb.core.ids import digest
from autokb.core.ticket_weights import TicketWeights
from autokb.core.tickets import Edge, Ticket
from autokb.core.vectors import Vectors
from autokb.tickets.index import TicketIndex, day_of, fold_names
from autokb.tickets.links import linked_pairs
from autokb.tickets.match import MatchChance, fit_match
from autokb.tickets.search import Scores, Signals, TicketQuestion, find_signals, lift_by_neighbours

FEWEST_ASKED = 30  # questions; fewer cannot tell two weights apart
MOST_ASKED = 200  # questions: each costs an embedding
STANDARD_ERRORS = 2.0  # that a gain must reach: a weight is changed for a reason, not for luck
HELD_OUT = 3  # every third question is kept out of the fitting, and says what it is worth
ASKED_CHARACTERS = 4_000  # of a ticket's text: more than the encoder reads
TRIED: dict[str, tuple[float, ...]] = {
    "words": (0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.6),
    "component": (0.0, 0.05, 0.1, 0.15),
    "time": (0.0, 0.01, 0.02, 0.03, 0.04, 0.06),
    "resolved": (0.0, 0.02, 0.05),
    "votes": (0.0, 0.1, 0.3, 0.6),
    "links": (0.0, 0.1, 0.3),
}


@dataclass(frozen=True, slots=True)
class FittedTickets:
    """The weights, what they were fitted on, and the mean reciprocal rank on questions that were held out.

    ``signals`` says of each signal what leaving it out costs there, ``match`` how likely a first ticket is right.
    """

    weights: TicketWeights
    asked: int
    reason: str
    held_out: float | None = None
    defaults: float | None = None
    signals: Mapping[str, float] | None = None
    match: MatchChance | None = None


@dataclass(frozen=True)
class _LabelledQuestion:
    """A ticket as a question, and which rows would have been right."""

    signals: Signals
    out: np.ndarray
    right: np.ndarray


def fit_ticket_weights(
    index: TicketIndex, tickets: Mapping[str, Ticket], edges: Iterable[Edge], embed: Callable[[Sequence[str]], Vectors]
) -> FittedTickets:
    """Fit the weights: half of the linked tickets are asked by their titles, half by their whole texts.

    The ticket that is asked is taken out of the index, with its links. What is right is what the source links it with.
    """
    linked: dict[str, set[str]] = {}
    for one, other in linked_pairs(edges):
        linked.setdefault(one, set()).add(other)
        linked.setdefault(other, set()).add(one)
    names = sorted((t for t in linked if t in index.rows), key=digest)[:MOST_ASKED]
    defaults = TicketWeights()
    if len(names) < FEWEST_ASKED:
        return FittedTickets(
            defaults, len(names), f"{len(names)} tickets have links, fewer than {FEWEST_ASKED}: the usual weights."
        )
    texts = [_as_question(tickets[name], whole=bool(n % 2)) for n, name in enumerate(names)]
    vectors = embed(texts)
    asked = [
        _ask(index, tickets[name], text, vector, linked[name])
        for name, text, vector in zip(names, texts, vectors, strict=True)
    ]
    held = asked[HELD_OUT - 1 :: HELD_OUT]
    rest = [one for n, one in enumerate(asked, 1) if n % HELD_OUT]
    weights = _climb(defaults, lambda candidate: _reciprocal_ranks(index, rest, candidate))
    for name, value in weights.as_json().items():  # what does not help is off
        without = _without(weights, name)
        if value and _reciprocal_ranks(index, rest, without).mean() >= _reciprocal_ranks(index, rest, weights).mean():
            weights = without
    reached = float(_reciprocal_ranks(index, held, weights).mean())
    return FittedTickets(
        weights=weights,
        asked=len(names),
        reason=(
            f"Fitted on {len(rest)} tickets that link to others, each asked as if it were new; "
            f"{len(held)} were held out."
        ),
        held_out=round(reached, 4),
        defaults=round(float(_reciprocal_ranks(index, held, defaults).mean()), 4),
        signals={
            name: round(reached - float(_reciprocal_ranks(index, held, _without(weights, name)).mean()), 4)
            for name, value in weights.as_json().items()
            if value
        },
        match=fit_match(((one.signals, one.out, one.right) for one in asked), weights),
    )


def _as_question(ticket: Ticket, *, whole: bool) -> str:
    return f"{ticket.title}\n\n{ticket.description}"[:ASKED_CHARACTERS].strip() if whole else ticket.title


def _ask(index: TicketIndex, ticket: Ticket, text: str, vector: Vectors, linked: set[str]) -> _LabelledQuestion:
    row = index.rows[ticket.id]
    own = range(int(index.starts[row]), int(index.starts[row + 1]))
    entities: dict[str, Vectors] = {}
    for n in own:  # the first piece of each of its sections
        entities.setdefault(index.pieces[n].section, index.vectors[n])
    entities.pop("comments", None)  # a new ticket has none
    question = TicketQuestion(text, vector, entities, fold_names(ticket.components), day_of(ticket.created))
    signals = find_signals(index, question)
    right = np.isin(signals.rows, [index.rows[other] for other in linked if other in index.rows])
    return _LabelledQuestion(signals, signals.rows == row, right)


def _reciprocal_ranks(index: TicketIndex, asked: Sequence[_LabelledQuestion], weights: TicketWeights) -> Scores:
    found = []
    for one in asked:
        scores = one.signals.score(weights)
        scores[one.out] = -np.inf
        scores = lift_by_neighbours(index, one.signals.rows, scores, weights.links)
        best = scores[one.right].max(initial=-np.inf)
        found.append(1.0 / (1 + int(((scores >= best) & ~one.right).sum())) if np.isfinite(best) else 0.0)
    return np.array(found)


def _without(weights: TicketWeights, name: str) -> TicketWeights:
    return TicketWeights(**{**weights.as_json(), name: 0.0})


def _climb(start: TicketWeights, quality: Callable[[TicketWeights], Scores]) -> TicketWeights:
    """Change one weight at a time, and only where the paired gain is well above its own standard error."""
    best, reached = start, quality(start)
    for _ in range(2):
        before = best
        for name, values in TRIED.items():
            options = [replace(best, **{name: value}) for value in values]
            gains = [(quality(option) - reached, option) for option in options]
            gain, option = max(gains, key=lambda found: float(found[0].mean()))
            if gain.mean() > max(STANDARD_ERRORS * gain.std() / np.sqrt(len(gain)), 1e-9):
                best, reached = option, reached + gain
        if best == before:
            break
    return best
