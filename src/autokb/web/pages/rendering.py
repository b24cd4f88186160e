"""Templates become pages: every text of a document or a customer is escaped, and no script but ours may run."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import Scope

from autokb.core.plugins import plugins
from autokb.core.roles import ROLES, Role, may
from autokb.core.step_numbers import step_numbers
from autokb.plugin import Page, Plugin
from autokb.text.control_characters import CONTROL_CHARACTER
from autokb.views.reader_labels import attribute_label, for_whom, how_sure
from autokb.web.access import COOKIE, EMBED, Caller
from autokb.web.serving import kb_of, path_of, root, see_other, workspace_name

# Nothing comes from elsewhere and nothing inline runs, whatever a document's text manages to put on a page.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# The ask box stands in pages of other sites, and has no script at all.
EMBEDDED = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors {origins}"
HEADERS = {"Content-Security-Policy": POLICY, "Referrer-Policy": "same-origin", "Vary": "HX-Request"}
TEMPLATES = Environment(
    loader=PackageLoader("autokb.web.pages"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_WORD = re.compile(r"\w+")
_HEADING_MARKS = re.compile(r"(?m)^ {0,3}#{1,6}[ \t]+")
# The pages in the order of the navigation: path, name, the first role that may open it.
NAVIGATION: tuple[tuple[str, str, Role], ...] = (
    ("/", "Conversation", "agent"),
    ("/ask", "Ask", "reader"),
    ("/knowledge", "Knowledge", "reader"),
    ("/review", "Review", "editor"),
    ("/in-use", "In use", "editor"),
    ("/settings", "Settings", "admin"),
)


LEFT_OUT = set[str]()  # paths of plug-ins that could not be added, so that nothing leads to them


def navigation(on: str = "") -> list[tuple[str, str, Role]]:
    """Return the entries of the menu, with those of plug-ins where they say; or the links to these ``on`` a page."""
    entries = [] if on else list(NAVIGATION)
    ours_first = sorted(plugins(), key=lambda plugin: not plugin.built_in)  # behind whose entries others' may stand
    for page in (page for plugin in ours_first for page in _pages(plugin, on)):
        place = next((n for n, one in enumerate(entries, 1) if one[0] == page.after), len(entries))
        entries.insert(place, (page.path, page.menu, page.role))
    return entries


def _pages(plugin: Plugin, on: str) -> Iterator[Page]:
    return (page for page in plugin.pages if page.menu and page.on == on and page.path not in LEFT_OUT)


def _for_role(entries: list[tuple[str, str, Role]], role: Role | None) -> list[tuple[str, str]]:
    return [(path, name) for path, name, first in entries if role and may(role, first)]


def _finalize(value: Any) -> Any:
    """Show a space for what steers the direction of writing or a terminal; offsets into a text stay."""
    return CONTROL_CHARACTER.sub(" ", value) if isinstance(value, str) and not isinstance(value, Markup) else value


TEMPLATES.finalize = _finalize


def quote_rules(text: str, sentences: Mapping[str, str]) -> str:
    """Put the sentences of rules where a text names them by their ids, which only who wrote the domain knows."""
    for rule in sorted(sentences, key=len, reverse=True):
        said = f"“{sentences[rule].rstrip('.')}”"
        text = re.sub(rf"(?<![\w-]){re.escape(rule)}(?=[:,.])", said.replace("\\", r"\\"), text)
    return text


def says_as(quote: str, step: str) -> bool:
    """Return whether a source has the very words of a step, but for the number or the marks in front of it."""
    said, told = (_WORD.findall(text.casefold()) for text in (quote, step))
    return said == told or (said[:1] != told[:1] and said[1:] == told and said[0].isdigit())


def without_heading_marks(quote: str) -> str:
    """Return a quote without the signs by which Markdown tells a heading, which people read as noise."""
    return _HEADING_MARKS.sub("", quote)


TEMPLATES.filters |= {
    "attribute_label": attribute_label,
    "for_whom": for_whom,
    "how_sure": how_sure,
    "quote_rules": quote_rules,
    "step_numbers": step_numbers,
    "without_heading_marks": without_heading_marks,
}
TEMPLATES.tests["says_as"] = says_as
TEMPLATES.globals["root"] = root


def render(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """Return a page, or its part ``template#block`` where HTMX asked for no more."""
    caller: Caller | None = request.scope.get("state", {}).get("caller")
    role: Role | None = caller.role if caller else None
    at_candidate = bool(request.scope.get("state", {}).get("at_candidate"))  # of which nobody decides anything
    shared = {
        "navigation": _for_role(navigation(), role),
        "links_on": lambda path: _for_role(navigation(path), role),
        "links": _for_role(navigation(path_of(request.scope)), role),
        "here": path_of(request.scope),
        "role": role,
        "roles": ROLES,
        "signed_in": bool(caller and caller.key),
        "at_candidate": at_candidate,
        "may": lambda needed: bool(role and may("agent" if at_candidate else role, needed)),
        "asset": asset_path,
        "workspace": workspace_name(),
        "rule_sentences": _rule_sentences(request),
    }
    name, _, block = template.partition("#")
    found = TEMPLATES.get_template(name)
    if block and is_partial(request):
        context = found.new_context({**shared, **values})
        text = "".join(found.blocks[block](context))
    else:
        text = found.render(**shared, **values)
    return HTMLResponse(text, status, _headers(request))


