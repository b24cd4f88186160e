"""The paths of the service: each hands its request to one method of ``SupportKB``."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Request
from fastapi.security import HTTPBearer
from starlette.responses import JSONResponse, Response, StreamingResponse

from autokb import __version__
from autokb.answering.answer import Answer
from autokb.app import SupportKB
from autokb.app.api_keys import ApiKeys, CreatedKey
from autokb.app.namespaces.curation import DismissedEdit
from autokb.app.namespaces.versions import Discarded
from autokb.app.settings_in_force import SettingsInForce
from autokb.core.api_keys import ApiKey
from autokb.core.changes import Changes
from autokb.core.checks import CheckList, KeptChecks
from autokb.core.errors import BadInputError, NothingPublishedError
from autokb.core.nouns import Message
from autokb.core.results import Result
from autokb.core.roles import Role
from autokb.curation.review import ReviewPage
from autokb.curation.solution_history import SolutionHistory
from autokb.pipeline.gate.checks import CheckRun
from autokb.usage.gaps import Gaps, SettledGap
from autokb.usage.in_use import InUse
from autokb.usage.outcomes import ReportedOutcome
from autokb.views.audience import is_insider
from autokb.views.kinds import DocumentView, IssueView, SolutionView
from autokb.views.versions import Versions
from autokb.web.access import Caller, check_role
from autokb.web.answers import (
    Alive,
    FeedbackList,
    KeptFeedback,
    Published,
    QuestionAnswer,
    Ready,
    Refused,
    Suggestions,
    page_of,
)
from autokb.web.middleware import compute, in_thread
from autokb.web.problems import RESPONSES, problem_of
from autokb.web.serving import figures_of, folder_of, kb_of, root
from autokb.web.shapes import (
    LiveConversation,
    NewCheck,
    NewFeedback,
    NewKey,
    NewOutcome,
    NewText,
    Question,
    ReadVersion,
)

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

    check.role = role  # type: ignore[attr-defined]  # which docs/draw_roles.py reads
    return Depends(check)


IfMatch = Annotated[str | None, Header(description="The version that was read, in quotes: the ETag of the solution.")]
ID_IN_A_PATH = "The id, percent-encoded: `my page?.md` is `my%20page%3F.md`. Slashes may stay as they are."
DocumentId = Annotated[str, Path(description=ID_IN_A_PATH)]
READER, AGENT, EDITOR, ADMIN = needs("reader"), needs("agent"), needs("editor"), needs("admin")


def _version(if_match: str | None, body: NewText | ReadVersion | None) -> str:
    """Return the version that was read, from the header (RFC 9110, 13.1.1) or else the body."""
    version, header = body.version if body else "", (if_match or "").strip()
    if header in ("", "*"):
        return version
    named = header.removeprefix("W/")  # a proxy that compresses makes it weak
    if len(named) < 3 or named[0] != '"' or named[-1] != '"' or '"' in named[1:-1]:
        raise BadInputError('If-Match takes one version in quotes, such as the ETag that came with the solution: "..."')
    if version and version != named[1:-1]:
        raise BadInputError("If-Match and version name two versions; give one of them.")
    return named[1:-1]


async def _seen(given: ReadVersion | None = None, if_match: IfMatch = None) -> str:
    return _version(if_match, given)


Agent = Annotated[Caller, AGENT]
Editor = Annotated[Caller, EDITOR]
Admin = Annotated[Caller, ADMIN]
Seen = Annotated[str, Depends(_seen)]


def role_of(request: Request) -> Role:
    """Return the role of who sends a request that has passed the check of its path."""
    caller: Caller = request.scope["state"]["caller"]
    return caller.role


async def _answer(work: Callable[[], Result]) -> JSONResponse:
    """Return what a method returns as its ``as_json``, worked out beside the event loop."""
    return JSONResponse(await in_thread(lambda: work().as_json()))


def _seen_by(request: Request, answer: Answer) -> Answer:
    return answer if is_insider(role_of(request)) else answer.for_customers()


@v1.get("/health", response_model=Alive)
async def health() -> dict[str, str]:
    """Say that the process answers."""
    return {"status": "ok", "version": __version__}


@v1.get("/ready", response_model=Ready)
async def ready(request: Request) -> Response:
    """Say whether questions can be answered: the first load is waited for, a later publication is not."""
    try:
        if not (kb := kb_of(request)).is_loaded:
            await in_thread(kb.load)
    except NothingPublishedError as error:
        unready = problem_of(error, folder_of(request))
        body = {**json.loads(bytes(unready.body)), "status": 503, "title": "Service Unavailable"}
        return JSONResponse(body, 503, media_type=unready.media_type)
    return JSONResponse({"status": "ready"})


@v1.post("/ask", response_model=QuestionAnswer, dependencies=[READER], responses={200: {"content": {EVENTS: {}}}})
async def ask(request: Request, asked: Question) -> Response:
    """Answer a question from what is published, as JSON or as server-sent events.

    As events the last one is the answer (``done``); where a model chooses it, the answer that is there without it is
    the one before (``first``).
    """
    loop, told = asyncio.get_running_loop(), asyncio.Queue[Any]()

    def tell(answer: Answer) -> None:
        loop.call_soon_threadsafe(told.put_nowait, _seen_by(request, answer).as_json())

    def work() -> Any:
        kb = kb_of(request)
        options: dict[str, Any] = asked.model_dump(include={"explain", "style"})
        return _seen_by(request, kb.ask(asked.text, asked.attributes, asked.k, **options, first=tell)).as_json()

    if not _wants_events(request):
        found = await compute(request, work)
        _count(request, "/v1/ask", found)
        return JSONResponse(found)
    last, first = asyncio.create_task(compute(request, work)), asyncio.create_task(told.get())

    async def events() -> AsyncIterator[str]:
        try:
            if not first.cancelled():
                yield _event("first", first.result())
            found = await last
            _count(request, "/v1/ask", found)
            yield _event("done", found)
        finally:
            last.cancel()

    try:
        await asyncio.wait((first, last), return_when=asyncio.FIRST_COMPLETED)
        if not first.done():
            first.cancel()
            await last  # what is wrong with a question is said as for any other path
    except BaseException:
        last.cancel()
        raise
    return StreamingResponse(events(), media_type=EVENTS)


def _event(name: str, data: Any) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


@v1.post("/suggest", response_model=Suggestions, dependencies=[AGENT], responses={200: {"content": {EVENTS: {}}}})
async def suggest(request: Request, conversation: LiveConversation) -> Response:
    """Suggest up to three replies to the customer's last message, as JSON or as server-sent events.

    As events each suggestion is one (``suggestion``), and the whole object the last one (``done``).
    """
    said = [Message(one.role, one.text, one.date) for one in conversation.messages]
    options: dict[str, Any] = conversation.model_dump(include={"strategy", "passages", "conversation"})
    found = await compute(request, lambda: kb_of(request).suggest(said, **options).as_json())
    _count(request, "/v1/suggest", found)
    if not _wants_events(request):
        return JSONResponse(found)
    events = [*(("suggestion", one) for one in found["suggestions"]), ("done", found)]
    return Response("".join(_event(name, data) for name, data in events), media_type=EVENTS)


def _wants_events(request: Request) -> bool:
    """Return whether a request names events as what it accepts; as no type but this one is asked for, by no other."""
    for one in ",".join(request.headers.getlist("accept")).lower().split(","):
        kind, *parameters = (part.strip() for part in one.split(";"))
        if kind == EVENTS:
            return not any(re.fullmatch(r"q=0(\.0*)?", parameter) for parameter in parameters)
    return False


@v1.post("/feedback", response_model=KeptFeedback, dependencies=[AGENT])
async def give_feedback(request: Request, given: NewFeedback) -> Response:
    """Store what became of a suggestion; it is on the disk when this answers. The same feedback is stored once."""
    whole = given.model_dump()
    return await _answer(lambda: kb_of(request).usage.give_feedback(**whole))


@v1.get("/feedback", response_model=FeedbackList, dependencies=[AGENT])
async def feedback(request: Request, limit: int = 100, after: str = "") -> Response:
    """List feedback in the order of its taking."""
    return await _answer(lambda: kb_of(request).usage.feedback(limit, after))


@v1.post("/outcomes", response_model=ReportedOutcome, dependencies=[AGENT])
async def report_outcome(request: Request, given: NewOutcome) -> Response:
    """Store how a conversation ended; it is on the disk when this answers. What is null stays as it was."""
    whole = given.model_dump()
    return await _answer(lambda: kb_of(request).usage.report_outcome(**whole))


@v1.get("/in-use", response_model=InUse, dependencies=[EDITOR])
async def in_use(request: Request, since: str = "") -> Response:
    """Show what is made of suggestions and what becomes of conversations, since a day."""
    return await _answer(lambda: kb_of(request).usage.in_use(since))


@v1.get("/gaps", response_model=Gaps, dependencies=[EDITOR])
async def gaps(request: Request, limit: int = 50, newest: bool = False, closed: bool = False) -> Response:
    """List what is lacking: questions nobody could answer, issues without solution, documents nothing cites."""
    return await _answer(lambda: kb_of(request).usage.gaps(limit, newest=newest, closed=closed))


def _add_settling(verb: str, words: str, name: str, **options: bool) -> None:
    @v1.post(f"/gaps/{{gap}}/{verb}", response_model=SettledGap, name=name, description=words)
    async def settle(request: Request, gap: str, caller: Editor) -> Response:
        return await _answer(lambda: kb_of(request).usage.dismiss_gap(gap, author=caller.key, **options))


_add_settling("dismiss", "Close a gap for good.", "dismiss_gap")
_add_settling("done", "Close a gap until it is asked again.", "close_gap", done=True)
_add_settling("undo", "Open a gap again.", "open_gap", undo=True)


@v1.get("/issues", response_model=page_of(IssueView, "summary"), dependencies=[READER])
async def issues(request: Request, limit: int = 100, after: str = "") -> Response:
    """List the nodes of the knowledge base."""
    return await _answer(lambda: kb_of(request).views.issues(limit, after))


@v1.get("/solutions", response_model=page_of(SolutionView), dependencies=[READER])
async def solutions(request: Request, limit: int = 100, after: str = "") -> Response:
    """List solutions with what people decided; for agents and above also those that customers are not shown."""
    return await _answer(lambda: kb_of(request).views.solutions(limit, after, role=role_of(request)))


@v1.get("/solutions/{solution:path}/history", response_model=SolutionHistory, dependencies=[AGENT])
async def history(request: Request, solution: str) -> Response:
    """Show who did what to a solution and when, the newest first."""
    return await _answer(lambda: kb_of(request).curation.history(solution))


@v1.get("/solutions/{solution:path}", response_model=SolutionView, dependencies=[READER])
async def solution(request: Request, solution: str) -> Response:
    """Show one solution; its version is the ETag too."""
    return await _show_after(request, solution, lambda kb: None)


@v1.patch("/solutions/{solution:path}", response_model=SolutionView)
async def edit(request: Request, solution: str, given: NewText, caller: Editor, if_match: IfMatch = None) -> Response:
    """Give a solution another text, or other steps.

    With the version that was read, in the body or as If-Match, nothing is changed where somebody else was faster (412).
    """
    whole = {**given.model_dump(), "version": _version(if_match, given)}
    return await _show_after(request, solution, lambda kb: kb.curation.edit(solution, author=caller.key, **whole))


def _add_decision(verb: str, words: str) -> None:
    @v1.post(f"/solutions/{{solution:path}}/{verb}", response_model=SolutionView, name=verb, description=words)
    async def decide(request: Request, solution: str, caller: Editor, seen: Seen) -> Response:
        def act(kb: SupportKB) -> None:
            getattr(kb.curation, verb)(solution, author=caller.key, version=seen)

        return await _show_after(request, solution, act)


DECISIONS = {
    "approve": "Approve a solution, as its text is now.",
    "reject": "Reject a solution: nobody sees it until that is taken back.",
    "hide": "Hide a solution that is right but not to be shown.",
    "undo": "Take back the newest edit or verdict of a solution; again takes back the one before.",
}
for _verb, _words in DECISIONS.items():
    _add_decision(_verb, _words)


async def _show_after(request: Request, solution: str, act: Callable[[SupportKB], object]) -> Response:
    """Do something with a solution and show it as it is now; its whole id is wanted, not the first letters."""
    kb, role = kb_of(request), role_of(request)

    def done() -> dict[str, Any]:
        kb.views.solution(solution, role=role)
        act(kb)
        return kb.views.solution(solution, role=role).as_json()

    shown = await in_thread(done)
    return JSONResponse(shown, headers={"ETag": f'"{shown["version"]}"'})


@v1.get("/review", response_model=ReviewPage, dependencies=[EDITOR])
async def review(request: Request, limit: int = 100, after: str = "", kind: str = "") -> Response:
    """List what a person should look at, the highest impact first."""
    return await _answer(lambda: kb_of(request).curation.review(limit, after, kind))


@v1.post("/review/{edit:path}/dismiss", response_model=DismissedEdit)
async def dismiss_edit(request: Request, edit: str, caller: Editor) -> Response:
    """Take an edit whose solution is gone out of the queue; it is kept for when the solution returns."""
    return await _answer(lambda: kb_of(request).curation.dismiss_edit(edit, author=caller.key))


@v1.post("/review/{edit:path}/undo", response_model=DismissedEdit)
async def queue_edit(request: Request, edit: str, caller: Editor) -> Response:
    """Put an edit that was dismissed into the queue again."""
    return await _answer(lambda: kb_of(request).curation.dismiss_edit(edit, undo=True, author=caller.key))


@v1.get("/changes", response_model=Changes, dependencies=[AGENT])
async def changes(request: Request) -> Response:
    """Say what the last build changed for readers, with the texts that they no longer see."""
    return await _answer(lambda: kb_of(request).views.changes())


@v1.get("/versions", response_model=Versions, dependencies=[AGENT])
async def versions(request: Request) -> Response:
    """List what readers saw since the oldest version that is kept, and the candidate."""
    return await _answer(lambda: kb_of(request).versions.list())


@v1.get("/versions/diff", response_model=Changes, dependencies=[AGENT])
async def diff(request: Request, before: str, after: str) -> Response:
    """Say what readers see otherwise in one version than in another: numbers, or candidate."""
    return await _answer(lambda: kb_of(request).versions.diff(before, after))


@v1.post("/versions/{number}/rollback", response_model=Published)
async def roll_back(request: Request, number: int, caller: Editor) -> Response:
    """Let readers see an earlier version; what people decided stays."""
    return await _answer(lambda: kb_of(request).versions.roll_back(number, author=caller.author))


@v1.post("/candidate/publish", response_model=Published, responses={409: {"model": Refused}})
async def publish(request: Request, caller: Editor, force: bool = False, seen: str = "") -> Response:
    """Let readers see the candidate if it passes the gate (else 409), or by force, which goes on record.

    ``seen`` is the date of the candidate that is meant; 412 where another has taken its place.
    """
    author = caller.author if force else caller.key
    done = await in_thread(lambda: kb_of(request).versions.publish(author=author, force=force, seen=seen))
    return JSONResponse(done.as_json(), 200 if done.published else 409)


@v1.get("/checks", response_model=CheckList, dependencies=[AGENT])
async def checks(request: Request) -> Response:
    """List the questions that must stay right."""
    return await _answer(lambda: kb_of(request).checks.list())


@v1.post("/checks", response_model=KeptChecks)
async def add_check(request: Request, given: NewCheck, caller: Editor) -> Response:
    """Keep a check, in the place of one with its id."""
    check = {"author": caller.key, **given.model_dump(exclude_defaults=True)}
    return await _answer(lambda: kb_of(request).checks.add_one(check))


@v1.post("/checks/run", response_model=CheckRun, dependencies=[EDITOR])
async def run_checks(request: Request, candidate: bool = False) -> Response:
    """Ask the checks, offline, of what readers see, or of the candidate beside it."""
    found = await compute(request, lambda: kb_of(request).checks.run(candidate=candidate))
    return JSONResponse(found.as_json())


@v1.post("/checks/{check:path}/remove", response_model=CheckList, dependencies=[EDITOR])
async def remove_check(request: Request, check: str) -> Response:
    """Forget a check; answers with those that are left."""
    return await _answer(lambda: kb_of(request).checks.remove([check]))


@v1.post("/candidate/discard", response_model=Discarded)
async def discard(request: Request, caller: Editor, seen: str = "") -> Response:
    """Forget the candidate; ``seen`` is the date of the one that is meant, 412 where another has taken its place."""
    return await _answer(lambda: kb_of(request).versions.discard(author=caller.author, seen=seen))


@v1.get("/documents", response_model=page_of(DocumentView, "summary"), dependencies=[READER])
async def documents(request: Request, limit: int = 100, after: str = "") -> Response:
    """List documents without their texts."""
    return await _answer(lambda: kb_of(request).views.documents(limit, after))


@v1.get("/documents/{document:path}", response_model=DocumentView, dependencies=[READER])
async def document(request: Request, document: DocumentId) -> Response:
    """Show one document with its text."""
    return await _answer(lambda: kb_of(request).views.document(document))


@v1.get("/keys", response_model=ApiKeys, dependencies=[ADMIN])
async def keys(request: Request) -> Response:
    """List the keys, revoked ones too, without what they are."""
    return await _answer(lambda: kb_of(request).keys.list())


@v1.post("/keys", response_model=CreatedKey, dependencies=[ADMIN])
async def create_key(request: Request, given: NewKey) -> Response:
    """Create a key; it is shown only once. From the first one on nobody is served without a key."""
    return await _answer(lambda: kb_of(request).keys.create(given.role, given.name))


@v1.post("/keys/{key}/revoke", response_model=ApiKey, dependencies=[ADMIN])
async def revoke_key(request: Request, key: str) -> Response:
    """Let a key count no more, by its id."""
    return await _answer(lambda: kb_of(request).keys.revoke(key))


@v1.get("/settings", response_model=SettingsInForce, dependencies=[ADMIN])
async def settings(request: Request) -> Response:
    """Show the settings that the service works by; they are changed in settings.yaml, for its next start."""
    return await _answer(lambda: kb_of(request).settings())


@beside.get("/metrics", dependencies=[READER], include_in_schema=False)
async def metrics(request: Request) -> Response:
    """Give Prometheus its figures."""
    return Response(figures_of(request).text(), headers={"content-type": METRICS})


@beside.get("/openapi.json", dependencies=[READER], include_in_schema=False)
async def openapi(request: Request) -> Response:
    """Say what each path takes and gives."""
    said: dict[str, Any] = request.app.openapi()
    return JSONResponse({**said, "servers": [{"url": root()}]} if root() else said)


def _count(request: Request, path: str, found: dict[str, Any]) -> None:
    figures_of(request).outcomes.labels(path, found["outcome"]).inc()
