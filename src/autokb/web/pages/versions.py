"""What readers saw before and what waits for them: versions compared, rolled back to, a candidate published."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from autokb.answering.answer import Answer
from autokb.app import SupportKB
from autokb.web.access import Caller
from autokb.web.middleware import compute, in_thread
from autokb.web.pages.candidate import CANDIDATE, COOKIE, candidate_kb
from autokb.web.pages.rendering import render
from autokb.web.pages.review import CHANGES
from autokb.web.routes import needs

OWNER = "who runs the service"  # a caller on this machine, who needs no key
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


@pages.post("/versions/look", dependencies=[AGENTS])
async def look(at: Annotated[str, Form()]) -> Response:
    """Have this browser's pages of the knowledge show the candidate, or what readers see again."""
    response = RedirectResponse("/knowledge", 303)
    if at == CANDIDATE:
        response.set_cookie(COOKIE, CANDIDATE, httponly=True, samesite="strict", path="/")
    else:
        response.delete_cookie(COOKIE, httponly=True, samesite="strict", path="/")
    return response


@pages.get("/versions/try", dependencies=[AGENTS])
async def try_out(request: Request, text: str = "") -> Response:
    """Show what the candidate answers to a question beside what readers get."""
    kb: SupportKB = request.app.state.kb
    tried: list[tuple[str, Answer]] = []
    if text.strip():
        beside = await in_thread(lambda: candidate_kb(request))
        tried.append(("Readers", await compute(request, lambda: kb.ask(text, log=False))))
        tried.append(("Candidate", await compute(request, lambda: beside.ask(text, log=False))))
    return render(request, "versions_try.html", text=text, tried=tried)


@pages.post("/versions/rollback", dependencies=[EDITORS])
async def roll_back(request: Request, number: Annotated[int, Form()]) -> Response:
    """Let readers see an earlier version."""
    kb: SupportKB = request.app.state.kb
    await in_thread(lambda: kb.versions.roll_back(number))
    return RedirectResponse("/versions", 303)


@pages.post("/versions/candidate")
async def settle(
    request: Request,
    caller: Annotated[Caller, EDITORS],
    what: Annotated[Literal["publish", "force", "discard"], Form()],
    seen: Annotated[str, Form()] = "",
) -> Response:
    """Publish the candidate, also against the gate, or forget it; what the gate refuses is told."""
    kb: SupportKB = request.app.state.kb
    if what == "discard":
        await in_thread(kb.versions.discard)
        return RedirectResponse("/versions", 303)
    author, force = caller.key or OWNER, what == "force"
    done = await in_thread(lambda: kb.versions.publish(author=author, force=force, seen=seen))
    if done.refusal is not None:
        return render(request, "versions_refused.html", 409, refusal=done.refusal, seen=seen)
    return RedirectResponse("/versions", 303)
