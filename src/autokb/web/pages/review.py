"""The editor's queue: solutions by impact, approved, edited, rejected, hidden and taken back, with their history."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from autokb.core.errors import BadInputError, ChangedMeanwhileError
from autokb.web.middleware import in_thread
from autokb.web.pages.forms import Text
from autokb.web.pages.rendering import is_partial, render
from autokb.web.problems import ProblemError
from autokb.web.routes import AGENT, DECISIONS, EDITOR, Editor
from autokb.web.serving import kb_of, root, see_other

ITEMS = 15  # of a page: with long solutions and what they cite they stay under 150 kB
CHANGES = 50  # of a kind: after a first build all is new, and a page has to stay under 150 kB
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


@pages.get("/review", dependencies=[EDITOR])
async def queue(request: Request, kind: str = "", after: str = "") -> Response:
    """Show what a person should look at first."""
    page = await in_thread(lambda: kb_of(request).curation.review(ITEMS, after, kind).as_json())
    further = f"{root()}/review?{urlencode({'kind': kind, 'after': page['next']})}" if page["next"] else None
    return render(request, "review.html#queue", page=page, kind=kind, kinds=KINDS, further=further, is_first=not after)


@pages.post("/review/judge")
async def judge(request: Request, caller: Editor, solution: Text, verb: Text, version: Text = "") -> Response:
    """Approve, reject, hide or take back, where nobody was faster; shows the solution as it is now."""
    kb = kb_of(request)
    if verb not in DECISIONS:
        raise ProblemError(422, f"One can {', '.join(DECISIONS)} a solution.")

    def done() -> dict[str, Any]:
        getattr(kb.curation, verb)(solution, author=caller.key, version=version)
        return kb.views.solution(solution).as_json()

    shown = await in_thread(done)
    if not is_partial(request):
        return see_other(f"/review/solution?{urlencode({'solution': solution})}")
    return render(request, "review_done.html", solution=shown)


@pages.post("/review/place")
async def place(request: Request, caller: Editor, edit: Text) -> Response:
    """Give an edit whose solution is gone to the one that it is offered for."""
    judged = await in_thread(lambda: kb_of(request).curation.approve([edit], author=caller.key))
    return see_other(f"/review/solution?{urlencode({'solution': judged.solutions[0].id})}")


@pages.post("/review/dismiss")
async def dismiss(request: Request, caller: Editor, edit: Text, what: Text = "dismiss") -> Response:
    """Take an edit whose solution is gone out of the queue, or put it there again."""
    kb = kb_of(request)
    done = await in_thread(lambda: kb.curation.dismiss_edit(edit, undo=what == "undo", author=caller.key).as_json())
    return render(request, "review_dismissed.html#item", done=done)


@pages.get("/review/solution", dependencies=[EDITOR])
async def solution(request: Request, solution: str) -> Response:
    """Show a solution to be edited, with what it cites and its history."""
    return await _form(request, solution)


@pages.post("/review/solution")
async def edit(request: Request, caller: Editor, solution: Text, text: Text = "", version: Text = "") -> Response:
    """Save a person's text of a solution.

    412 with both texts where somebody else saved one since the form was opened, 422 where the text breaks a rule or
    cannot be read; the form then keeps what was written.
    """
    whole = text.replace("\r\n", "\n").strip()
    try:
        await in_thread(lambda: kb_of(request).curation.edit(solution, whole, author=caller.key, version=version))
    except ChangedMeanwhileError as error:
        return await _form(request, solution, written=whole, problem=str(error), status=412)
    except BadInputError as error:
        return await _form(request, solution, written=whole, problem=str(error), status=422)
    return see_other(f"/review/solution?{urlencode({'solution': solution, 'kept': 1})}")


@pages.get("/review/changes", dependencies=[AGENT])
async def changes(request: Request) -> Response:
    """Show what the last build changed for readers."""
    found = await in_thread(lambda: kb_of(request).views.changes().as_json())
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
