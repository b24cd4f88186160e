"""What rises, what is new, and what solutions did to the volume of their trees."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from autokb.app import SupportKB
from autokb.web.middleware import in_thread
from autokb.web.pages.rendering import is_partial, render
from autokb.web.routes import needs

SERIES = 20  # that are drawn; the others rise less
pages = APIRouter(include_in_schema=False)


@pages.get("/trends", dependencies=[needs("editor")])
async def show(request: Request, weeks: str = "", until: str = "", whole: bool = False) -> Response:
    """Show the series of whole weeks; with many conversations they take seconds, so that they follow the page."""
    if not (whole or weeks or until or is_partial(request)):
        return render(request, "trends.html", found=None, weeks=weeks, until=until)
    kb: SupportKB = request.app.state.kb
    number = int(weeks) if weeks.isdecimal() else None
    found = await in_thread(lambda: kb.usage.trends(number, until or None))
    return render(request, "trends.html#report", found=found, series=found.series[:SERIES], weeks=weeks, until=until)
