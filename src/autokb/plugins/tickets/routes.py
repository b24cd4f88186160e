"""The paths ``/v1/tickets``."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import JSONResponse, Response

from autokb.plugins.tickets.browser import TicketView
from autokb.web.answers import page_of
from autokb.web.middleware import in_thread
from autokb.web.routes import role_of
from autokb.web.serving import kb_of

TicketPage = page_of(TicketView, "summary")


async def tickets(request: Request, limit: int = 100, after: str = "") -> Response:
    """List past tickets; for a reader their titles without private data."""
    kb, role = kb_of(request), role_of(request)
    return JSONResponse(await in_thread(lambda: kb.tickets.list(limit, after, role=role).as_json()))


async def ticket(request: Request, ticket: str) -> Response:
    """Show one ticket with its sections and links; for a reader without private data."""
    kb, role = kb_of(request), role_of(request)
    return JSONResponse(await in_thread(lambda: kb.tickets.show(ticket, role=role).as_json()))
