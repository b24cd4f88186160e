"""Blind sheets of suggestions in a browser: a case at a time, by any number of people, each under a name of their own.

Who has a key is named by it, so that nobody sees or writes another's marks; at this machine without a key people say
who they are.
"""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from autokb.plugins.lab.evaluation.suggestions.sheet_form import CHOICES, MARKS
from autokb.web.middleware import in_thread
from autokb.web.pages.forms import Text
from autokb.web.pages.rendering import render
from autokb.web.routes import Agent
from autokb.web.serving import kb_of, see_other

PATH = "/evaluation/suggestions"


async def sheets(request: Request, caller: Agent, annotator: str = "") -> Response:
    """Show which sheets there are, and ask who judges where no key says it."""
    names = await in_thread(kb_of(request).evaluate.sheets)
    return render(request, "lab/judging.html", sheets=names, annotator=caller.key or annotator.strip())


async def case(request: Request, caller: Agent, sheet: str, annotator: str = "", item: str = "") -> Response:
    """Show a case that is named, else the first that the annotator has not judged whole."""
    page = await in_thread(lambda: kb_of(request).evaluate.sheet_case(sheet, caller.key or annotator.strip(), item))
    return render(request, "lab/judging_case.html", page=page, choices=CHOICES)


async def judge(request: Request, caller: Agent, sheet: Text, item: Text, annotator: Text = "") -> Response:
    """Save the marks of a case and show the next one."""
    kb = kb_of(request)
    form = await request.form()
    marks = {column: str(form[column]) for column in MARKS if column in form} if "clear" not in form else {}
    page = await in_thread(lambda: kb.evaluate.judge_case(sheet, caller.key or annotator.strip(), item, marks))
    there = {"sheet": sheet, "annotator": page.annotator, "item": page.case.id if page.case else ""}
    return see_other(f"{PATH}/sheet?{urlencode(there)}")
