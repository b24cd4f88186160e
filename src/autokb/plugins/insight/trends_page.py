"""The page of trends: increases, new topics, and the effect of solutions on the volume of their trees."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from autokb.core.errors import BadInputError
from autokb.web.middleware import compute_report
from autokb.web.pages.rendering import is_partial, render
from autokb.web.serving import kb_of

DIGITS = 4  # of a number of weeks; Python reads no more than 4,300
SERIES = 20  # that are drawn; the others rise less


async def show(request: Request, weeks: str = "", until: str = "", whole: bool = False) -> Response:
    """Show the series of whole weeks; with many conversations they take seconds, so that they follow the page."""
    if not (whole or weeks or until or is_partial(request)):
        return render(request, "insight/trends.html", found=None, weeks=weeks, until=until)
    number = _whole_number(weeks.strip())
    found = await compute_report(request, lambda: kb_of(request).usage.trends(number, until or None))
    shown = {"found": found, "series": found.series[:SERIES], "weeks": weeks, "until": until}
    return render(request, "insight/trends.html#report", **shown)


def _whole_number(weeks: str) -> int | None:
    """Return a number of the form, None where it is empty (BadInputError where it is none)."""
    if not weeks:
        return None
    if not (weeks.isdecimal() and len(weeks) <= DIGITS):
        raise BadInputError(f"weeks is a whole number such as 4, not {weeks[:40]!r}.")
    return int(weeks)
