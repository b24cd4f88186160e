"""What the knowledge base is worth: the report, and the annotators' sheet one solution at a time."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from autokb.web.middleware import in_thread
from autokb.web.pages.forms import Text
from autokb.web.pages.rendering import is_partial, render
from autokb.web.routes import Editor
from autokb.web.serving import kb_of, see_other

ANSWERS = {"yes": True, "no": False, "": None}
BARS = 10  # questions of the picture of what was asked and not answered


async def report(request: Request, whole: bool = False) -> Response:
    """Show the figures; they follow the page, which is there at once, or come with it where no script runs."""
    if not whole and not is_partial(request):
        return render(request, "lab/evaluation.html", report=None)
    kb = kb_of(request)

    def work() -> dict[str, Any]:
        return {
            "report": kb.evaluate.quality().as_json(),
            "sheets": (kb.evaluate.sheet_item("1"), kb.evaluate.sheet_item("2")),
            "asked": kb.usage.in_use().questions.as_json(),
            "gaps": [one for one in kb.usage.gaps().questions if one.kind == "unanswered"][:BARS],
        }

    return render(request, "lab/evaluation.html#figures", **await in_thread(work))


async def sheet(request: Request, annotator: str = "1", item: str = "") -> Response:
    """Show what an annotator has not judged yet."""
    page = await in_thread(lambda: kb_of(request).evaluate.sheet_item(annotator, item))
    return render(request, "lab/evaluation_sheet.html#item", page=page, before="")


async def answer(request: Request, caller: Editor, item: Text, annotator: Text = "1", correct: Text = "") -> Response:
    """Keep an answer and show the next solution."""
    kb = kb_of(request)
    page = await in_thread(lambda: kb.evaluate.annotate(item, annotator, ANSWERS.get(correct), author=caller.key))
    if not is_partial(request):
        return see_other(f"/evaluation/sheet?annotator={page.annotator}")
    return render(request, "lab/evaluation_sheet.html#item", page=page, before=item)
