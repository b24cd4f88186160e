"""The paths of the service: each hands its request to one method of ``SupportKB``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.security import HTTPBearer
from starlette.responses import JSONResponse, Response

from autokb import __version__
from autokb.app import SupportKB
from autokb.core.api_keys import Role
from autokb.core.conversations import Message
from autokb.core.errors import NothingPublishedError
from autokb.core.results import Result
from autokb.web.access import Caller, check_role
from autokb.web.door import in_thread
from autokb.web.figures import Figures
from autokb.web.problems import RESPONSES, problem_of
from autokb.web.shapes import LiveConversation, NewFeedback, Question

EVENTS = "text/event-stream"
METRICS = "text/plain; version=0.0.4; charset=utf-8"  # the exposition format of Prometheus as text
bearer = Depends(HTTPBearer(auto_error=False, description="A key that autokb keys create made."))
v1 = APIRouter(prefix="/v1", responses=RESPONSES, dependencies=[bearer])
beside = APIRouter()


def needs(role: Role) -> Any:
    """Return what lets only callers of a role pass."""

    async def check(request: Request) -> Caller | None:
        caller: Caller | None = request.scope["state"]["caller"]
        check_role(caller, role)
        return caller

    return Depends(check)


READER, AGENT, EDITOR = needs("reader"), needs("agent"), needs("editor")


def _kb(request: Request) -> SupportKB:
    kb: SupportKB = request.app.state.kb
    return kb


async def _answer(work: Callable[[], Result]) -> JSONResponse:
    """Return what a method returns as its ``as_json``, worked out beside the event loop."""
    return JSONResponse(await in_thread(lambda: work().as_json()))


@v1.get("/health")
async def health() -> dict[str, str]:
    """Say that the process answers."""
    return {"status": "ok", "version": __version__}


@v1.get("/ready")
async def ready(request: Request) -> Response:
    """Say whether questions can be answered: what is published is in memory."""
    try:
        await in_thread(_kb(request).load)
    except NothingPublishedError as error:
        unready = problem_of(error, request.app.state.folder)
        body = {**json.loads(bytes(unready.body)), "status": 503, "title": "Service Unavailable"}
        return JSONResponse(body, 503, media_type=unready.media_type)
    return JSONResponse({"status": "ready"})


@v1.post("/ask", dependencies=[READER])
async def ask(request: Request, asked: Question) -> Response:
    """Answer a question from what is published."""
    found = await in_thread(lambda: _kb(request).ask(asked.text, asked.attributes, asked.k).as_json())
    _count(request, "/v1/ask", found)
    return JSONResponse(found)


@v1.post("/suggest", dependencies=[AGENT], responses={200: {"content": {EVENTS: {}}}})
async def suggest(request: Request, conversation: LiveConversation) -> Response:
    """Suggest up to three replies to the customer's last message, as JSON or as server-sent events.

    As events each suggestion is one (``suggestion``), and the whole object the last one (``done``).
    """
    said = [Message(one.role, one.text, one.date) for one in conversation.messages]
    strategy, passages = conversation.strategy, conversation.passages
    found = await in_thread(lambda: _kb(request).suggest(said, strategy=strategy, passages=passages).as_json())
    _count(request, "/v1/suggest", found)
    if EVENTS not in request.headers.get("accept", ""):
        return JSONResponse(found)
    events = [*(("suggestion", one) for one in found["suggestions"]), ("done", found)]
    text = "".join(f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n" for name, data in events)
    return Response(text, media_type=EVENTS)


@v1.post("/feedback", dependencies=[AGENT])
async def give_feedback(request: Request, given: NewFeedback) -> Response:
    """Store what became of a suggestion; it is on the disk when this answers. The same feedback is stored once."""
    whole = given.model_dump()
    return await _answer(lambda: _kb(request).give_feedback(**whole))


@v1.get("/feedback", dependencies=[AGENT])
async def feedback(request: Request, limit: int = 100, after: str = "") -> Response:
    """List feedback in the order of its taking."""
    return await _answer(lambda: _kb(request).feedback(limit, after))


@v1.get("/issues", dependencies=[READER])
async def issues(request: Request, limit: int = 100, after: str = "") -> Response:
    """List the nodes of the knowledge base."""
    return await _answer(lambda: _kb(request).issues(limit, after))


@v1.get("/solutions", dependencies=[READER])
async def solutions(request: Request, limit: int = 100, after: str = "") -> Response:
    """List solutions, also those that nobody sees, with what people decided."""
    return await _answer(lambda: _kb(request).solutions(limit, after))


@v1.get("/solutions/{solution:path}", dependencies=[READER])
async def solution(request: Request, solution: str) -> Response:
    """Show one solution."""
    return await _answer(lambda: _kb(request).solution(solution))


@v1.post("/solutions/{solution:path}/approve")
async def approve(request: Request, solution: str, caller: Annotated[Caller, EDITOR]) -> Response:
    """Approve a solution, as its text is now."""
    return await _judge(request, solution, lambda kb: kb.approve([solution], author=caller.key))


@v1.post("/solutions/{solution:path}/reject")
async def reject(request: Request, solution: str, caller: Annotated[Caller, EDITOR]) -> Response:
    """Reject a solution: nobody sees it until that is taken back."""
    return await _judge(request, solution, lambda kb: kb.reject([solution], author=caller.key))


@v1.post("/solutions/{solution:path}/hide")
async def hide(request: Request, solution: str, caller: Annotated[Caller, EDITOR]) -> Response:
    """Hide a solution that is right but not to be shown."""
    return await _judge(request, solution, lambda kb: kb.hide([solution], author=caller.key))


async def _judge(request: Request, solution: str, judge: Callable[[SupportKB], Result]) -> Response:
    """Judge a solution and show it as it is now; its whole id is wanted, not the first letters as in a terminal."""
    kb = _kb(request)

    def judged() -> Result:
        kb.solution(solution)
        judge(kb)
        return kb.solution(solution)

    return await _answer(judged)


@v1.get("/documents", dependencies=[READER])
async def documents(request: Request, limit: int = 100, after: str = "") -> Response:
    """List documents without their texts."""
    return await _answer(lambda: _kb(request).documents(limit, after))


@v1.get("/documents/{document:path}", dependencies=[READER])
async def document(request: Request, document: str) -> Response:
    """Show one document with its text."""
    return await _answer(lambda: _kb(request).document(document))


@v1.get("/tickets", dependencies=[READER])
async def tickets(request: Request, limit: int = 100, after: str = "") -> Response:
    """List past tickets."""
    return await _answer(lambda: _kb(request).tickets(limit, after))


@v1.get("/tickets/{ticket:path}", dependencies=[READER])
async def ticket(request: Request, ticket: str) -> Response:
    """Show one ticket with its sections and links."""
    return await _answer(lambda: _kb(request).show_ticket(ticket))


@beside.get("/metrics", dependencies=[READER], include_in_schema=False)
async def metrics(request: Request) -> Response:
    """Give Prometheus its figures."""
    figures: Figures = request.app.state.figures
    return Response(figures.text(), headers={"content-type": METRICS})


@beside.get("/openapi.json", dependencies=[READER], include_in_schema=False)
async def openapi(request: Request) -> Response:
    """Say what each path takes and gives."""
    return JSONResponse(request.app.openapi())


def _count(request: Request, path: str, found: dict[str, Any]) -> None:
    figures: Figures = request.app.state.figures
    figures.outcomes.labels(path, found["outcome"]).inc()
