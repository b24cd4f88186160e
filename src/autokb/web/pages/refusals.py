"""What a browser is shown instead of problem+json."""

from __future__ import annotations

import json
from urllib.parse import urlencode

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from autokb.web.access import COOKIE
from autokb.web.pages.rendering import render

FOR_PROGRAMS = ("/v1/", "/metrics", "/openapi.json")
TITLES = {401: "Sign in", 403: "Not for this key", 404: "Not found", 413: "Too large", 429: "Too many requests"}


def as_page(scope: Scope, problem: Response) -> Response:
    """Return a problem as a page where a browser asks for one; without a key it is the page to sign in."""
    asked = Headers(scope=scope).get("accept", "")
    if scope["path"].startswith(FOR_PROGRAMS) or "text/html" not in asked:
        return problem  # what asks for JSON, or for no type at all
    if problem.status_code == 401:
        there = f"?{urlencode({'next': _path_of(scope)})}" if scope["method"] == "GET" else ""
        response = RedirectResponse(f"/login{there}", 303)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict", path="/")
        return response
    title = TITLES.get(problem.status_code, "That did not work")
    sentence = json.loads(bytes(problem.body))["detail"]
    return render(Request(scope), "refusal.html", problem.status_code, title=title, sentence=sentence)


def _path_of(scope: Scope) -> str:
    query = scope.get("query_string", b"").decode("latin-1")
    path: str = scope["path"]
    return f"{path}?{query}" if query else path
