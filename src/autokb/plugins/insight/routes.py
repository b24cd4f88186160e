"""The paths ``/v1/stale``, ``/v1/trends`` and ``/v1/digest``."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import JSONResponse, Response

from autokb.core.findings import FindingStatus
from autokb.web.middleware import compute_report, in_thread
from autokb.web.routes import Editor
from autokb.web.serving import kb_of


async def trends(request: Request, weeks: int | None = None, until: str = "") -> Response:
    """Return what customers ask more than before, new topics since the last build, and the effect of solutions."""
    return JSONResponse(await compute_report(request, lambda: kb_of(request).usage.trends(weeks, until).as_json()))


async def digest(request: Request, since: str) -> Response:
    """Write one page of Markdown about what happened since a day."""
    return JSONResponse(await compute_report(request, lambda: kb_of(request).usage.digest(since).as_json()))


async def stale(request: Request, kind: str = "", settled: bool = False) -> Response:
    """List content that needs attention, of each kind what most readers see first, or what people settled."""
    kb = kb_of(request)
    found = await in_thread(lambda: kb.curation.stale(kind, settled=settled).as_json())
    return JSONResponse(found)


async def settle_finding(request: Request, finding: str, what: FindingStatus, caller: Editor) -> Response:
    """Settle or dismiss a finding, or open it again; it stays so over builds."""
    kb = kb_of(request)
    return JSONResponse(await in_thread(lambda: kb.curation.settle_finding(finding, what, author=caller.key).as_json()))


async def join_trees(request: Request, issue: str, other: str, caller: Editor) -> Response:
    """Join the trees of two issues: they are one from the next build on."""
    kb = kb_of(request)
    return JSONResponse(await in_thread(lambda: kb.curation.join_trees(issue, other, author=caller.key).as_json()))
