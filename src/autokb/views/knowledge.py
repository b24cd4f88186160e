"""The published knowledge base in memory, as people leaf through it: trees, nodes, solutions, search."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal
from weakref import finalize

from pydantic import Field as Said

from autokb.core.attributes import ANY, Attributes, as_lists
from autokb.core.domain import DomainSpec
from autokb.core.errors import UnknownIdError
from autokb.core.forest import Forest
from autokb.core.nouns import DISPLAYED, Document, Issue, Solution, Span
from autokb.core.results import Result
from autokb.core.roles import Role
from autokb.exchange.export_kb import solutions_by_issue
from autokb.retrieval.read_question import read_values
from autokb.stores.database import damaged_rows, failures_as_sentences
from autokb.stores.published import Published, published_spec, read_decided_anew, read_published
from autokb.stores.type_ahead_index import Entry, TypeAheadIndex, TypedWord, fold
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.masking import mask_for_people
from autokb.text.stemming import stem
from autokb.views.audience import check_shown
from autokb.views.document_page import CitedPassage, DocumentPage, view_document
from autokb.views.kinds import (
    DocumentView,
    Found,
    IssueView,
    ShownRawIssue,
    SolutionView,
    title_line,
    view_issue,
    view_solution,
)
from autokb.views.show import find_issue
from autokb.views.solutions_in_memory import Built

Kind = Literal["issue", "solution", "document", "ticket"]
KINDS: Sequence[Kind] = ("issue", "solution", "document")  # that are searched here; tickets are a plug-in's
SNIPPET_CHARACTERS = 220  # two or three lines of a list
SNIPPED_CHARACTERS = 200_000  # of a text, among which the word of a snippet is looked for
BEFORE_THE_WORD = 60  # characters of a snippet in front of the first word that was found
MOST_ALIKE = 8  # issues of a tree that are named beside the first that was found
MOST_THEMES = 20  # that a refusal names, the largest
MOST_VALUES = 100  # of an attribute that can be chosen from; open ones can have thousands
MOST_RAW_ISSUES = 50  # that are shown of a node: those that a person may read
RAW_ISSUE_CHARACTERS = 1_500  # of each
_HEADING = re.compile(r"(?m)^(#{1,6}[ \t].*?)[ \t#]*$")
_MARKUP = re.compile(r"(?<!\S)(?:#{1,6}|[-*>|]|:?-+:?)(?!\S)|\*\*|`+")  # Markdown that only disturbs in a snippet


@dataclass(frozen=True, slots=True)
class KnowledgeFilter:
    """What is looked at: a theme's id, and of attributes values of which a node names one; Any is one of its own."""

    theme: str = ""
    attributes: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.theme or self.attributes)

    def fits(self, attributes: Mapping[str, Collection[str]]) -> bool:
        """Return whether these attributes have the values."""
        return all(any(v in attributes.get(name, ANY) for v in values) for name, values in self.attributes.items())


@dataclass(frozen=True, slots=True)
class KnownTheme(Result):
    """A theme and how many trees it has."""

    id: str
    name: str
    trees: int


@dataclass(frozen=True, slots=True)
class KnowledgeOverview(Result):
    """What can be chosen from, and how much there is."""

    domain: str
    themes: tuple[KnownTheme, ...]
    values: Mapping[str, list[str]]
    issues: int
    solutions: int
    withheld: int
    documents: int


@dataclass(frozen=True, slots=True)
class FoundItem(Result):
    """One thing that was found; the marks are code points ``[start, end)`` of the title and of the snippet.

    ``issue_id`` and ``issue`` are the node of a solution, ``status`` is that of a solution or a ticket, ``reason`` why
    a solution is not shown.
    """

    kind: Kind
    id: str
    title: str
    snippet: str
    title_marks: tuple[Span, ...]
    snippet_marks: tuple[Span, ...]
    attributes: Mapping[str, list[str]] = field(default_factory=dict)
    issue_id: str = ""
    issue: str = ""
    others: Annotated[
        int,
        Said(
            description="How much else was found that belongs to it: further issues of its tree, or further nodes for "
            "which a solution is written in the same words or under the same title."
        ),
    ] = 0
    status: str = ""
    reason: str = ""
    alike: Annotated[
        tuple[tuple[str, str], ...], Said(description="The first of these further issues: id and text.")
    ] = ()


