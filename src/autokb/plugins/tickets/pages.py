"""Past tickets: the list, and one with its sections and a picture of its neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request
from starlette.responses import Response

from autokb.core.tickets import Edge
from autokb.plugins.tickets.browser import TicketGraph, TicketView
from autokb.web.middleware import in_thread
from autokb.web.pages.candidate import shown_kb
from autokb.web.pages.knowledge import SECTION, Page, link_maker
from autokb.web.pages.rendering import is_partial, render

TICKETS_A_PAGE = 50  # of the list
NEIGHBOURS = 12  # that a picture has room for
SIMILAR = 5  # tickets beside the one that is read
WIDTH, HEIGHT = 360, 300  # of the picture, as wide as a telephone
RADIUS_X, RADIUS_Y = 128, 112
LABEL_CHARACTERS = 14  # of an id in the picture


@dataclass(frozen=True, slots=True)
class DrawnTicket:
    """A node of the picture: a ticket, its label and its place."""

    ticket: TicketView
    label: str
    x: int
    y: int


async def tickets(request: Request, q: str = "", page: Page = 1) -> Response:
    """List the tickets, the newest first."""
    kb, asked = shown_kb(request), {"q": q.strip()}
    found = await in_thread(lambda: kb.tickets.search(q, (page - 1) * TICKETS_A_PAGE, TICKETS_A_PAGE))
    link = link_maker(asked, "/tickets")
    response = render(
        request, "tickets/tickets.html#found", at=SECTION, found=found, asked=asked, page=page, size=TICKETS_A_PAGE,
        link=link, total=found.total,
    )  # fmt: skip
    response.headers["HX-Replace-Url"] = link(page=page if page > 1 else "")
    return response


async def ticket(request: Request, ticket: str, similar: str = "") -> Response:
    """Show a ticket; with ``similar`` also those most like it, which the encoder is needed for."""
    kb = shown_kb(request)
    like = await in_thread(lambda: kb.tickets.browse_similar(ticket, SIMILAR)) if similar else None
    if like is not None and is_partial(request):
        return render(request, "tickets/ticket.html#similar", ticket_id=ticket, like=like)
    found = await in_thread(lambda: kb.tickets.browse(ticket, NEIGHBOURS))
    drawn, lines = draw(found.graph)
    size = (WIDTH, HEIGHT)
    return render(
        request,
        "tickets/ticket.html",
        at=SECTION,
        ticket=found,
        ticket_id=ticket,
        drawn=drawn,
        lines=lines,
        like=like,
        size=size,
    )


def draw(graph: TicketGraph) -> tuple[Sequence[DrawnTicket], Sequence[tuple[Edge, DrawnTicket, DrawnTicket]]]:
    """Return where the picture has its nodes, the ticket in the middle and its neighbours round it, and its lines."""
    round_it = len(graph.tickets) - 1
    drawn = {}
    for n, one in enumerate(graph.tickets):
        angle = 2 * math.pi * (n - 1) / max(round_it, 1) - math.pi / 2
        x = WIDTH // 2 + (round(RADIUS_X * math.cos(angle)) if n else 0)
        y = HEIGHT // 2 + (round(RADIUS_Y * math.sin(angle)) if n else 0)
        label = one.id if len(one.id) <= LABEL_CHARACTERS else f"{one.id[: LABEL_CHARACTERS - 1]}…"
        drawn[one.id] = DrawnTicket(one, label, x, y)
    return list(drawn.values()), [(link, drawn[link.source], drawn[link.target]) for link in graph.links]
