from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autokb.core.ticket_weights import TicketWeights
from autokb.core.tickets import TICKET, Edge, Ticket, TicketSection
from autokb.domains.ticket_templates import shipped_template
from autokb.stores.ticket_tables import PublishedTicket, SectionPiece
from autokb.tickets.fitting import _climb, fit_ticket_weights
from autokb.tickets.index import TicketIndex


def pairs(count: int, *, same_component: bool) -> tuple[TicketIndex, dict[str, Ticket], list[Edge]]:
    """Return linked pairs of tickets that say nothing in common, and share a component where that shall help."""
    random = np.random.default_rng(1)
    tickets, published, pieces, rows, edges = {}, {}, [], [], []
    for n in range(count):
        for half in "ab":
            name = f"{half}{n:03}"
            component = f"part {n}" if same_component else f"part {half}{n}"
            ticket = Ticket(name, f"word{half}{n}", components=(component,))
            section = TicketSection(name, "summary", TICKET, ticket.title)
            tickets[name] = ticket
            published[name] = PublishedTicket(ticket, (TicketSection(name, TICKET), section), "")
        edges.append(Edge(f"a{n:03}", "Relates", f"b{n:03}"))
    for name in sorted(tickets):
        vector = random.normal(size=512)
        pieces.append(SectionPiece(name, "summary", 0, 5, b""))
        rows.append(vector / np.linalg.norm(vector))
    index = TicketIndex.of(shipped_template("en"), published, pieces, np.array(rows, np.float32), edges, "en")
    return index, tickets, edges


def embed(texts: Sequence[str]) -> np.ndarray:
    random = np.random.default_rng(2)
    rows = random.normal(size=(len(texts), 512)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_what_links_share_is_learnt() -> None:
    fitted = fit_ticket_weights(*pairs(40, same_component=True), embed)
    assert fitted.weights.component >= 0.1 and fitted.signals is not None and fitted.signals["component"] > 0.1
    assert fitted.held_out is not None and fitted.defaults is not None and fitted.held_out >= fitted.defaults


def test_a_signal_that_does_not_help_is_off() -> None:
    weights = fit_ticket_weights(*pairs(40, same_component=False), embed).weights
    assert (weights.component, weights.resolved, weights.votes) == (0, 0, 0)


def test_few_links_leave_the_usual_weights() -> None:
    fitted = fit_ticket_weights(*pairs(10, same_component=True), embed)
    assert fitted.weights == TicketWeights() and "20 tickets have links" in fitted.reason


def test_a_gain_within_its_own_error_changes_nothing() -> None:
    noise = np.tile([1.0, -0.9], 20)

    def quality(weights: TicketWeights) -> np.ndarray:
        return noise if weights.words == 0.4 else np.zeros(40)

    assert _climb(TicketWeights(), quality) == TicketWeights()


def test_a_sure_gain_changes_a_weight() -> None:
    def quality(weights: TicketWeights) -> np.ndarray:
        return np.full(40, -abs(weights.words - 0.4))

    assert _climb(TicketWeights(), quality) == TicketWeights(words=0.4)
