from __future__ import annotations

import numpy as np
import pytest

from autokb.core.tickets import TICKET, Ticket, TicketSection
from autokb.domains.ticket_templates import shipped_template
from autokb.plugins.tickets.graph.index import TicketIndex, day_of
from autokb.plugins.tickets.graph.search import COMPONENT, TIME, TicketQuestion, score_tickets
from autokb.stores.ticket_tables import PublishedTicket, SectionPiece

TEMPLATE = shipped_template("en")


def index() -> TicketIndex:
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
    return TicketIndex.of(TEMPLATE, tickets, pieces, array, "en")


CAMERA = np.array([1, 0], dtype=np.float32)


def ranked(question: TicketQuestion) -> list[str]:
    return [hit.id for hit in score_tickets(index(), question).best(3)]


def test_the_nearest_piece_of_each_ticket_ranks_it() -> None:
    hits = score_tickets(index(), TicketQuestion("x", CAMERA)).best(3)
    assert [hit.id for hit in hits] == ["cam", "mix", "print"]
    assert [hit.score for hit in hits] == pytest.approx([1, np.sqrt(0.5), 0], abs=1e-6)


def test_words_lift_the_ticket_that_says_them() -> None:
    between = np.array([0.6, 0.8], dtype=np.float32)
    assert ranked(TicketQuestion("x", between))[0] == "mix"
    assert ranked(TicketQuestion("fails", between))[0] == "print"


def test_a_component_in_common_and_the_time_between_count() -> None:
    plain = score_tickets(index(), TicketQuestion("x", CAMERA)).scores
    question = TicketQuestion("x", CAMERA, frozenset({"printer"}))
    assert (score_tickets(index(), question).scores - plain).tolist() == pytest.approx([0, 0, COMPONENT])
    later = TicketQuestion("x", CAMERA, day=day_of("2024-02-01"))
    lost = [TIME * np.log1p(31 / 7), 0, TIME * np.log1p(15.5 / 7)]  # an unknown date: the median of 31 and 0 days
    assert (plain - score_tickets(index(), later).scores).tolist() == pytest.approx(lost)


def test_components_are_named_by_whole_words_in_any_case() -> None:
    small = index()
    assert small.components_named("The CAMERA of a printer") == {"camera", "printer"}
    assert small.components_named("Printers, cameras") == frozenset()


def test_what_is_left_out_is_not_found() -> None:
    assert ranked(TicketQuestion("x", CAMERA, without=frozenset({"cam", "gone"}))) == ["mix", "print"]


def test_the_pieces_of_a_ticket_are_together() -> None:
    small = index()
    assert [small.pieces_of(ticket) for ticket in small.ids] == [slice(0, 2), slice(2, 3), slice(3, 4)]
    assert small.pieces_of("gone") == slice(2, 2)  # where it would be
