"""What is made of suggestions, what becomes of conversations, and what nobody could answer."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from autokb.core.errors import UnknownIdError
from autokb.views.reader_labels import plain_reason
from autokb.web.middleware import in_thread
from autokb.web.pages.forms import Text
from autokb.web.pages.rendering import is_partial, render
from autokb.web.routes import EDITOR, Editor
from autokb.web.serving import kb_of, see_other

GAPS = 50  # of each list
MOST_TITLES = 3  # of the solutions that did not help with a question
pages = APIRouter(include_in_schema=False)


@pages.get("/in-use", dependencies=[EDITOR])
async def figures(request: Request, since: str = "", whole: bool = False) -> Response:
    """Show the figures of the team; with a full log they take seconds, so that they follow the page."""
    if not (whole or since or is_partial(request)):
        return render(request, "in_use.html", found=None, since=since)
    found = await in_thread(lambda: kb_of(request).usage.in_use(since or None).as_json())
    return render(request, "in_use.html#figures", found=found, since=since)


@pages.get("/in-use/gaps", dependencies=[EDITOR])
async def gaps(request: Request, newest: bool = False, closed: bool = False) -> Response:
    """Show what the knowledge base lacks, as a queue."""
    kb = kb_of(request)

    def work() -> dict[str, Any]:
        found = kb.usage.gaps(GAPS, newest=newest, closed=closed)
        titles = {}
        for solution in {one for gap in found.questions for one in gap.solutions[:MOST_TITLES]}:
            with suppress(UnknownIdError):  # a later build has dropped it
                titles[solution] = kb.views.known_solution(solution)[0].title
        return {"gaps": found.as_json(), "titles": titles, "why": plain_reason}

    return render(request, "gaps.html", **await in_thread(work), newest=newest, closed=closed)


@pages.post("/in-use/gaps")
async def settle(request: Request, caller: Editor, gap: Text, what: Text = "done") -> Response:
    """Close a gap, or open it again."""
    kb = kb_of(request)
    settled = await in_thread(
        lambda: kb.usage.dismiss_gap(gap, done=what == "done", undo=what == "open", author=caller.key).as_json()
    )
    if not is_partial(request):
        return see_other("/in-use/gaps")
    return render(request, "gap_settled.html", settled=settled)
