"""What is published as people and programs read it: one type a kind of thing, with a level of detail.

``LEVELS`` says which fields the JSON of each level has, by their names there; the other fields are for pages alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, Generic, Literal, TypeVar

from autokb.core.attributes import as_lists
from autokb.core.decisions import Approval, Decided, solution_mark
from autokb.core.nouns import Evidence, Issue, Solution, Verdict
from autokb.core.results import Listed, Result
from autokb.core.solution_text import heading_of, listed_title
from autokb.notebook.html import html

Levels = Mapping[str, Mapping[str, str]]  # the fields of each level by their names in JSON


class View(Result):
    """A thing at the level of detail that its field ``level`` names."""

    __slots__ = ()
    LEVELS: ClassVar[Levels]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Have pydantic write the fields of the level."""
        from pydantic_core.core_schema import wrap_serializer_function_ser_schema

        def write(view: Any, write_all: Any) -> dict[str, Any]:
            everything = write_all(view)
            return {name: everything[field] for name, field in cls.LEVELS[view.level].items()}

        schema = handler(source)
        handler.resolve_ref_schema(schema)["serialization"] = wrap_serializer_function_ser_schema(write)
        return schema

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> Any:
        """Have an OpenAPI file name the fields of the level ``full``, which are all there."""
        schema = handler(core_schema)
        whole, fields = handler.resolve_ref_schema(schema), cls.LEVELS["full"]
        whole["properties"] = {name: whole["properties"][field] for name, field in fields.items()}
        whole["required"] = list(fields)
        return schema


Kind = TypeVar("Kind", bound=View)


def _fields(*names: str, **renamed: str) -> dict[str, str]:
    return {name: name for name in names} | renamed


@dataclass(frozen=True, slots=True)
class Page(Listed, Result, Generic[Kind]):
    """Some things by their ids; the next page begins behind the id ``next``, None at the end."""

    items: tuple[Kind, ...]
    next: str | None

    def as_json(self) -> dict[str, Any]:
        """Return the page with its things at their levels."""
        return {"items": [one.as_json() for one in self.items], "next": self.next}


@dataclass(frozen=True, slots=True)
class Found(Result, Generic[Kind]):
    """Some things in an order of their own; ``total`` counts all that fit."""

    items: tuple[Kind, ...]
    total: int


@dataclass(frozen=True, slots=True)
class ShownRawIssue(Result):
    """What one customer wrote."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class ShownEvidence(Evidence):
    """A place in a document, with the document's title."""

    title: str


_NODE = _fields("id", "text", "parent_id", "attributes", raw_issues="reported", solutions="displayed")


