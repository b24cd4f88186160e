"""Past tickets as their source has them, the sections they are parsed into, and the edges between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import attrgetter
from typing import Literal

from autokb.core.results import Result

TICKET = "ticket"  # the section that a ticket's tree begins with; it has no text of its own
SIMILAR_TO = "SIMILAR_TO"
NO_TICKETS = (
    "No ticket is published yet; add some (autokb add {folder} EXPORT --as tickets), then: "
    "autokb tickets build {folder}"
)
Origin = Literal["source", "similarity"]


@dataclass(frozen=True, slots=True)
class TicketEvidence(Result):
    """Part of a ticket's section; ``quote`` is exactly ``start`` to ``end`` of its text as published."""

    ticket: str
    section: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class TicketLink:
    """A typed link as the source has it; an ``inward`` one begins at ``target``."""

    type: str
    target: str
    inward: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody added to a ticket; ``text`` is Markdown, ``date`` ISO 8601 or empty.

    An ``internal`` one is a note of the team: it is kept with what was added, and nothing else reads it.
    """

    text: str
    author: str = ""
    date: str = ""
    internal: bool = False


@dataclass(frozen=True, slots=True)
class Ticket:
    """One ticket of an issue tracker; texts are Markdown, dates ISO 8601 or empty.

    ``other`` has further fields of the source by their names; a template can make sections of them.
    """

    id: str
    title: str
    description: str = ""
    comments: tuple[Comment, ...] = ()
    links: tuple[TicketLink, ...] = ()
    project: str = ""
    type: str = ""
    status: str = ""
    resolution: str = ""
    priority: str = ""
    environment: str = ""
    reporter: str = ""
    assignee: str = ""
    components: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    fix_versions: tuple[str, ...] = ()
    created: str = ""
    updated: str = ""
    resolved: str = ""
    url: str = ""
    other: Mapping[str, str] = field(default_factory=dict)

    def text_of(self, name: str) -> str:
        """Return a field as text, one of the source's own names too; a list is joined by commas, no such field is ''.

        ``comments`` is not among them: each comment is a text of its own.
        """
        if name in TEXT_FIELDS:
            return str(getattr(self, name))
        if name in LIST_FIELDS:
            return ", ".join(getattr(self, name))
        return self.other.get(name, "")


DATE_FIELDS = frozenset({"created", "updated", "resolved"})
LIST_FIELDS = frozenset({"components", "labels", "versions", "fix_versions"})
TEXT_FIELDS = frozenset(
    {
        "id", "title", "description", "project", "type", "status", "resolution", "priority", "environment", "reporter",
        "assignee", "created", "updated", "resolved", "url",
    }
)  # fmt: skip


def moment_of(date: str) -> str:
    """Return a date as its moment in UTC, so that the order of texts is that of moments; '' where it is none.

    A date without a time is its first moment, one without a time zone is UTC.
    """
    try:
        found = datetime.fromisoformat(date.strip())
        moment = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


@dataclass(frozen=True, slots=True)
class TicketSection:
    """A node of a ticket's tree: what the ticket says in one section, in Markdown; its root has no text."""

    ticket: str
    section: str
    parent: str | None = None
    text: str = ""

    @property
    def id(self) -> str:
        """The ticket for the root, else the ticket and the section."""
        return section_id(self.ticket, self.section)

    @property
    def parent_id(self) -> str | None:
        """The id of the section above."""
        return None if self.parent is None else section_id(self.ticket, self.parent)


def section_id(ticket: str, section: str) -> str:
    """Return the id of a ticket's section."""
    return ticket if section == TICKET else f"{ticket}#{section}"


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of the graph from ticket to ticket; ``dangling`` where the target is not among the tickets.

    ``origin`` keeps apart what the source says and what was found by similarity (with its cosine as ``score``).
    """

    source: str
    type: str
    target: str
    origin: Origin = "source"
    dangling: bool = False
    score: float = 0.0


def in_order(edges: Iterable[Edge]) -> list[Edge]:
    """Return edges in the one order in which they are stored, exported and compared."""
    return sorted(edges, key=_ORDER)  # ten times as fast as a comparison of dataclasses


_ORDER = attrgetter("source", "type", "target", "origin", "dangling", "score")
