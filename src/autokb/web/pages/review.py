"""The editor's queue: solutions by impact, approved, edited, rejected, hidden and taken back, with their history."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from autokb.core.errors import BadInputError, ChangedMeanwhileError
from autokb.web.access import Caller
from autokb.web.middleware import in_thread
from autokb.web.pages.rendering import is_partial, render
from autokb.web.problems import ProblemError
from autokb.web.routes import needs
from autokb.web.serving import kb_of, root, see_other

AGENTS, EDITORS = needs("agent"), needs("editor")
ITEMS = 15  # of a page: with long solutions and what they cite they stay under 150 kB
CHANGES = 50  # of a kind: after a first build all is new, and a page has to stay under 150 kB
VERBS = ("approve", "reject", "hide", "undo")
KINDS = {  # of the reasons, as the queue names them to people
    "": "All",
    "source_changed": "Source changed",
    "edit_orphaned": "Edit without solution",
    "withheld": "Withheld",
    "disliked": "Did not help",
    "doubt": "A rule in doubt",
    "rules": "Rules",
    "little_evidence": "Little evidence",
    "waiting": "Waiting for a second person",
    "unreviewed": "Not reviewed",
}
pages = APIRouter(include_in_schema=False)
Text = Annotated[str, Form()]


@pages.get("/review", dependencies=[EDITORS])
async def queue(request: Request, kind: str = "", after: str = "") -> Response:
    """Show what a person should look at first."""
    kb = kb_of(request)
    page = await in_thread(lambda: kb.curation.review(ITEMS, after, kind).as_json())
    further = f"{root()}/review?{urlencode({'kind': kind, 'after': page['next']})}" if page["next"] else None
    return render(request, "review.html#queue", page=page, kind=kind, kinds=KINDS, further=further, is_first=not after)


@pages.post("/review/judge")
async def judge(
    request: Request, caller: Annotated[Caller, EDITORS], solution: Text, verb: Text, version: Text = ""
) -> Response:
    """Approve, reject, hide or take back, where nobody was faster; shows the solution as it is now."""
    kb = kb_of(request)
    if verb not in VERBS:
        raise ProblemError(422, f"One can {', '.join(VERBS)} a solution.")

    def done() -> dict[str, Any]:
        if verb == "undo":
            kb.curation.undo(solution, author=caller.key, version=version)
        else:
            given = {"approve": kb.curation.approve, "reject": kb.curation.reject, "hide": kb.curation.hide}[verb]
            given([solution], author=caller.key, version=version)
        return kb.views.solution(solution).as_json()

    shown = await in_thread(done)
    if not is_partial(request):
        return see_other(f"/review/solution?{urlencode({'solution': solution})}")
    return render(request, "review_done.html", solution=shown)


@pages.post("/review/place")
async def place(request: Request, caller: Annotated[Caller, EDITORS], edit: Text) -> Response:
    """Give an edit whose solution is gone to the one that it is offered for."""
    kb = kb_of(request)
    judged = await in_thread(lambda: kb.curation.approve([edit], author=caller.key))
    return see_other(f"/review/solution?{urlencode({'solution': judged.solutions[0].id})}")


@pages.post("/review/dismiss")
async def dismiss(request: Request, caller: Annotated[Caller, EDITORS], edit: Text, what: Text = "dismiss") -> Response:
    """Take an edit whose solution is gone out of the queue, or put it there again."""
    kb = kb_of(request)
    done = await in_thread(lambda: kb.curation.dismiss_edit(edit, undo=what == "undo", author=caller.key).as_json())
    return render(request, "review_dismissed.html#item", done=done)


@pages.get("/review/solution", dependencies=[EDITORS])
async def solution(request: Request, solution: str) -> Response:
    """Show a solution to be edited, with what it cites and its history."""
    return await _form(request, solution)


@pages.post("/review/solution")
async def edit(
    request: Request, caller: Annotated[Caller, EDITORS], solution: Text, text: Text = "", version: Text = ""
) -> Response:
    """Save a person's text of a solution.

    412 with both texts where somebody else saved one since the form was opened, 422 where the text breaks a rule or
    cannot be read; the form then keeps what was written.
    """
    kb = kb_of(request)
    whole = text.replace("\r\n", "\n").strip()
    try:
        await in_thread(lambda: kb.curation.edit(solution, whole, author=caller.key, version=version))
    except ChangedMeanwhileError as error:
        return await _form(request, solution, written=whole, problem=str(error), status=412)
    except BadInputError as error:
        return await _form(request, solution, written=whole, problem=str(error), status=422)
    return see_other(f"/review/solution?{urlencode({'solution': solution, 'kept': 1})}")


@pages.get("/review/changes", dependencies=[AGENTS])
async def changes(request: Request) -> Response:
    """Show what the last build changed for readers."""
    kb = kb_of(request)
    found = await in_thread(lambda: kb.views.changes().as_json())
    return render(request, "review_changes.html", changes=found, most=CHANGES, before="", after="")


async def _form(
    request: Request, solution: str, *, written: str | None = None, problem: str = "", status: int = 200
) -> Response:
    kb = kb_of(request)
    (found, issue), history = await in_thread(
        lambda: (kb.views.known_solution(solution), kb.curation.history(solution).as_json())
    )
    shown = found.as_json()
    kept = "kept" in request.query_params
    return render(
        request,
        "review_solution.html",
        status,
        solution=shown,
        issue=issue,
        history=history["items"],
        written=shown["text"] if written is None else written,
        problem=problem,
        kept=kept,
    )
