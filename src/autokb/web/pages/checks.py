"""Questions that must stay right: those there are, what they get now, and what they would get."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from autokb.pipeline.gate.checks import MEASURES, CheckRun
from autokb.web.middleware import compute, in_thread
from autokb.web.pages.forms import Text
from autokb.web.pages.rendering import render
from autokb.web.routes import AGENT, EDITOR
from autokb.web.serving import kb_of, see_other

pages = APIRouter(include_in_schema=False)


@pages.get("/checks", dependencies=[AGENT])
async def show(request: Request) -> Response:
    """Show the checks."""
    return await _show(request)


@pages.post("/checks/run", dependencies=[EDITOR])
async def run(request: Request, of: Text) -> Response:
    """Ask the checks of what readers see, or of the candidate beside it."""
    found = await compute(request, lambda: kb_of(request).checks.run(candidate=of == "candidate"))
    return await _show(request, found, of)


@pages.post("/checks/remove", dependencies=[EDITOR])
async def remove(request: Request, id: Text) -> Response:  # noqa: A002
    """Forget a check."""
    await in_thread(lambda: kb_of(request).checks.remove([id]))
    return see_other("/checks")


async def _show(request: Request, found: CheckRun | None = None, of: str = "readers") -> Response:
    kb = kb_of(request)
    checks = (await in_thread(kb.checks.list)).checks
    results = {one.id: one for one in found.checks} if found else {}
    has_candidate = await in_thread(lambda: kb.versions.has_candidate)
    return render(
        request,
        "checks.html",
        checks=checks,
        run=found,
        of=of,
        results=results,
        measures=MEASURES,
        has_candidate=has_candidate,
    )
