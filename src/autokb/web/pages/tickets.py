"""Past tickets: the list, and one with its sections and a picture of its neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from autokb.app import SupportKB
from autokb.app.ticket_browser import TicketGraph
from autokb.text.masking import mask
from autokb.web.door import in_thread
from autokb.web.pages.knowledge import READERS, Page, kb_of, link_maker
from autokb.web.pages.rendering import render

TICKETS_A_PAGE = 50
NEIGHBOURS = 12  # that a picture has room for
SIMILAR = 5
WIDTH, HEIGHT = 360, 300  # of the picture, as wide as a telephone
RADIUS_X, RADIUS_Y = 128, 112
LABEL_CHARACTERS = 14
pages = APIRouter(include_in_schema=False, dependencies=[READERS])


@dataclass(frozen=True, slots=True)
class DrawnTicket:
    """A node of the picture; ``anchor`` says to which side its label is written."""

    id: str
    title: str
    label: str
    published: bool
    x: int
    y: int
    anchor: str


@dataclass(frozen=True, slots=True)
class DrawnLink:
    """A line between two nodes."""

    x1: int
    y1: int
    x2: int
    y2: int
    words: str
    origin: str


@pages.get("/tickets")
async def tickets(request: Request, q: str = "", page: Page = 1) -> Response:
    """List the tickets, the newest first."""
    kb, asked = kb_of(request), {"q": q.strip()}
    found = await in_thread(lambda: kb.find_tickets(q, (page - 1) * TICKETS_A_PAGE, TICKETS_A_PAGE))
    link = link_maker(asked, "/tickets")
    response = render(
        request, "tickets.html#found", found=found, asked=asked, page=page, size=TICKETS_A_PAGE, link=link,
        total=found.total,
    )  # fmt: skip
    response.headers["HX-Replace-Url"] = link(page=page if page > 1 else "")
    return response


@pages.get("/tickets/{ticket:path}")
async def ticket(request: Request, ticket: str, similar: str = "") -> Response:
    """Show a ticket; with ``similar`` also those most like it, which the encoder is needed for."""
    kb: SupportKB = kb_of(request)
    shown = await in_thread(lambda: kb.show_ticket(ticket))
    like = None
    if similar:
        found = await in_thread(lambda: kb.similar_tickets(ticket, SIMILAR))
        like = [(one, mask([one.title]).texts[0]) for one in found.tickets]
        if "hx-request" in request.headers:
            return render(request, "ticket.html#similar", ticket=shown, like=like)
    graph = await in_thread(lambda: kb.ticket_graph(ticket, NEIGHBOURS))
    # One request's masking, so that one address has one name on the whole page.
    texts = mask([shown.title, *(s.text for s in shown.sections), *(one.title for one in shown.links)]).texts
    title, sections, titles = texts[0], texts[1 : 1 + len(shown.sections)], texts[1 + len(shown.sections) :]
    drawn, lines = draw(graph)
    return render(
        request,
        "ticket.html",
        ticket=shown,
        title=title,
        sections=list(zip(shown.sections, sections, strict=True)),
        links=list(zip(shown.links, titles, strict=True)),
        graph=graph,
        drawn=drawn,
        lines=lines,
        like=like,
        size=(WIDTH, HEIGHT),
    )


def draw(graph: TicketGraph) -> tuple[Sequence[DrawnTicket], Sequence[DrawnLink]]:
    """Return where the picture has its nodes, the ticket in the middle and its neighbours round it, and its lines."""
    round_it = len(graph.tickets) - 1
    drawn = []
    for n, one in enumerate(graph.tickets):
        angle = 2 * math.pi * (n - 1) / max(round_it, 1) - math.pi / 2
        x = WIDTH // 2 + (round(RADIUS_X * math.cos(angle)) if n else 0)
        y = HEIGHT // 2 + (round(RADIUS_Y * math.sin(angle)) if n else 0)
        label = one.id if len(one.id) <= LABEL_CHARACTERS else f"{one.id[: LABEL_CHARACTERS - 1]}…"
        drawn.append(DrawnTicket(one.id, one.title, label, one.published, x, y, "middle"))
    places = {one.id: one for one in drawn}
    lines = [
        DrawnLink(a.x, a.y, b.x, b.y, f"{link.source} {link.type} {link.target}", link.origin)
        for link in graph.links
        for a, b in [(places[link.source], places[link.target])]
    ]
    return drawn, lines
