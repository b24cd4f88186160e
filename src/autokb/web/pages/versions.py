"""What readers saw before and what waits for them: versions compared, rolled back to, a candidate published."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from autokb.app import SupportKB
from autokb.web.access import Caller
from autokb.web.middleware import in_thread
from autokb.web.pages.rendering import render
from autokb.web.pages.review import CHANGES
from autokb.web.routes import needs

AGENTS, EDITORS = needs("agent"), needs("editor")
pages = APIRouter(include_in_schema=False)


@pages.get("/versions", dependencies=[AGENTS])
async def show(request: Request) -> Response:
    """Show the versions that are kept, the newest first, and the candidate."""
    kb: SupportKB = request.app.state.kb
    found = await in_thread(lambda: kb.versions.list().versions)
    return render(request, "versions.html", versions=found[::-1])


@pages.get("/versions/changes", dependencies=[AGENTS])
async def changes(request: Request, before: str, after: str) -> Response:
    """Show what readers see otherwise in one version than in another."""
    kb: SupportKB = request.app.state.kb
    found = await in_thread(lambda: kb.versions.diff(before, after).as_json())
    return render(request, "review_changes.html", changes=found, most=CHANGES, before=before, after=after)


@pages.post("/versions/rollback", dependencies=[EDITORS])
async def roll_back(request: Request, number: Annotated[int, Form()]) -> Response:
    """Let readers see an earlier version."""
    kb: SupportKB = request.app.state.kb
    await in_thread(lambda: kb.versions.roll_back(number))
    return RedirectResponse("/versions", 303)


@pages.post("/versions/candidate")
async def settle(request: Request, caller: Annotated[Caller, EDITORS], what: Annotated[str, Form()]) -> Response:
    """Publish the candidate, or forget it."""
    kb: SupportKB = request.app.state.kb
    if what == "publish":
        await in_thread(lambda: kb.versions.publish(author=caller.key))
    else:
        await in_thread(kb.versions.discard)
    return RedirectResponse("/versions", 303)