def _headers(request: Request) -> dict[str, str]:
    state = request.scope.get("state", {})
    if path_of(request.scope) != EMBED or "serving" not in state or state["serving"].opened is None:
        return HEADERS
    origins = " ".join(kb_of(request).workspace.settings.embed.origins)
    return {**HEADERS, "Content-Security-Policy": EMBEDDED.format(origins=origins)} if origins else HEADERS


def _rule_sentences(request: Request) -> dict[str, str]:
    """Return the sentences of the workspace's rules, for who was let in to it."""
    state = request.scope.get("state", {})
    if state.get("caller") is None or state["serving"].opened is None:
        return {}
    return {rule.id: rule.text for rule in kb_of(request).workspace.spec.rules}


def is_partial(request: Request) -> bool:
    """Return whether HTMX asks for a part of a page; a link that it follows for the history wants the whole."""
    return "hx-request" in request.headers and "hx-history-restore-request" not in request.headers


@cache
def read_asset(name: str) -> bytes | None:
    """Return a script or a style sheet, None where there is none of the name."""
    if name == "htmx.js":
        return files("js_lib_htmx").joinpath("static/htmx/htmx.min.js").read_bytes()
    ours = {one.name: one for one in files("autokb.web.pages").joinpath("static").iterdir()}
    return ours[name].read_bytes() if name in ours else None


@cache
def _digest(name: str) -> str:
    data = read_asset(name)
    assert data is not None, name
    return hashlib.sha256(data).hexdigest()[:12]


def asset_path(name: str) -> str:
    """Return the path of a script or a style sheet, another one for another content, so that browsers may keep it."""
    digest = _digest(name)
    return f"{root()}/static/{name}?v={digest}"


# What a customer reads in the ask box, who was told of no key, path or log; by status.
IN_BOX = {
    403: "Your question could not be sent from this page. Please write to us instead.",
    413: "This is too long. Ask in fewer words.",
    422: "This form was not filled in by its page; ask again.",
}
NOT_NOW = "We cannot answer just now. Try again in a minute."


def said_in_box(status: int) -> str:
    """Say to a customer in the ask box that a question was refused with this status."""
    return IN_BOX.get(status, NOT_NOW)


FOR_PROGRAMS = ("/v1/", "/metrics", "/openapi.json")
TITLES = {401: "Sign in", 403: "Not for this key", 404: "Not found", 413: "Too large", 429: "Too many requests"}


def as_page(scope: Scope, problem: Response) -> Response:
    """Return a problem as a page where a browser asks for one; without a key it is the page to sign in."""
    asked = Headers(scope=scope).get("accept", "")
    if path_of(scope).startswith(FOR_PROGRAMS) or "text/html" not in asked:
        return problem  # what asks for JSON, or for no type at all
    if problem.status_code == 401:
        there = f"?{urlencode({'next': _path_of(scope)})}" if scope["method"] == "GET" else ""
        response = see_other(f"/login{there}")
        response.delete_cookie(COOKIE, httponly=True, samesite="strict", path=f"{root()}/")
        return response
    status, request = problem.status_code, Request(scope)
    if path_of(scope) == EMBED and status != 404:  # nobody sees a box that there is not in another site
        page = render(request, "embed_refused.html", status, sentence=said_in_box(status), code=status)
    else:
        title = TITLES.get(status, "That did not work")
        page = render(request, "refusal.html", status, title=title, sentence=json.loads(bytes(problem.body))["detail"])
    if (seconds := problem.headers.get("retry-after")) is not None:
        page.headers["Retry-After"] = seconds
    return page


def _path_of(scope: Scope) -> str:
    query = scope.get("query_string", b"").decode("latin-1")
    path: str = scope["path"]
    return f"{path}?{query}" if query else path
