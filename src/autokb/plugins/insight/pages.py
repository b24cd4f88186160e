"""The pages of findings, each with its places, settled with a click; and of trends and the effect of solutions."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Request
from starlette.responses import Response

from autokb.core.errors import BadInputError
from autokb.core.findings import FindingStatus
from autokb.web.middleware import compute_report, in_thread
from autokb.web.pages.forms import Text
from autokb.web.pages.rendering import is_partial, render
from autokb.web.routes import Editor
from autokb.web.serving import kb_of, see_other

LISTED = 50  # findings of a page; what is settled makes room for the next ones
DIGITS = 4  # of a number of weeks; Python reads no more than 4,300
SERIES = 20  # that are drawn; the others rise less
KINDS = {
    "": "All",
    "source_changed": "Source changed since it was approved",
    "outdated": "Not updated for long",
    "contradiction": "Contradictions",
}


async def show_stale(request: Request, kind: str = "", settled: bool = False) -> Response:
    """Show what is open, of one kind or of all, or what people said something of."""
    found = await in_thread(lambda: kb_of(request).curation.stale(kind, settled=settled))
    return render(request, "insight/stale.html", found=found, kind=kind, settled=settled, kinds=KINDS, listed=LISTED)


async def settle(request: Request, caller: Editor, finding: Text, what: Annotated[FindingStatus, Form()]) -> Response:
    """Settle a finding, or open it again."""
    done = await in_thread(lambda: kb_of(request).curation.settle_finding(finding, what, author=caller.key))
    return render(request, "insight/stale_settled.html", one=done) if is_partial(request) else see_other("/stale")


async def join(request: Request, caller: Editor, issue: Text, other: Text) -> Response:
    """Join the trees of two issues, from the next build on."""
    await in_thread(lambda: kb_of(request).curation.join_trees(issue, other, author=caller.key))
    return see_other("/stale?settled=true")


async def show_trends(request: Request, weeks: str = "", until: str = "", whole: bool = False) -> Response:
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
