from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autokb.core.ticket_weights import TicketWeights
from autokb.core.tickets import TICKET, Edge, Ticket, TicketSection
from autokb.domains.ticket_templates import shipped_template
from autokb.stores.ticket_tables import PublishedTicket, SectionPiece
from autokb.tickets import search
from autokb.tickets.index import TicketIndex, day_of
from autokb.tickets.search import TicketQuestion, best_of_runs, rank_tickets

TEMPLATE = shipped_template("en")


def index(edges: tuple[Edge, ...] = ()) -> TicketIndex:
    """Return three tickets over two dimensions: camera, printer, and one between them."""
    tickets, pieces, rows = {}, [], []
    said = {
        "cam": ("camera crash", [[1, 0], [0.9, 0.1]], ("Camera",), "2024-01-01"),
        "mix": ("camera prints", [[0.7, 0.7]], (), "2024-02-01"),
        "print": ("printing fails", [[0, 1]], ("Printer",), ""),
    }
    for name, (title, vectors, components, created) in said.items():
        ticket = Ticket(name, title, components=components, created=created)
        sections = (TicketSection(name, TICKET), TicketSection(name, "summary", TICKET, title))
        tickets[name] = PublishedTicket(ticket, sections, "")
        for vector in vectors:
            pieces.append(SectionPiece(name, "summary", 0, len(title), b""))
            rows.append(vector)
    array = np.array(rows, dtype=np.float32)
    array /= np.linalg.norm(array, axis=1, keepdims=True)
    return TicketIndex.of(TEMPLATE, tickets, pieces, array, edges, "en")


CAMERA = np.array([1, 0], dtype=np.float32)


def ranked(question: TicketQuestion, weights: TicketWeights, edges: tuple[Edge, ...] = ()) -> list[str]:
    return [hit.id for hit in rank_tickets(index(edges), question, weights, 3)]


NOTHING = TicketWeights(words=0, component=0, time=0)


def test_the_nearest_pieces_lead() -> None:
    assert ranked(TicketQuestion("camera", CAMERA), NOTHING) == ["cam", "mix", "print"]


def test_each_signal_can_lead() -> None:
    assert ranked(TicketQuestion("it fails", CAMERA), TicketWeights(words=3))[0] == "print"
    question = TicketQuestion("x", CAMERA, components=frozenset({"printer"}))
    assert ranked(question, TicketWeights(component=3))[0] == "print"
    later = TicketQuestion("x", CAMERA, day=day_of("2024-02-01"))
    assert ranked(later, TicketWeights(time=3))[0] == "mix"
    said = TicketQuestion("x", CAMERA, entities={"summary": np.array([0, 1], dtype=np.float32)})
    assert ranked(said, TicketWeights(votes=3))[0] == "print"
    linked = (Edge("cam", "Relates", "print"),)
    assert (
        ranked(TicketQuestion("x", CAMERA), TicketWeights(words=0, component=0, time=0, links=0.9), linked)[1]
        == "print"
    )


def test_what_is_left_out_is_not_found_and_lifts_nobody() -> None:
    question = TicketQuestion("x", CAMERA, without=frozenset({"cam"}))
    linked = (Edge("cam", "Relates", "print"),)
    assert ranked(question, TicketWeights(words=0, component=0, time=0, links=0.9), linked) == ["mix", "print"]


def test_the_published_sum_lets_many_pieces_win() -> None:
    small = index()
    entities = {"summary": CAMERA}
    best, added = (
        search.match_sections(small, entities, small.vectors, small.sections, small.starts, votes)
        for votes in ("best", "sum")
    )
    assert best[0] == pytest.approx(1.0) and added[0] == pytest.approx(1.0 + 0.9 / np.hypot(0.9, 0.1))


def test_candidates_alone_are_compared_in_a_large_index(monkeypatch: pytest.MonkeyPatch) -> None:
    question = TicketQuestion("camera crash", CAMERA)
    everything = rank_tickets(index(), question, TicketWeights(), 2)
    monkeypatch.setattr(search, "EXACT_UP_TO", 1)
    monkeypatch.setattr(search, "CANDIDATES", 2)
    assert rank_tickets(index(), question, TicketWeights(), 2) == everything


@given(st.lists(st.lists(st.floats(-1, 1), max_size=5), min_size=1, max_size=6), st.integers(1, 3))
def test_the_best_of_each_run(runs: list[list[float]], count: int) -> None:
    starts = np.cumsum([0, *map(len, runs)])
    values = np.array([v for run in runs for v in run])
    expected = [[*sorted(run, reverse=True), *[min(run)] * count][:count] if run else [0.0] * count for run in runs]
    assert best_of_runs(values, starts, count).T.tolist() == expected
