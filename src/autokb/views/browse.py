"""What is published, a page at a time in the order of ids, and one thing by its id."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import islice

from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.roles import Role
from autokb.stores.codecs import DOCUMENT, ISSUE
from autokb.stores.database import damaged_rows
from autokb.stores.workspace import Workspace
from autokb.text.front_matter import described
from autokb.views.audience import check_shown, is_insider
from autokb.views.kinds import DocumentView, IssueView, Page, SolutionView, view_issue, view_solution
from autokb.views.solutions_in_memory import AllSolutions, SolutionsInMemory

MOST_LISTED = 1_000  # of a page


def list_issues(workspace: Workspace, limit: int, after: str) -> Page[IssueView]:
    """Return a page of the published issues (BadInputError for a limit that no page has)."""
    check_limit(limit)
    with workspace.file() as file, file.snapshot(), damaged_rows("record"):
        found = [ISSUE.read(body, id=i) for i, body in islice(file.records("issue", after), limit + 1)]
    shown = (view_issue(i, "summary", len(i.raw_issues)) for i in found[:limit])
    return Page(tuple(shown), next_of([i.id for i in found], limit))


def list_solutions(
    workspace: Workspace, memory: SolutionsInMemory, limit: int, after: str, role: Role
) -> Page[SolutionView]:
    """Return a page of the solutions that a role sees, as people left them."""
    check_limit(limit)
    with workspace.file() as file:
        found = memory.read(file)
    seen = found.ids if is_insider(role) else found.displayed_ids
    start = bisect_right(seen, after)
    ids = seen[start : start + limit + 1]
    return Page(tuple(listed_solution(found, i) for i in ids[:limit]), next_of(ids, limit))


def show_solution(workspace: Workspace, memory: SolutionsInMemory, solution: str, role: Role) -> SolutionView:
    """Return one solution as people left it (UnknownIdError; NotForRoleError where a role does not see it)."""
    with workspace.file() as file:
        found = memory.read_with(file, solution)
    if solution not in found.decided.solutions:
        raise UnknownIdError(f"No solution has the id {solution!r}; the list of solutions has those there are.")
    check_shown(found.decided.solutions[solution].status, role)
    return listed_solution(found, solution)


def list_documents(workspace: Workspace, limit: int, after: str) -> Page[DocumentView]:
    """Return a page of the published documents."""
    check_limit(limit)
    with workspace.file() as file, file.snapshot(), damaged_rows("record"):
        found = [DOCUMENT.read(body, id=i) for i, body in islice(file.records("document", after), limit + 1)]
    shown = tuple(DocumentView(d.id, d.title, d.url) for d in found[:limit])
    return Page(shown, next_of([d.id for d in found], limit))


def show_document(workspace: Workspace, document: str) -> DocumentView:
    """Return one published document with its text (UnknownIdError)."""
    with workspace.file() as file, damaged_rows("record"):
        body = file.record("document", document)
        if body is None:
            raise UnknownIdError(f"No published document has the id {document!r}; the list of documents has them all.")
        found = DOCUMENT.read(body, id=document)
    said = described(found.text)._asdict()
    return DocumentView(found.id, found.title, found.url, found.text, **said, level="full")


def check_limit(limit: int) -> None:
    """Refuse a limit that no page has (BadInputError)."""
    if not 1 <= limit <= MOST_LISTED:
        raise BadInputError(f"A page holds 1 to {MOST_LISTED:,} items, not {limit}.")


def next_of(ids: Sequence[str], limit: int) -> str | None:
    """Return the id behind which the next page begins, where more than this page was found."""
    return ids[limit - 1] if len(ids) > limit else None


def listed_solution(found: AllSolutions, solution: str) -> SolutionView:
    """Return a solution with what people decided on it."""
    return view_solution(found.decided.solutions[solution], found.decided, found.built.titles)
