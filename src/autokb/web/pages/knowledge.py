"""The knowledge browser: themes, trees, nodes, solutions and documents, and the search over all of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from autokb.core.nouns import DISPLAYED, Span
from autokb.views.audience import is_insider
from autokb.views.knowledge import Kind, KnowledgeFilter
from autokb.web.middleware import in_thread
from autokb.web.pages.candidate import shown_kb
from autokb.web.pages.rendering import render
from autokb.web.routes import READER, role_of
from autokb.web.serving import root

TREES_A_PAGE, RESULTS_A_PAGE, RESULTS_OF_A_KIND, DOCUMENTS_A_PAGE = 20, 20, 5, 50
MOST_PAGES = 1_000_000  # a page number is never larger
SECTION = "/knowledge"  # what of the navigation these pages belong to
OF_ATTRIBUTE = "a."  # in front of an attribute's name in the query of an address
_PLACE = re.compile(r"(\d{1,9})-(\d{1,9})")
Page = Annotated[int, Query(ge=1, le=MOST_PAGES)]
pages = APIRouter(include_in_schema=False, dependencies=[READER])


@pages.get("/knowledge")
async def knowledge(request: Request, q: str = "", theme: str = "", kind: str = "", page: Page = 1) -> Response:
    """Show the trees, or what a search finds; the address says what is looked at."""
    kb, insider = shown_kb(request), _is_insider(request)
    values = {n[len(OF_ATTRIBUTE) :]: v for n, v in request.query_params.items() if n.startswith(OF_ATTRIBUTE) and v}
    wanted, chosen = _wanted(theme, values), kind if kind in get_args(Kind) else ""
    asked = {"q": q.strip(), "theme": theme, "kind": chosen, **{f"{OF_ATTRIBUTE}{n}": v for n, v in values.items()}}
    overview = await in_thread(kb.views.overview)
    shared: dict[str, Any] = {
        "overview": overview,
        "asked": asked,
        "values": values,
        "page": page,
        "link": link_maker(asked),
    }
    shared["unfiltered"] = link_maker({"q": asked["q"], "kind": chosen})()
    if not q.strip():
        first = (page - 1) * TREES_A_PAGE
        found = await in_thread(lambda: kb.views.trees(wanted, first, TREES_A_PAGE))
        response = _page(request, shared, found=None, trees=found, total=found.total, size=TREES_A_PAGE)
    else:
        kinds: Sequence[Any] = (chosen,) if chosen else get_args(Kind)
        most = RESULTS_A_PAGE if chosen else RESULTS_OF_A_KIND
        first = (page - 1) * most if chosen else 0
        results = await in_thread(lambda: kb.views.search(q, wanted, kinds, first, most, withheld=insider))
        total = results.totals.get(chosen, 0)
        response = _page(request, shared, found=results, trees=None, total=total, size=most)
    response.headers["HX-Replace-Url"] = link_maker(asked)(page=page if page > 1 else "")
    return response


def _wanted(theme: str, values: Mapping[str, str]) -> KnowledgeFilter:
    return KnowledgeFilter(theme, {name: [value] for name, value in values.items()})


@pages.get("/issues/{issue:path}")
async def issue(request: Request, issue: str) -> Response:
    """Show a node: its tree, its solutions, what is withheld and why, what customers wrote."""
    kb = shown_kb(request)
    found = await in_thread(lambda: kb.views.known_issue(issue))
    shown = [one for one in found.solutions if one.status in DISPLAYED]
    kept_back = [one for one in found.solutions if one.status not in DISPLAYED]
    insider = _is_insider(request)
    return render(
        request,
        "issue.html",
        at=SECTION,
        issue=found,
        shown=shown,
        kept_back=kept_back,
        insider=insider,
        displayed=DISPLAYED,
    )


@pages.get("/solutions/{solution:path}")
async def solution(request: Request, solution: str) -> Response:
    """Show one solution with all that is known of it."""
    kb, role = shown_kb(request), role_of(request)
    found, node = await in_thread(lambda: kb.views.known_solution(solution, role=role))
    return render(request, "solution.html", at=SECTION, solution=found, issue=node)


@pages.get("/documents")
async def documents(request: Request, q: str = "", uncited: str = "", page: Page = 1) -> Response:
    """List the documents, with how many solutions cite each."""
    kb, asked = shown_kb(request), {"q": q.strip(), "uncited": "1" if uncited else ""}
    first = (page - 1) * DOCUMENTS_A_PAGE
    found = await in_thread(lambda: kb.views.find_documents(q, first, DOCUMENTS_A_PAGE, uncited=bool(uncited)))
    values: dict[str, Any] = {"found": found, "asked": asked, "page": page, "size": DOCUMENTS_A_PAGE}
    response = render(
        request, "documents.html#found", at=SECTION, **values, total=found.total, link=link_maker(asked, "/documents")
    )
    response.headers["HX-Replace-Url"] = link_maker(asked, "/documents")(page=page if page > 1 else "")
    return response


@pages.get("/documents/{document:path}")
async def document(
    request: Request,
    document: str,
    at: Annotated[list[str] | None, Query()] = None,
    page: Page | None = None,
) -> Response:
    """Show a page of a document; ``at`` are places in code points, the first of them is opened."""
    kb, places = shown_kb(request), _places(at or ())
    found = await in_thread(lambda: kb.views.view_document(document, places, page))
    insider = _is_insider(request)
    return render(
        request, "document.html", at=SECTION, document=found, places=places, insider=insider, displayed=DISPLAYED
    )


def _page(request: Request, shared: Mapping[str, Any], **values: Any) -> Response:
    return render(request, "knowledge.html#found", at=SECTION, **shared, **values, kind_names=KIND_NAMES)


KIND_NAMES: Mapping[str, tuple[str, str]] = {
    "issue": ("Issues", "/issues/"),
    "solution": ("Solutions", "/solutions/"),
    "document": ("Documents", "/documents/"),
    "ticket": ("Tickets", "/tickets/"),
}


def link_maker(asked: Mapping[str, str], path: str = "/knowledge") -> Any:
    """Return what makes the address of a page like this one with some values changed; empty ones are left out."""

    def link(**changed: Any) -> str:
        query = {name: value for name, value in {**asked, **changed}.items() if value}
        return f"{root()}{path}?{urlencode(query)}" if query else f"{root()}{path}"

    return link


def _places(at: Sequence[str]) -> tuple[Span, ...]:
    """Read places; what is none is skipped, as a place behind the end of the text is."""
    found = (_PLACE.fullmatch(one) for one in at)
    return tuple((int(one[1]), int(one[2])) for one in found if one)


def _is_insider(request: Request) -> bool:
    return is_insider(role_of(request))