@dataclass(frozen=True, slots=True)
class FoundKnowledge(Result):
    """What was found, best first; ``totals`` counts each kind, what belongs together (see FoundItem) once."""

    query: str
    totals: Mapping[str, int]
    items: tuple[FoundItem, ...]
    partly: Annotated[
        tuple[int, int] | None,
        Said(
            description="Null if these have all words of the query; else nothing has, and how many of how many of its "
            "words these have."
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class DocumentList(Found[DocumentView]):
    """Some documents by their titles; ``uncited`` counts those that no solution cites."""

    uncited: int


@dataclass
class SearchedKind:
    """What of one kind can be found: the number of each entry in the index, and the texts that it was made of."""

    index: TypeAheadIndex
    numbers: dict[str, int] = field(default_factory=dict)
    ids: dict[int, str] = field(default_factory=dict)
    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    last: int = 0

    def read(self, texts: Mapping[str, tuple[str, str]]) -> dict[tuple[str, str], Entry]:
        """Read the texts that are not found yet, for a quick ``update``."""
        return {said: self.index.read(*said) for i, said in texts.items() if self.texts.get(i) != said}

    # Complex: what is gone, new and kept are differences of the same two mappings.
    def update(
        self, texts: Mapping[str, tuple[str, str]], read: Mapping[tuple[str, str], Entry] | None = None
    ) -> SearchedKind:
        """Return what finds these texts; only those that changed, and were not ``read`` before, are read anew.

        The index is shared with what was before, whose questions under way pass over entries that they do not know.
        """
        gone = [i for i, said in self.texts.items() if texts.get(i) != said]
        new = {i: said for i, said in texts.items() if self.texts.get(i) != said}
        added = {i: self.last + n for n, i in enumerate(new, 1)}
        known = read or {}
        entries = [(added[i], known.get(said) or self.index.read(*said)) for i, said in new.items()]
        self.index.exchange([self.numbers[i] for i in gone], entries)
        numbers = {i: added.get(i) or self.numbers[i] for i in texts}
        return SearchedKind(self.index, numbers, {n: i for i, n in numbers.items()}, dict(texts), self.last + len(new))

    def find(self, query: str) -> list[str]:
        return [self.ids[n] for n in self.index.find(query) if n in self.ids]

    def find_partly(self, query: str) -> list[tuple[str, int]]:
        return [(self.ids[n], words) for n, words in self.index.find_partly(query) if n in self.ids]


@dataclass(frozen=True)
class ReadModel:
    """What one generation published, for people who read it."""

    file: WorkspaceFile
    publication: tuple[int, str]
    published: Published
    spec: DomainSpec
    searched: Mapping[Kind, SearchedKind]
    held: ExitStack

    @property
    def language(self) -> str:
        """The language of the domain, in which words are compared."""
        return self.spec.language

    @property
    def labels(self) -> dict[str, Mapping[str, str]]:
        """What customers call the values of attributes, by attribute and value; of those alone that have labels."""
        return {name: one.labels for name, one in self.spec.attributes.items() if one.labels}

    def is_current(self) -> bool:
        """Return whether nothing was published or decided since it was read, be it of an earlier build."""
        with failures_as_sentences(self.file.path):
            return self.file.is_in_place() and self.file.generation == self.published.generation

    def is_of_latest_build(self) -> bool:
        """Return whether no later build has published anything."""
        with failures_as_sentences(self.file.path):
            return self.file.is_in_place() and self.publication[1] == self.file.publication

    def built(self) -> Built:
        """Return what the build published of solutions."""
        kb, decided = self.published.kb, self.published.decided
        built = {i: one for i, one in decided.base.items() if i not in decided.written}
        return Built(kb.issues, built, {i: one.title for i, one in kb.documents.items()})

    def warm(self) -> None:
        """Work out what the first page would wait for."""
        _ = self.overview, self.citations

    def close(self) -> None:
        """Let go of the file."""
        self.held.close()

    # -- what hangs together -------------------------------------------------------------------------

    @cached_property
    def forest(self) -> Forest[Issue]:
        return Forest(self.published.kb.issues.values())

    @cached_property
    def solutions(self) -> Mapping[str, list[Solution]]:
        """The solutions of each node, best first: those that are shown, in the order of the build."""
        grouped = solutions_by_issue(self.published.kb)
        return {i: sorted(some, key=lambda s: (s.status not in DISPLAYED, s.rank, s.id)) for i, some in grouped.items()}

    @cached_property
    def theme_of(self) -> Mapping[str, str]:
        """The theme's id of each node; the theme is that of the node's seed, else of its root's."""
        kb, found = self.published.kb, {}
        for issue in kb.issues.values():
            seed = kb.seeds.get(issue.seed) or kb.seeds.get(self.forest.root(issue.id).seed)
            found[issue.id] = seed.theme if seed and seed.theme in kb.themes else ""
        return found

    @cached_property
    def reported(self) -> Mapping[str, tuple[str, ...]]:
        """The raw issues behind each node; what landed in a tree stands behind its root too."""
        found = {i: dict.fromkeys(one.raw_issues) for i, one in self.published.kb.issues.items()}
        for raw, place in self.published.raw_places.items():
            if place.get("issue") in found:
                found[place["issue"]][raw] = None
        known = self.published.raw_issues
        return {i: tuple(raw for raw in some if raw in known) for i, some in found.items()}

    @cached_property
    def trees_in_order(self) -> tuple[IssueView, ...]:
        """All trees, those that most customers reported first."""
        made = [self._tree(root) for root in self.forest.roots]
        return tuple(sorted(made, key=lambda t: (-t.reported, -t.displayed_in_tree, t.text.casefold(), t.id)))

    @cached_property
    def citations(self) -> Mapping[str, list[Solution]]:
        """The solutions that cite each document."""
        found: dict[str, list[Solution]] = {}
        for solution in self.published.kb.solutions.values():
            for document in dict.fromkeys(e.document for e in solution.evidence):
                found.setdefault(document, []).append(solution)
        return found

    @cached_property
    def overview(self) -> KnowledgeOverview:
        kb = self.published.kb
        counts = Counter(tree.theme_id for tree in self.trees_in_order)
        themes = [KnownTheme(t.id, t.name, counts[t.id]) for t in kb.themes.values() if counts[t.id]]
        shown = sum(s.status in DISPLAYED for s in kb.solutions.values())
        return KnowledgeOverview(
            domain=self.spec.name,
            themes=tuple(sorted(themes, key=lambda t: (-t.trees, t.name.casefold(), t.id))),
            values=self._values(),
            issues=len(kb.issues),
            solutions=shown,
            withheld=len(kb.solutions) - shown,
            documents=len(kb.documents),
        )

    # Complex: values are counted over issues and solutions, cut to the frequent ones and put into the domain's order.
    def _values(self) -> dict[str, list[str]]:
        """Return the values that nodes and solutions name, of closed attributes in the order of the domain."""
        counts: dict[str, Counter[str]] = {name: Counter() for name in self.spec.attributes}
        said_of: list[Attributes] = [one.attributes for one in self.published.kb.issues.values()]
        said_of += [one.attributes for one in self.published.kb.solutions.values()]
        for attributes in said_of:
            for name, values in attributes.items():
                if values != ANY and name in counts:
                    counts[name].update(values)
        found = {}
        for name, said in counts.items():
            order = {value: n for n, value in enumerate(self.spec.attributes[name].values)}
            common = [value for value, _ in sorted(said.items(), key=lambda one: (-one[1], one[0]))[:MOST_VALUES]]
            found[name] = sorted(common, key=lambda value: (order.get(value, len(order)), value))
        return {name: values for name, values in found.items() if values}

    def _tree(self, root: Issue) -> IssueView:
        below = (n for n in self.forest.subtree(root.id) if n is not root)
        nodes = sorted(below, key=lambda n: (n.text.casefold(), n.id))
        return replace(self._with_theme(root), level="tree", children=tuple(map(self.node, nodes)))

    def _with_theme(self, issue: Issue) -> IssueView:
        theme = self.theme_of[issue.id]
        name = self.published.kb.themes[theme].name if theme else ""
        return replace(self.node(issue), theme=name, theme_id=theme)

    def node(self, issue: Issue) -> IssueView:
        """Return a node with how many customers stand behind it and how many solutions it shows."""
        solutions = self.solutions.get(issue.id, ())
        shown = sum(s.status in DISPLAYED for s in solutions)
        return view_issue(issue, "node", len(self.reported[issue.id]), shown, len(solutions) - shown)

    # -- what is looked at -----------------------------------------------------------------------------

    def filter_for(self, theme: str, attributes: Mapping[str, Sequence[str]]) -> KnowledgeFilter:
        """Return what keeps a theme, given by its id or name, and what holds for a customer with these values.

        That is what holds for all, too. BadInputError for values that ``ask`` refuses, UnknownIdError for a theme.
        """
        known = {name: values for name, values in read_values(self.spec, attributes).items() if values != ANY}
        return KnowledgeFilter(theme and self._theme_named(theme), {n: sorted(v | ANY) for n, v in known.items()})

    def _theme_named(self, theme: str) -> str:
        themes = self.overview.themes
        for one in themes:
            if theme.casefold() in (one.id.casefold(), one.name.casefold()):
                return one.id
        names = ", ".join(one.name for one in themes[:MOST_THEMES]) or "none"
        more = f" and {len(themes) - MOST_THEMES} more" if len(themes) > MOST_THEMES else ""
        raise UnknownIdError(f"There is no theme {theme!r}; there are: {names}{more}.")

    def trees(self, wanted: KnowledgeFilter, first: int, most: int) -> Found[IssueView]:
        """Return the trees of a theme that have a node with the values, from the ``first`` on."""
        fitting = [tree for tree in self.trees_in_order if self._has(tree, wanted)]
        return Found(tuple(fitting[first : first + most]), len(fitting))

    def _has(self, tree: IssueView, wanted: KnowledgeFilter) -> bool:
        if wanted.theme and tree.theme_id != wanted.theme:
            return False
        return any(wanted.fits(node.attributes) for node in (tree, *tree.children))

    def issue(self, wanted: str) -> IssueView:
        """Return one node with its tree, its solutions (best first) and what customers wrote, private data masked.

        ``wanted`` is its id or the first letters of it (UnknownIdError, BadInputError where several have them).
        """
        issue = find_issue(self.published.kb.issues, wanted)
        issue_id = issue.id
        tree, texts = self.forest.subtree(self.forest.root(issue_id).id), self.published.raw_issues
        raw = self.reported[issue_id][:MOST_RAW_ISSUES]
        return replace(
            self._with_theme(issue),
            level="full",
            path=tuple(map(self.node, reversed(list(self.forest.ancestors(issue_id))))),
            tree=tuple((sum(1 for _ in self.forest.ancestors(n.id)), self.node(n)) for n in tree),
            children=tuple(
                replace(self.node(n), solutions=self._solutions_of(n.id))
                for n in self.forest.subtree(issue_id)
                if n is not issue
            ),
            solutions=self._solutions_of(issue_id),
            raw_issues=tuple(ShownRawIssue(r, masked(texts[r].as_told().full_text, self.language)) for r in raw),
        )

    def _solutions_of(self, issue_id: str) -> tuple[SolutionView, ...]:
        return tuple(map(self._listed, self.solutions.get(issue_id, ())))

    def solution(self, solution_id: str, role: Role) -> tuple[SolutionView, IssueView]:
        """Return one solution and its node (UnknownIdError; NotForRoleError where a role does not see it)."""
        solution = self.published.kb.solutions.get(solution_id)
        if solution is None:
            raise UnknownIdError(f"No solution has the id {solution_id!r}; the list of solutions has those there are.")
        check_shown(solution.status, role)
        return self._listed(solution), self._with_theme(self.published.kb.issues[solution.issue_id])

    def _listed(self, solution: Solution) -> SolutionView:
        cited = dict.fromkeys(e.document for e in solution.evidence)
        titles = {i: self.published.kb.documents[i].title for i in cited if i in self.published.kb.documents}
        return view_solution(solution, self.published.decided, titles)

    def documents(self, query: str, first: int, most: int, *, uncited: bool = False) -> DocumentList:
        """Return documents by their titles, those that a query finds best first."""
        kb = self.published.kb
        missing = sum(i not in self.citations for i in kb.documents)
        by_title = sorted(kb.documents, key=lambda i: (kb.documents[i].title.casefold(), i))
        ids = self.searched["document"].find(query) if query.strip() else by_title
        ids = [i for i in ids if not uncited or i not in self.citations]
        shown = (kb.documents[i] for i in ids[first : first + most])
        found = (
            DocumentView(d.id, d.title, d.url, characters=len(d.text), solutions=len(self.citations.get(d.id, ())))
            for d in shown
        )
        return DocumentList(tuple(found), len(ids), missing)

    def document(self, document_id: str, asked: Sequence[Span] = (), page: int | None = None) -> DocumentPage:
        """Return one page of a published document, with the passages that solutions cite marked in it.

        ``asked`` are spans of characters to highlight; the page is that of the first one where ``page`` is None.
        UnknownIdError where no published document has the id.
        """
        document = self._document(document_id)
        document_id = document.id
        cited = [
            CitedPassage(
                s.id,
                title_line(s),
                s.status,
                tuple((e.start, e.end) for e in s.evidence if e.document == document_id),
                self.published.kb.issues[s.issue_id].text,
                s.reason,
            )
            for s in self.citations.get(document_id, ())
        ]
        return view_document(document, cited, asked, page)

    def _document(self, document_id: str) -> Document:
        documents = self.published.kb.documents
        if document_id in documents:
            return documents[document_id]
        same = [i for i in documents if i.casefold() == document_id.casefold()]
        if len(same) != 1:
            raise UnknownIdError(
                f"No published document has the id {document_id!r}; the list of documents has them all."
            )
        return documents[same[0]]

    # -- search --------------------------------------------------------------------------------------

    # Complex: how many words the best result has, over all kinds, decides what each of them shows.
    def search(
        self,
        query: str,
        wanted: KnowledgeFilter,
        kinds: Collection[Kind],
        first: int,
        most: int,
        *,
        withheld: bool,
        partly: bool = False,
    ) -> FoundKnowledge:
        """Return what has all words of a query, whole or begun: ``most`` of each kind, from the ``first`` on.

        Documents have no theme, and hold for all customers; ``withheld`` lets solutions be found that nobody is shown.
        ``partly`` returns what has most of the words instead, at least half of them.
        """
        words = self.searched["issue"].index.typed(query)
        totals: dict[str, int] = {}
        items: list[FoundItem] = []
        found = {kind: self._matches(kind, query, wanted, len(words), withheld, partly) for kind in KINDS}
        best = max((n for some in found.values() for _, n in some), default=0)
        for kind in KINDS:
            ids = [i for i, n in found[kind] if n == best and 2 * n >= len(words)]
            joined = self._join_alike(kind, ids)
            totals[kind] = len(joined)
            for i in list(joined)[first : first + most] if kind in kinds else ():
                named = joined[i][:MOST_ALIKE] if kind == "issue" else ()
                alike = tuple((one, self.published.kb.issues[one].text) for one in named)
                items.append(replace(self._found(kind, i, words), others=len(joined[i]), alike=alike))
        return FoundKnowledge(
            query, totals, tuple(items), (best, len(words)) if partly and any(totals.values()) else None
        )

    def _matches(
        self, kind: Kind, query: str, wanted: KnowledgeFilter, words: int, withheld: bool, partly: bool
    ) -> list[tuple[str, int]]:
        """Return what of a kind may be shown and has words of a query, with how many: all, or ``partly`` any."""
        searched = self.searched[kind]
        found = searched.find_partly(query) if partly else [(i, words) for i in searched.find(query)]
        if wanted or not withheld:
            return [(i, n) for i, n in found if self._is_wanted(kind, i, wanted, withheld)]
        return found

    def _join_alike(self, kind: Kind, ids: Iterable[str]) -> dict[str, list[str]]:
        """Return the first of what belongs together for a reader, in its order, with the others."""
        kb, first, joined = self.published.kb, dict[tuple[str, ...], str](), dict[str, list[str]]()
        for i in ids:
            looks: list[tuple[str, ...]] = [(i,)]
            if kind == "issue":
                looks = [(self.forest.root(i).id,)]
            elif kind == "solution":
                one = kb.solutions[i]
                looks = [("", one.text), (self.forest.root(one.issue_id).id, title_line(one))]
            known = next((first[look] for look in looks if look in first), i)
            for look in looks:
                first.setdefault(look, known)
            if known == i:
                joined[i] = []
            else:
                joined[known].append(i)
        return joined

    def _is_wanted(self, kind: Kind, item: str, wanted: KnowledgeFilter, withheld: bool) -> bool:
        kb = self.published.kb
        if kind == "document":
            return not wanted.theme and wanted.fits({})
        if kind == "solution":
            solution = kb.solutions[item]
            if not withheld and solution.status not in DISPLAYED:
                return False
            return self._fits(solution.issue_id, solution.attributes, wanted)
        return self._fits(item, kb.issues[item].attributes, wanted)

    def _fits(self, issue_id: str, attributes: Attributes, wanted: KnowledgeFilter) -> bool:
        if wanted.theme and self.theme_of[issue_id] != wanted.theme:
            return False
        return wanted.fits(attributes)

    def _found(self, kind: Kind, item: str, words: Sequence[TypedWord]) -> FoundItem:
        kb = self.published.kb
        more: dict[str, Any] = {}
        if kind == "issue":
            title, snippet = kb.issues[item].text, ""
            more = {"attributes": as_lists(kb.issues[item].attributes)}
        elif kind == "solution":
            one = kb.solutions[item]
            title, snippet = title_line(one), snippet_of(" ".join(one.steps), words)
            reason = "" if one.status in DISPLAYED else one.reason
            node = {"issue_id": one.issue_id, "issue": kb.issues[one.issue_id].text}
            more = {"attributes": as_lists(one.attributes), **node, "status": one.status, "reason": reason}
        else:
            document = kb.documents[item]
            title, snippet = document.title or document.id, snippet_of(document.text, words, document.title)
        in_title, in_snippet = (find_words(text, words, self.language) for text in (title, snippet))
        return FoundItem(kind, item, title, snippet, in_title, in_snippet, **more)


@dataclass(frozen=True)
class ReadKnowledge:
    """What was read of the file beside those who leaf through what was published before; nothing is found in it yet."""

    model: ReadModel
    texts: Mapping[Kind, Mapping[str, tuple[str, str]]]
    entries: Mapping[Kind, Mapping[tuple[str, str], Entry]]

    def open(self, before: ReadModel | None) -> ReadModel:
        """Put it in the place of what is open, whose search it takes over and changes."""
        searched = _searched(before, self.model.language)
        found = {kind: searched[kind].update(some, self.entries[kind]) for kind, some in self.texts.items()}
        opened = replace(self.model, searched=found)
        finalize(opened, opened.held.close)
        return opened


def read_knowledge(
    workspace: Workspace, before: ReadModel | None = None, *, keeps_build: bool = False
) -> ReadKnowledge:
    """Read what is published; what is as it was ``before`` is not read again.

    Where it ``keeps_build``, that is the build of ``before``, while a later one is read beside, with what people
    decided since.
    """
    with failures_as_sentences(workspace.knowledge_path), ExitStack() as stack:
        file = workspace.open_file()
        stack.callback(file.close)
        with file.snapshot(), damaged_rows("record"):
            publication = (file.inode, file.publication)
            if before and keeps_build and before.publication[0] == file.inode:
                publication = before.publication
            is_same = before is not None and before.publication == publication
            published = read_decided_anew(file, before.published) if before and is_same else read_published(file)
        spec = published_spec(workspace, published)
        kb = published.kb
        texts: dict[Kind, dict[str, tuple[str, str]]] = {
            "issue": {i: (one.text, "") for i, one in kb.issues.items()},
            "solution": {i: (title_line(one), "\n".join(one.steps)) for i, one in kb.solutions.items()},
            "document": {i: (one.title, one.text) for i, one in kb.documents.items()},
        }
        searched = _searched(before, spec.language)
        entries = {kind: searched[kind].read(some) for kind, some in texts.items()}
        return ReadKnowledge(ReadModel(file, publication, published, spec, {}, stack.pop_all()), texts, entries)


def open_knowledge(workspace: Workspace, before: ReadModel | None = None, *, keeps_build: bool = False) -> ReadModel:
    """Put what is published into memory (``read_knowledge``)."""
    return read_knowledge(workspace, before, keeps_build=keeps_build).open(before)


def _searched(before: ReadModel | None, language: str) -> Mapping[Kind, SearchedKind]:
    if before and before.language == language:
        return before.searched
    return {kind: SearchedKind(TypeAheadIndex(language)) for kind in KINDS}


def masked(text: str, language: str) -> str:
    """Return the start of a customer's text as it is shown, private data masked before anything of it is cut."""
    (shown,) = mask_for_people([text[: 2 * RAW_ISSUE_CHARACTERS]], language)
    return shown if len(shown) <= RAW_ISSUE_CHARACTERS else shown[:RAW_ISSUE_CHARACTERS].rstrip() + " …"


# Complex: start and end of the part are moved to words one after the other, and marked where they cut.
def snippet_of(text: str, words: Sequence[TypedWord], title: str = "") -> str:
    """Return the part of a text round the first word that is there, whole or begun; else its start.

    It begins and ends between words, and a heading is told from what follows it; one that is the ``title`` is left out.
    """
    wanted = "|".join(re.escape(one.word) for one in words)
    found = re.search(rf"(?<!\w)(?:{wanted})", text[:SNIPPED_CHARACTERS], re.IGNORECASE) if wanted else None
    start = max(0, found.start() - BEFORE_THE_WORD) if found else 0
    if start:
        line = text.rfind("\n", 0, start) + 1
        gap = re.compile(r"\s").search(text, start, start + BEFORE_THE_WORD)
        start = line if text.startswith("#", line) else gap.end() if gap else start
    part = text[start : start + SNIPPET_CHARACTERS + 2 * BEFORE_THE_WORD]
    part = _HEADING.sub(lambda one: _as_sentence(one[1].lstrip("# \t"), title), part)
    part = " ".join(_MARKUP.sub(" ", part).split())
    short = part[:SNIPPET_CHARACTERS]
    if len(part) > len(short) and not part[len(short)].isspace():
        short = short[: short.rfind(" ")] if " " in short else short
    is_cut = len(short) < len(part) or len(text) > start + SNIPPET_CHARACTERS + 2 * BEFORE_THE_WORD
    return ("… " if start else "") + short.rstrip() + (" …" if is_cut else "")


def _as_sentence(heading: str, title: str) -> str:
    """Return a heading with what parts it from the text behind it, nothing where it is the title."""
    if heading.casefold() == title.casefold():
        return ""
    return heading if heading.endswith((".", ":", "?", "!")) else f"{heading}:"


def find_words(text: str, words: Iterable[TypedWord], language: str) -> tuple[Span, ...]:
    """Return where words of a query stand in a text of some lines, in code points."""
    wanted = tuple(words)
    found = []
    for one in re.finditer(r"\w+(?:'\w+)*", text):
        folded, its_stem = _fold_and_stem(one.group(), language)
        if any(typed.begins(folded) or its_stem == typed.stem for typed in wanted):
            found.append(one.span())
    return tuple(found)


@lru_cache(maxsize=20_000)
def _fold_and_stem(word: str, language: str) -> tuple[str, str]:
    return fold(word.casefold()), fold(stem(word.casefold(), language))
