"""What readers saw before and what waits for them: versions compared, rolled back to, a candidate published."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from autokb.answering.answer import Answer
from autokb.app.workspaces import CANDIDATE
from autokb.web.middleware import compute, in_thread
from autokb.web.pages.candidate import COOKIE
from autokb.web.pages.forms import Text
from autokb.web.pages.rendering import render
from autokb.web.pages.review import CHANGES
from autokb.web.routes import AGENT, Editor
from autokb.web.serving import candidate_of, kb_of, root, see_other

pages = APIRouter(include_in_schema=False)


@pages.get("/versions", dependencies=[AGENT])
async def show(request: Request) -> Response:
    """Show the versions that are kept, the newest first, and the candidate."""
    found = await in_thread(kb_of(request).versions.list)
    return render(request, "versions.html", versions=found.versions[::-1], events=found.events[::-1])


@pages.get("/versions/changes", dependencies=[AGENT])
async def changes(request: Request, before: str, after: str) -> Response:
    """Show what readers see otherwise in one version than in another."""
    found = await in_thread(lambda: kb_of(request).versions.diff(before, after).as_json())
    return render(request, "review_changes.html", changes=found, most=CHANGES, before=before, after=after)


@pages.post("/versions/look", dependencies=[AGENT])
async def look(at: Text) -> Response:
    """Have this browser's pages of the knowledge show the candidate, or what readers see again."""
    response = see_other("/knowledge")
    if at == CANDIDATE:
        response.set_cookie(COOKIE, CANDIDATE, httponly=True, samesite="strict", path=f"{root()}/")
    else:
        response.delete_cookie(COOKIE, httponly=True, samesite="strict", path=f"{root()}/")
    return response


@pages.get("/versions/try", dependencies=[AGENT])
async def try_out(request: Request, text: str = "") -> Response:
    """Show what the candidate answers to a question beside what readers get."""
    tried: list[tuple[str, Answer]] = []
    if text.strip():
        beside = await in_thread(lambda: candidate_of(request))
        tried.append(("Readers", await compute(request, lambda: kb_of(request).ask(text, log=False))))
        tried.append(("Candidate", await compute(request, lambda: beside.ask(text, log=False))))
    return render(request, "versions_try.html", text=text, tried=tried)


@pages.post("/versions/rollback")
async def roll_back(request: Request, caller: Editor, number: Annotated[int, Form()]) -> Response:
    """Let readers see an earlier version."""
    await in_thread(lambda: kb_of(request).versions.roll_back(number, author=caller.author))
    return see_other("/versions")


@pages.post("/versions/candidate")
async def settle(
    request: Request, caller: Editor, what: Annotated[Literal["publish", "force", "discard"], Form()], seen: Text = ""
) -> Response:
    """Publish the candidate, also against the gate, or forget it; what the gate refuses is told."""
    kb = kb_of(request)
    if what == "discard":
        await in_thread(lambda: kb.versions.discard(author=caller.author, seen=seen))
        return see_other("/versions")
    force = what == "force"
    done = await in_thread(lambda: kb.versions.publish(author=caller.author, force=force, seen=seen))
    if done.refusal is not None:
        return render(request, "versions_refused.html", 409, refusal=done.refusal, seen=seen)
    return see_other("/versions")
