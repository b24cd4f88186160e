"""What people and pages read of what was built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from autokb.app.doors.memory_door import MemoryDoor
from autokb.core.plugins import built_in

if TYPE_CHECKING:
    from autokb.core.changes import Changes
    from autokb.core.nouns import Span
    from autokb.core.roles import Role
    from autokb.views.document_page import DocumentPage
    from autokb.views.kinds import DocumentView, Found, IssueView, Page, SolutionView
    from autokb.views.knowledge import (
        DocumentList,
        FoundKnowledge,
        KnowledgeFilter,
        KnowledgeOverview,
    )
    from autokb.views.knowledge import Kind as KnowledgeKind
    from autokb.views.show import ShownKB


class ViewsDoor(MemoryDoor):
    """What people and pages read of what was built."""

    def show(self, *, most: int | None = None) -> ShownKB:
        """Return the trees; ``most`` keeps those that most customers reported."""
        from autokb.views.show import show_trees

        return show_trees(self._memory.workspace, most)

    def show_issue(self, issue: str) -> IssueView:
        """Return one issue with its solutions, by its id or the first letters of it."""
        from autokb.views.show import show_issue

        return show_issue(self._memory.workspace, issue)

    def issues(self, limit: int = 100, after: str = "") -> Page[IssueView]:
        """Return published issues by their ids; ``after`` is the ``next`` of the page before."""
        from autokb.views.browse import list_issues

        return list_issues(self._memory.workspace, limit, after)

    def solutions(self, limit: int = 100, after: str = "", *, role: Role = "admin") -> Page[SolutionView]:
        """Return solutions by their ids, as people left them; a ``role`` below agent gets those that are displayed."""
        from autokb.views.browse import list_solutions

        return list_solutions(self._memory.workspace, self._memory.views.solutions, limit, after, role)

    def solution(self, solution: str, *, role: Role = "admin") -> SolutionView:
        """Return one solution by its id (UnknownIdError; NotForRoleError where the ``role`` does not see it)."""
        from autokb.views.browse import show_solution

        return show_solution(self._memory.workspace, self._memory.views.solutions, solution, role)

    def documents(self, limit: int = 100, after: str = "") -> Page[DocumentView]:
        """Return published documents by their ids, without their texts."""
        from autokb.views.browse import list_documents

        return list_documents(self._memory.workspace, limit, after)

    def document(self, document: str) -> DocumentView:
        """Return one published document with its text, which evidence refers to (UnknownIdError)."""
        from autokb.views.browse import show_document

        return show_document(self._memory.workspace, document)

    def changes(self) -> Changes:
        """Return what the last build changed for readers."""
        from autokb.stores.published import read_changes

        with self._memory.workspace.file() as file:
            return read_changes(file)

    def overview(self) -> KnowledgeOverview:
        """Return what there is to leaf through: themes, the values of attributes, counts."""
        return self._memory.views.knowledge().overview

    def labels(self) -> Mapping[str, Mapping[str, str]]:
        """Return what customers call the values of attributes, by attribute and value, as the domain says."""
        return self._memory.views.knowledge().labels

    def trees(self, wanted: KnowledgeFilter | None = None, first: int = 0, most: int = 25) -> Found[IssueView]:
        """Return trees, those that most customers reported first; a filter keeps those of a theme or with values."""
        from autokb.views.knowledge import KnowledgeFilter

        return self._memory.views.knowledge().trees(wanted or KnowledgeFilter(), first, most)

    def filter_for(self, theme: str = "", attributes: Mapping[str, Sequence[str]] | None = None) -> KnowledgeFilter:
        """Return what keeps a theme, by its id or name, and what holds for a customer with these attribute values.

        Values are read as ``ask`` reads them (BadInputError); UnknownIdError names the themes that there are.
        """
        return self._memory.views.knowledge().filter_for(theme, attributes or {})

    def search(
        self,
        query: str,
        wanted: KnowledgeFilter | None = None,
        kinds: Sequence[KnowledgeKind] | KnowledgeKind = ("issue", "solution", "document", "ticket"),
        first: int = 0,
        most: int = 10,
        *,
        withheld: bool = True,
    ) -> FoundKnowledge:
        """Return what has every word of a query, whole or begun: ``most`` of each kind, from the ``first`` on.

        Where nothing has them all, that is what has the most of them, at least half (``partly``), of any kind but
        tickets. A filter leaves tickets out, and documents unless it is one of ``filter_for`` without a theme;
        ``withheld`` also finds solutions that nobody is shown.
        """
        from autokb.views.knowledge import FoundKnowledge, KnowledgeFilter

        kinds = [kinds] if isinstance(kinds, str) else kinds
        filtered, opened = wanted or KnowledgeFilter(), self._memory.views.knowledge()
        found = opened.search(query, filtered, kinds, first, most, withheld=withheld)
        beside = FoundKnowledge(query, {"ticket": 0}, ())
        for kind in () if filtered else built_in("lists"):
            more = self._memory.views.list_of(kind).search(query, first, most if kind in kinds else 0)
            beside = replace(beside, totals={**beside.totals, **more.totals}, items=(*beside.items, *more.items))
        if not any((*found.totals.values(), *beside.totals.values())):
            found = opened.search(query, filtered, kinds, first, most, withheld=withheld, partly=True)
        return replace(found, totals={**found.totals, **beside.totals}, items=(*found.items, *beside.items))

    def known_issue(self, issue: str) -> IssueView:
        """Return a node with its tree, its solutions and what customers wrote, private data masked.

        ``issue`` is its id or the first letters of it (UnknownIdError, BadInputError where several have them).
        """
        return self._memory.views.look_up(lambda opened: opened.issue(issue))

    def known_solution(self, solution: str, *, role: Role = "admin") -> tuple[SolutionView, IssueView]:
        """Return a solution with the node that it is for (UnknownIdError, NotForRoleError)."""
        return self._memory.views.look_up(lambda opened: opened.solution(solution, role))

    def find_documents(self, query: str = "", first: int = 0, most: int = 50, *, uncited: bool = False) -> DocumentList:
        """Return documents by title, or those with every word of a query; ``uncited`` keeps what nothing cites."""
        return self._memory.views.knowledge().documents(query, first, most, uncited=uncited)

    def view_document(self, document: str, places: Sequence[Span] = (), page: int | None = None) -> DocumentPage:
        """Return a page of a document, the one on which the first of some places begins where no page is named."""
        return self._memory.views.look_up(lambda opened: opened.document(document, places, page))

    def load(self, *, follows: bool = False) -> None:
        """Put into memory what people leaf through, so that the first page does not wait.

        Who ``follows`` calls this every second or so: from then on a later build is loaded here, beside, and people
        leaf through the one before until it is there, with what they decide meanwhile.
        """
        self._memory.views.load(follows=follows)
