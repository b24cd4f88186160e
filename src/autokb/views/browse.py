"""What is published, a page at a time in the order of ids, and one thing by its id."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import islice

from autokb.core.api_keys import Role
from autokb.core.attributes import as_lists
from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.results import Result
from autokb.stores.codecs import DOCUMENT, ISSUE
from autokb.stores.database import damaged_rows
from autokb.stores.ticket_tables import list_ticket_ids, read_tickets
from autokb.stores.workspace import Workspace
from autokb.text.masking import mask
from autokb.views.audience import check_shown, is_insider
from autokb.views.show import ShownSolution, shown_solution
from autokb.views.solutions_in_memory import AllSolutions, SolutionsInMemory

MOST_LISTED = 1_000  # of a page


@dataclass(frozen=True, slots=True)
class ListedIssue(Result):
    """A node of the knowledge base; ``raw_issues`` counts what customers reported."""

    id: str
    text: str
    parent_id: str | None
    attributes: dict[str, list[str]]
    raw_issues: int


@dataclass(frozen=True, slots=True)
class ListedSolution(ShownSolution):
    """A solution with the node that it is for."""

    issue_id: str = ""


@dataclass(frozen=True, slots=True)
class ListedDocument(Result):
    """A document without its text."""

    id: str
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class ShownDocument(ListedDocument):
    """A document with its converted Markdown, whose code points evidence counts."""

    text: str


@dataclass(frozen=True, slots=True)
class ListedTicket(Result):
    """A ticket without its sections."""

    id: str
    title: str
    status: str
    created: str
    url: str


@dataclass(frozen=True, slots=True)
class IssuePage(Result):
    """Some issues by their ids; the next page begins behind the id ``next``, None at the end."""

    items: tuple[ListedIssue, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class SolutionPage(Result):
    """Some solutions, likewise."""

    items: tuple[ListedSolution, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class DocumentPage(Result):
    """Some documents, likewise."""

    items: tuple[ListedDocument, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class TicketPage(Result):
    """Some tickets, likewise."""

    items: tuple[ListedTicket, ...]
    next: str | None


def list_issues(workspace: Workspace, limit: int, after: str) -> IssuePage:
    """Return a page of the published issues (BadInputError for a limit that no page has)."""
    check_limit(limit)
    with workspace.file() as file, file.snapshot(), damaged_rows("record"):
        found = [ISSUE.read(body, id=i) for i, body in islice(file.records("issue", after), limit + 1)]
    shown = (ListedIssue(i.id, i.text, i.parent_id, as_lists(i.attributes), len(i.raw_issues)) for i in found[:limit])
    return IssuePage(tuple(shown), _next([i.id for i in found], limit))


def list_solutions(workspace: Workspace, memory: SolutionsInMemory, limit: int, after: str, role: Role) -> SolutionPage:
    """Return a page of the solutions that a role sees, as people left them."""
    check_limit(limit)
    with workspace.file() as file:
        found = memory.read(file)
    seen = found.ids if is_insider(role) else found.displayed_ids
    start = bisect_right(seen, after)
    ids = seen[start : start + limit + 1]
    return SolutionPage(tuple(listed_solution(found, i) for i in ids[:limit]), _next(ids, limit))


def show_solution(workspace: Workspace, memory: SolutionsInMemory, solution: str, role: Role) -> ListedSolution:
    """Return one solution as people left it (UnknownIdError; NotForRoleError where a role does not see it)."""
    with workspace.file() as file:
        found = memory.read_with(file, solution)
    if solution not in found.decided.solutions:
        raise UnknownIdError(f"No solution has the id {solution!r}; the list of solutions has those there are.")
    check_shown(found.decided.solutions[solution].status, role)
    return listed_solution(found, solution)


def list_documents(workspace: Workspace, limit: int, after: str) -> DocumentPage:
    """Return a page of the published documents."""
    check_limit(limit)
    with workspace.file() as file, file.snapshot(), damaged_rows("record"):
        found = [DOCUMENT.read(body, id=i) for i, body in islice(file.records("document", after), limit + 1)]
    shown = tuple(ListedDocument(d.id, d.title, d.url) for d in found[:limit])
    return DocumentPage(shown, _next([d.id for d in found], limit))


def show_document(workspace: Workspace, document: str) -> ShownDocument:
    """Return one published document with its text (UnknownIdError)."""
    with workspace.file() as file, damaged_rows("record"):
        body = file.record("document", document)
        if body is None:
            raise UnknownIdError(f"No published document has the id {document!r}; the list of documents has them all.")
        found = DOCUMENT.read(body, id=document)
    return ShownDocument(found.id, found.title, found.url, found.text)


def list_tickets(workspace: Workspace, limit: int, after: str, role: Role) -> TicketPage:
    """Return a page of the published tickets, for a reader with the private data of their titles masked."""
    check_limit(limit)
    with workspace.file() as file, file.snapshot():
        ids = list_ticket_ids(file, after, limit + 1)
        found = [one.ticket for one in read_tickets(file, ids[:limit]).values()]
    titles = [t.title if is_insider(role) else mask([t.title]).texts[0] for t in found]
    shown = tuple(
        ListedTicket(t.id, title, t.status, t.created, t.url) for t, title in zip(found, titles, strict=False)
    )
    return TicketPage(shown, _next(ids, limit))


def check_limit(limit: int) -> None:
    """Refuse a limit that no page has (BadInputError)."""
    if not 1 <= limit <= MOST_LISTED:
        raise BadInputError(f"A page holds 1 to {MOST_LISTED:,} items, not {limit}.")


def _next(ids: Sequence[str], limit: int) -> str | None:
    """Return the id behind which the next page begins, where more than this page was found."""
    return ids[limit - 1] if len(ids) > limit else None


def listed_solution(found: AllSolutions, solution: str) -> ListedSolution:
    """Return a solution with the node that it is for."""
    one = found.decided.solutions[solution]
    shown = shown_solution(one, found.decided, found.built.titles)
    whole = {field.name: getattr(shown, field.name) for field in fields(shown)}
    return ListedSolution(**whole, issue_id=one.issue_id)
