from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from autokb.core.tickets import TICKET, Edge, Ticket, TicketSection
from autokb.domains.ticket_templates import shipped_template
from autokb.plugins.tickets.graph.index import TicketIndex
from autokb.plugins.tickets.graph.match import MatchChance, best_and_lead, fit_match
from autokb.plugins.tickets.graph.search import TicketQuestion, score_tickets
from autokb.stores.ticket_tables import PublishedTicket, SectionPiece

# 40 pairs of linked tickets: of every other pair both say the same, of the rest they have nothing in common.
NAMES = [f"{half}{n:03}" for n in range(40) for half in "ab"]
AXIS = {name: int(name[1:]) if int(name[1:]) % 2 else 40 + NAMES.index(name) for name in NAMES}
EDGES = [Edge(f"a{n:03}", "Relates", f"b{n:03}") for n in range(40)]
TICKETS = {name: Ticket(name, f"word{AXIS[name]}") for name in NAMES}


def vector_of(name: str) -> np.ndarray:
    vector = np.full(120, 0.01, dtype=np.float32)
    vector[AXIS[name]] = 1.0
    return vector / np.linalg.norm(vector)


def index(names: Sequence[str] = NAMES) -> TicketIndex:
    published = {
        name: PublishedTicket(
            TICKETS[name],
            (TicketSection(name, TICKET), TicketSection(name, "summary", TICKET, TICKETS[name].title)),
            "",
        )
        for name in names
    }
    pieces = [SectionPiece(name, "summary", 0, 5, b"") for name in names]
    return TicketIndex.of(shipped_template("en"), published, pieces, np.array([vector_of(n) for n in names]), "en")


def embed(texts: Sequence[str]) -> np.ndarray:
    by_title = {ticket.title: vector_of(name) for name, ticket in TICKETS.items()}
    return np.array([by_title[text.strip()] for text in texts])


def test_a_near_ticket_far_ahead_of_the_next_is_likelier_the_same_problem() -> None:
    fitted = fit_match(index(), TICKETS, EDGES, embed)
    assert fitted.match is not None and fitted.asked == 80
    near = score_tickets(index(), TicketQuestion("word1", vector_of("a001"), without=frozenset({"a001"})))
    far = score_tickets(index(), TicketQuestion("word40", vector_of("a000"), without=frozenset({"a000"})))
    assert near.best(1)[0].id == "b001"
    assert fitted.match.of(near) > 0.9
    assert fitted.match.of(far) < 0.1


def test_few_links_tell_no_chance() -> None:
    fitted = fit_match(index(), TICKETS, EDGES[:14], embed)
    assert fitted.match is None and fitted.reason.startswith("28 tickets have links, fewer than 30")


def test_the_lead_is_that_over_the_next_ticket_and_what_is_not_to_be_found_is_none() -> None:
    two = index(["a001", "a000"])
    found = score_tickets(two, TicketQuestion("nothing", vector_of("a001")))
    cosine, other = (float(vector_of("a001") @ vector_of(name)) for name in ("a001", "a000"))
    assert best_and_lead(found) == pytest.approx((cosine, cosine - other), abs=1e-6)
    alone = score_tickets(two, TicketQuestion("nothing", vector_of("a001"), without=frozenset({"a001"})))
    assert best_and_lead(alone) == pytest.approx((other, 0.0), abs=1e-6)


def test_where_no_ticket_is_found_nothing_is_likely() -> None:
    nobody = score_tickets(index(["a001"]), TicketQuestion("x", vector_of("a001"), without=frozenset({"a001"})))
    assert MatchChance(1.0, 1.0, 9.0).of(nobody) == 0.0
