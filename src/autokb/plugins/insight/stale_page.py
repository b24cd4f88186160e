"""The page of findings: by their kinds, each with its places, settled with a click."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Request
from starlette.responses import Response

from autokb.core.findings import FindingStatus
from autokb.web.middleware import in_thread
from autokb.web.pages.forms import Text
from autokb.web.pages.rendering import is_partial, render
from autokb.web.routes import Editor
from autokb.web.serving import kb_of, see_other

LISTED = 50  # findings of a page; what is settled makes room for the next ones
KINDS = {
    "": "All",
    "source_changed": "Source changed since it was approved",
    "outdated": "Not updated for long",
    "contradiction": "Contradictions",
}


async def show(request: Request, kind: str = "", settled: bool = False) -> Response:
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