@dataclass(frozen=True, slots=True)
class IssueView(View):
    """A node: in a list (``summary``), in a tree (``node``), with what is below it (``tree``), or ``full``.

    ``reported`` counts the customers behind it, ``displayed`` the solutions that it shows (None: not counted) and
    ``withheld`` the others. Of a page ``path`` leads to it, ``tree`` has each node of its tree with its depth, and the
    children are all nodes below with their solutions.
    """

    LEVELS: ClassVar[Levels] = {
        "summary": _fields("id", "text", "parent_id", "attributes", raw_issues="reported"),
        "node": _NODE,
        "tree": _NODE | _fields("theme", "children"),
        "full": _fields(
            "id", "text", "parent_id", "attributes", "theme", "seed", "raw_issues", "children", "solutions"
        ),
    }
    id: str
    text: str
    parent_id: str | None
    attributes: Mapping[str, list[str]]
    reported: int = 0
    displayed: int | None = None
    withheld: int = 0
    theme: str | None = None
    theme_id: str = ""
    seed: str = ""
    raw_issues: tuple[ShownRawIssue, ...] = ()
    path: tuple[IssueView, ...] = ()
    tree: tuple[tuple[int, IssueView], ...] = ()
    children: tuple[IssueView, ...] = ()
    solutions: tuple[SolutionView, ...] = ()
    level: Literal["summary", "node", "tree", "full"] = "node"

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The attributes that tell the children from it and from each other: first those with the most values.

        What goes with others is left out.
        """
        fixed = [{n for n, v in child.attributes.items() if v != self.attributes.get(n)} for child in self.children]
        shared = Counter(chain.from_iterable(fixed))
        values = {n: {tuple(child.attributes.get(n, ())) for child in self.children} for n in shared}
        found: list[str] = []
        for name in sorted(values, key=lambda n: (-len(values[n]), -shared[n], n)):
            if any(name in names and names.isdisjoint(found) for names in fixed):
                found.append(name)
        return tuple(found)

    @property
    def displayed_in_tree(self) -> int:
        """How many solutions it and what is below it show."""
        return sum(one.displayed or 0 for one in (self, *self.children))

    @property
    def withheld_in_tree(self) -> int:
        """How many others it and what is below it have."""
        return sum(one.withheld for one in (self, *self.children))

    def _repr_html_(self) -> str:
        return html("issue", issue=self)


_IN_ISSUE = _fields(
    *("id", "text", "steps", "attributes", "status", "reason", "evidence", "rules", "edited_by", "edited_at"),
    *("source_changed", "verdict", "judged_by", "judged_at", "by_hand", "version"),
    *("approvals", "approvals_needed", "waiting"),
)
_NOW = _fields("id", "issue_id", "text", "steps", "status", "reason")


@dataclass(frozen=True, slots=True)
class SolutionView(View):
    """One solution, displayed or not, with who edited it last, who judged it, and whether a person wrote it.

    ``source_changed`` says that what it was edited from is built in other words now. ``version`` names its present
    text: who changes it gives the one that was read. ``approvals`` are those of that text; it is ``waiting`` where
    it has some and too few. One that stands ``in its issue`` does not name it. ``heading`` stands over its steps: its
    own, else that of what was edited, and nothing where a person wrote none.

    Other levels are what a decision gives back, as it is shown then: ``changed`` is 0 where it had that text already,
    ``undone`` what was taken back (edited, approved, rejected or hidden), with its author and date.
    """

    LEVELS: ClassVar[Levels] = {
        "in its issue": _IN_ISSUE,
        "full": _IN_ISSUE | _fields("issue_id"),
        "judged": _fields("id", "issue_id", "status", "reason"),
        "edited": _NOW | _fields("version", "edited_by", "edited_at", "source_changed", "changed"),
        "taken back": _fields("id", "issue_id", "undone", author="undone_by", date="undone_at")
        | _NOW
        | _fields("version"),
        "written": _fields("id", "issue_id", "text", "steps", "attributes", "evidence", "status"),
    }
    id: str
    text: str
    steps: tuple[str, ...]
    attributes: Mapping[str, list[str]]
    status: str
    reason: str
    evidence: tuple[ShownEvidence, ...]
    rules: tuple[Verdict, ...]
    edited_by: str | None
    edited_at: str | None
    source_changed: bool = False
    verdict: str | None = None
    judged_by: str | None = None
    judged_at: str | None = None
    by_hand: bool = False
    version: str = ""
    approvals: tuple[Approval, ...] = ()
    approvals_needed: int = 1
    waiting: bool = False
    issue_id: str = ""
    heading: str = ""
    changed: int = 1
    undone: str = ""
    undone_by: str = ""
    undone_at: str = ""
    level: Literal["in its issue", "full", "judged", "edited", "taken back", "written"] = "full"

    @property
    def title(self) -> str:
        """The line of its text by which it is listed."""
        return title_line(self)

    def _repr_html_(self) -> str:
        return html("solution", solution=self)


@dataclass(frozen=True, slots=True)
class DocumentView(View):
    """A document; ``full`` has its converted Markdown, whose code points evidence counts, and what describes it.

    Of a page ``characters`` counts those code points, ``solutions`` the solutions that cite it.
    """

    LEVELS: ClassVar[Levels] = {
        "summary": _fields("id", "title", "url"),
        "full": _fields("id", "title", "url", "description", "tags", "text"),
    }
    id: str
    title: str
    url: str
    text: str = ""
    characters: int = 0
    solutions: int = 0
    description: str = ""
    tags: tuple[str, ...] = ()
    level: Literal["summary", "full"] = "summary"


def view_issue(
    issue: Issue, level: Literal["summary", "node"], reported: int, displayed: int | None = None, withheld: int = 0
) -> IssueView:
    """Return a node by itself."""
    attributes = as_lists(issue.attributes)
    return IssueView(
        id=issue.id,
        text=issue.text,
        parent_id=issue.parent_id,
        attributes=attributes,
        reported=reported,
        displayed=displayed,
        withheld=withheld,
        level=level,
    )


def view_solution(
    solution: Solution, decided: Decided, titles: Mapping[str, str], level: Literal["in its issue", "full"] = "full"
) -> SolutionView:
    """Return a solution with what people decided on it; ``titles`` are those of the documents that it cites."""
    edit, verdict = decided.edits.get(solution.id), decided.verdicts.get(solution.id)
    built = decided.base.get(solution.id, solution)
    return SolutionView(
        id=solution.id,
        text=solution.text,
        steps=solution.steps,
        attributes=as_lists(solution.attributes),
        status=solution.status,
        reason=solution.reason,
        evidence=tuple(
            ShownEvidence(e.document, e.start, e.end, e.quote, titles.get(e.document, "")) for e in solution.evidence
        ),
        rules=solution.rules,
        edited_by=edit.author if edit else None,
        edited_at=edit.date if edit else None,
        source_changed=decided.source_changed(solution.id),
        verdict=verdict.what if verdict else None,
        judged_by=verdict.author if verdict else None,
        judged_at=verdict.date if verdict else None,
        by_hand=solution.id in decided.written,
        version=solution_mark(solution),
        approvals=decided.approved.get(solution.id, ()),
        approvals_needed=decided.approvals,
        waiting=decided.is_waiting(solution.id),
        issue_id=solution.issue_id,
        heading=heading_of(solution.text, solution.steps) or heading_of(built.text, built.steps),
        level=level,
    )


def title_line(solution: Solution | SolutionView) -> str:
    """Return the line of a solution's text by which it is listed: its heading, else its first step."""
    return listed_title(solution.text, solution.steps) or solution.id
