"""What people and pages read of what was built."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from autokb.app.namespaces.namespace import Namespace
from autokb.core.decisions import find_offers
from autokb.core.errors import UnknownIdError
from autokb.core.forest import Forest
from autokb.core.nouns import DISPLAYED, Issue
from autokb.core.plugins import built_in
from autokb.exchange.export_kb import solutions_by_issue, trees
from autokb.stores.codecs import DOCUMENT, ISSUE
from autokb.stores.database import damaged_rows
from autokb.stores.published import read_changes, read_published
from autokb.text.front_matter import described
from autokb.views.audience import check_shown, is_insider
from autokb.views.browse import check_limit, listed_solution, next_of
from autokb.views.kinds import DocumentView, IssueView, Page, ShownRawIssue, SolutionView, view_issue, view_solution
from autokb.views.show import OrphanedEdit, OrphanedVerdict, ShownKB, find_issue

if TYPE_CHECKING:
    from autokb.core.changes import Changes
    from autokb.core.nouns import Span
    from autokb.core.roles import Role
    from autokb.views.document_page import DocumentPage
    from autokb.views.kinds import Found
    from autokb.views.knowledge import (
        DocumentList,
        FoundKnowledge,
        KnowledgeFilter,
        KnowledgeOverview,
    )
    from autokb.views.knowledge import Kind as KnowledgeKind


class ViewsNamespace(Namespace):
    """What people and pages read of what was built."""

    # Complex: it lists the fields of the view in their order, a comprehension each.
    def show(self, *, most: int | None = None) -> ShownKB:
        """Return the published trees with the number of solutions of each node, and what stands beside them.

        ``most`` keeps the trees that most customers reported; the counts stay those of the whole.
        """
        with self._workspace.file() as file:
            published = read_published(file)
            staged = {kind: len(file.staged(kind)) for kind in ("documents", "issues")}
        kb = published.kb
        counts = {i: sum(s.status in DISPLAYED for s in found) for i, found in solutions_by_issue(kb).items()}
        themes = {s.id: kb.themes[s.theme].name for s in kb.seeds.values() if s.theme in kb.themes}
        everything = list(trees(kb))
        most_reported = sorted(everything, key=lambda t: (-len(t[0].raw_issues), not t[1], t[0].id))[:most]
        chosen = {parent.id for parent, _ in most_reported}
        offers = find_offers(published.decided, kb.issues)

        def node(issue: Issue) -> IssueView:
            return view_issue(issue, "node", len(issue.raw_issues), counts.get(issue.id, 0))

        def tree(parent: Issue, children: list[Issue]) -> IssueView:
            return replace(
                node(parent), level="tree", theme=themes.get(parent.seed), children=tuple(map(node, children))
            )

        return ShownKB(
            domain=self._workspace.spec.name,
            staged=staged,
            documents=len(kb.documents),
            raw_issues=len(published.raw_issues),
            themes=tuple(sorted(theme.name for theme in kb.themes.values())),
            solutions=sum(counts.values()),
            trees=tuple(tree(parent, children) for parent, children in everything if parent.id in chosen),
            trees_in_all=len(everything),
            orphaned_edits=tuple(OrphanedEdit.of(one, offers) for one in published.decided.lost_edits),
            orphaned_verdicts=tuple(
                OrphanedVerdict(o.id, o.solution_id, o.what, o.date, offers.get(o.id))
                for o in published.decided.orphans
                if o.kind == "verdict"
            ),
        )

    def show_issue(self, issue: str) -> IssueView:
        """Return one issue with solutions, evidence and the raw issues behind it.

        ``issue`` is an id or the start of one; BadInputError when none or several fit.
        """
        with self._workspace.file() as file:
            published = read_published(file)
        kb = published.kb
        found = find_issue(kb.issues, issue, self._workspace.folder)
        forest = Forest(kb.issues.values())
        seed = kb.seeds.get(found.seed) or kb.seeds.get(forest.root(found.id).seed)
        theme = kb.themes.get(seed.theme) if seed else None
        titles = {d.id: d.title for d in kb.documents.values()}
        return replace(
            view_issue(found, "node", len(found.raw_issues)),
            level="full",
            theme=theme.name if theme else None,
            seed=found.seed,
            raw_issues=tuple(
                ShownRawIssue(r, published.raw_issues[r].full_text)
                for r in found.raw_issues
                if r in published.raw_issues
            ),
            children=tuple(view_issue(child, "node", len(child.raw_issues)) for child in forest.children(found.id)),
            solutions=tuple(
                view_solution(s, published.decided, titles, "in its issue")
                for s in solutions_by_issue(kb).get(found.id, [])
            ),
        )

    def issues(self, limit: int = 100, after: str = "") -> Page[IssueView]:
        """Return published issues by their ids; ``after`` is the ``next`` of the page before.

        A limit that no page has is a BadInputError.
        """
        check_limit(limit)
        with self._workspace.file() as file, file.snapshot(), damaged_rows("record"):
            found = [ISSUE.read(body, id=i) for i, body in islice(file.records("issue", after), limit + 1)]
        shown = (view_issue(i, "summary", len(i.raw_issues)) for i in found[:limit])
        return Page(tuple(shown), next_of([i.id for i in found], limit))

    def solutions(self, limit: int = 100, after: str = "", *, role: Role = "admin") -> Page[SolutionView]:
        """Return solutions by their ids, as people left them; a ``role`` below agent gets those that are displayed."""
        check_limit(limit)
        with self._workspace.file() as file:
            found = self._solutions.read(file)
        seen = found.ids if is_insider(role) else found.displayed_ids
        start = bisect_right(seen, after)
        ids = seen[start : start + limit + 1]
        return Page(tuple(listed_solution(found, i) for i in ids[:limit]), next_of(ids, limit))

    def solution(self, solution: str, *, role: Role = "admin") -> SolutionView:
        """Return one solution by its id (UnknownIdError; NotForRoleError where the ``role`` does not see it)."""
        with self._workspace.file() as file:
            found = self._solutions.read_with(file, solution)
        if solution not in found.decided.solutions:
            raise UnknownIdError(f"No solution has the id {solution!r}; the list of solutions has those there are.")
        check_shown(found.decided.solutions[solution].status, role)
        return listed_solution(found, solution)

    def documents(self, limit: int = 100, after: str = "") -> Page[DocumentView]:
        """Return published documents by their ids, without their texts."""
        check_limit(limit)
        with self._workspace.file() as file, file.snapshot(), damaged_rows("record"):
            found = [DOCUMENT.read(body, id=i) for i, body in islice(file.records("document", after), limit + 1)]
        shown = tuple(DocumentView(d.id, d.title, d.url) for d in found[:limit])
        return Page(shown, next_of([d.id for d in found], limit))

    def document(self, document: str) -> DocumentView:
        """Return one published document with its text, which evidence refers to (UnknownIdError)."""
        with self._workspace.file() as file, damaged_rows("record"):
            body = file.record("document", document)
            if body is None:
                raise UnknownIdError(
                    f"No published document has the id {document!r}; the list of documents has them all."
                )
            found = DOCUMENT.read(body, id=document)
        said = described(found.text)._asdict()
        return DocumentView(found.id, found.title, found.url, found.text, **said, level="full")

    def changes(self) -> Changes:
        """Return what the last build changed for readers."""
        with self._workspace.file() as file:
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
