"""The resources: themes, issues and documents by their addresses, each as an object of JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, unquote

from mcp_types import ListResourcesResult, Resource, ResourceTemplate

from autokb.app import SupportKB
from autokb.core.errors import UnknownIdError
from autokb.core.roles import Role
from autokb.plugins.mcp.tools import issue_line, known_document, known_issue

SCHEME = "autokb://"
THEMES = f"{SCHEME}themes"
JSON = "application/json"
TREES_OF_A_THEME = 200  # that are listed: the most reported of them
DOCUMENTS_A_PAGE = 100  # of the list of resources, some 20 KB
ADDRESS_CHARACTERS = 4_000  # an id of 1,000 characters has at most four bytes each, of which most are letters
TEMPLATES: Sequence[ResourceTemplate] = (
    ResourceTemplate(
        name="theme", uri_template=f"{THEMES}/{{theme}}", mime_type=JSON, description="The issues of a theme."
    ),
    ResourceTemplate(
        name="issue",
        uri_template=f"{SCHEME}issues/{{issue}}",
        mime_type=JSON,
        description="An issue with its solutions and their evidence.",
    ),
    ResourceTemplate(
        name="document",
        uri_template=f"{SCHEME}documents/{{document}}",
        mime_type=JSON,
        description="A document as Markdown, in whose code points evidence counts.",
    ),
)


def list_resources(kb: SupportKB, after: str) -> ListResourcesResult:
    """Return the themes and then the documents, page by page; ``after`` is the id of the last document before."""
    found = []
    if not after:
        overview = kb.views.overview()
        said = "All themes, and the attributes of customers with their values."
        found.append(Resource(uri=THEMES, name="themes", mime_type=JSON, description=said))
        for theme in overview.themes:
            found.append(Resource(uri=_address("themes", theme.id), name=theme.name, mime_type=JSON))
    page = kb.views.documents(DOCUMENTS_A_PAGE, after)
    for one in page.items:
        found.append(Resource(uri=_address("documents", one.id), name=one.id, title=one.title, mime_type=JSON))
    return ListResourcesResult(resources=found, next_cursor=page.next)


def _address(kind: str, name: str) -> str:
    return f"{SCHEME}{kind}/{quote(name, safe='')}"


def read_resource(kb: SupportKB, role: Role, uri: str) -> dict[str, Any]:
    """Return what is at an address, as a role sees it (UnknownIdError)."""
    kind, _, name = uri.removeprefix(SCHEME).partition("/")
    name = unquote(name)
    if len(uri) <= ADDRESS_CHARACTERS and uri.startswith(SCHEME):
        if uri == THEMES:
            return _read_themes(kb)
        if kind == "themes" and name:
            return _read_theme(kb, name)
        if kind == "issues" and name:
            return known_issue(kb, role, name).as_json()
        if kind == "documents" and name:
            return known_document(kb, name).as_json()
    raise UnknownIdError("There is no resource at this address; the lists of resources and templates name them.")


def _read_themes(kb: SupportKB) -> dict[str, Any]:
    """Return the themes and all values that the tools take, those that no issue has yet among them."""
    found = kb.views.overview().as_json()
    known = {name: list(one.values) for name, one in kb.workspace.spec.attributes.items()}
    found["values"] = {name: values or found["values"].get(name, []) for name, values in known.items()}
    return found


def _read_theme(kb: SupportKB, theme: str) -> dict[str, Any]:
    wanted = kb.views.filter_for(theme)
    found = kb.views.trees(wanted, 0, TREES_OF_A_THEME)
    issues = [issue_line(one).as_json() for one in found.items]
    return {"id": wanted.theme, "name": found.items[0].theme, "issues": issues, "total": found.total}
