"""Published tickets as people leaf through them: a list that can be searched, and the neighbours of one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import ClassVar, Literal
from weakref import finalize

from autokb.core.results import Result
from autokb.core.roles import Role
from autokb.core.tickets import Edge, Ticket
from autokb.plugins.tickets.answers.open_tickets import ShownAnswer, ShownLink, ShownTicket, SimilarTickets, show_ticket
from autokb.stores.database import failures_as_sentences
from autokb.stores.ticket_tables import GENERATION, list_ticket_ids, read_edges, read_tickets
from autokb.stores.type_ahead_index import TypeAheadIndex
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.masking import mask_for_people
from autokb.views.audience import is_insider
from autokb.views.browse import check_limit, next_of
from autokb.views.document_page import ShownPiece, view_text
from autokb.views.kinds import Found, Levels, Page, View
from autokb.views.knowledge import FoundItem, FoundKnowledge, SearchedKind, find_words, masked, snippet_of

FIELD_CHARACTERS = 60  # of a single word such as a status or a version, which needs no section of its own
SEARCHED_CHARACTERS = 1_000  # of a ticket's text beside its title; what it is about is said there


@dataclass(frozen=True, slots=True)
class TicketGraph(Result):
    """A ticket (the first) with its neighbours and the links among them; ``left_out`` counts other neighbours."""

    tickets: tuple[TicketView, ...]
    links: tuple[Edge, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class TicketText(Result):
    """A section of a ticket, in pieces that can be read."""

    name: str
    pieces: tuple[ShownPiece, ...]


@dataclass(frozen=True, slots=True)
class TicketView(View):
    """A ticket; one that is not ``published`` is only named by another.

    Of a page, where private data are masked, ``fields`` are its short sections by their names.
    """

    LEVELS: ClassVar[Levels] = {"summary": {name: name for name in ("id", "title", "status", "created", "url")}}
    id: str
    title: str
    status: str = ""
    created: str = ""
    url: str = ""
    published: bool = True
    fields: tuple[tuple[str, str], ...] = ()
    sections: tuple[TicketText, ...] = ()
    links: tuple[ShownLink, ...] = ()
    answers: tuple[ShownAnswer, ...] = ()
    graph: TicketGraph | None = None
    level: Literal["summary"] = "summary"


@dataclass(frozen=True)
class OpenTicketList:
    """The published tickets in memory, without their sections."""

    file: WorkspaceFile
    generation: str
    language: str
    tickets: Mapping[str, TicketView]
    searched: SearchedKind

    def is_current(self) -> bool:
        """Return whether no later build has published other tickets."""
        with failures_as_sentences(self.file.path):
            return self.file.is_in_place() and (self.file.meta(GENERATION) or "0") == self.generation

    def listed(self, query: str, first: int, most: int) -> Found[TicketView]:
        """Return tickets, the newest first, or the best first where a query finds them."""
        ids = self.searched.find(query) if query.strip() else list(self.tickets)
        return Found(tuple(self.tickets[i] for i in ids[first : first + most]), len(ids))

    def search(self, query: str, first: int, most: int) -> FoundKnowledge:
        """Return the tickets that have every word of a query, whole or begun."""
        words, ids = self.searched.index.typed(query), self.searched.find(query)
        items = []
        for ticket in ids[first : first + most]:
            one = self.tickets[ticket]
            snippet = snippet_of(masked(self.searched.texts[ticket][1], self.language), words)
            found = [find_words(text, words, self.language) for text in (one.title, snippet)]
            items.append(FoundItem("ticket", ticket, one.title, snippet, found[0], found[1], status=one.status))
        return FoundKnowledge(query, {"ticket": len(ids)}, tuple(items))


def list_tickets(workspace: Workspace, limit: int, after: str, role: Role) -> Page[TicketView]:
    """Return a page of published tickets in the order of their ids, starting behind the id ``after``.

    Private data in titles are masked unless ``role`` is an agent or more. BadInputError for a limit out of bounds.
    """
    check_limit(limit)
    with workspace.file() as file, file.snapshot():
        ids = list_ticket_ids(file, after, limit + 1)
        found = [one.ticket for one in read_tickets(file, ids[:limit]).values()]
    titles = [t.title if is_insider(role) else masked(t.title, workspace.spec.language) for t in found]
    shown = tuple(_listed(t, title) for t, title in zip(found, titles, strict=True))
    return Page(shown, next_of(ids, limit))


def _listed(ticket: Ticket, title: str) -> TicketView:
    return TicketView(ticket.id, title, ticket.status, ticket.created, ticket.url)


def open_ticket_list(workspace: Workspace) -> OpenTicketList:
    """Put the published tickets into memory, none where none is published."""
    with failures_as_sentences(workspace.knowledge_path), ExitStack() as stack:
        file = workspace.open_file()
        stack.callback(file.close)
        with file.snapshot():
            published, generation = read_tickets(file), file.meta(GENERATION) or "0"
        newest = sorted((one.ticket for one in published.values()), key=lambda ticket: ticket.created, reverse=True)
        language = workspace.spec.language
        tickets = {t.id: _listed(t, masked(t.title, language)) for t in newest}
        texts = {}
        for i, one in published.items():
            said = "\n".join(section.text for section in one.sections)[:SEARCHED_CHARACTERS]
            texts[i] = (f"{i} {one.ticket.title}", said)
        searched = SearchedKind(TypeAheadIndex(language)).update(texts)
        opened = OpenTicketList(file, generation, language, tickets, searched)
        finalize(opened, stack.pop_all().close)
        return opened


def browse_ticket(workspace: Workspace, ticket: str, most: int) -> TicketView:
    """Return a ticket as people read it, with the picture of ``most`` neighbours (UnknownIdError)."""
    shown = mask_ticket(workspace, show_ticket(workspace, ticket))
    graph = read_graph(workspace, shown.id, most)
    said = [(s.section, s.text) for s in shown.sections if s.text.strip() and s.text.strip() != shown.title.strip()]
    short = {name for name, text in said if len(text) <= FIELD_CHARACTERS and not {"\n", " "} & set(text.strip())}
    return TicketView(
        shown.id,
        shown.title,
        url=shown.url,
        fields=tuple((name, text.strip()) for name, text in said if name in short),
        sections=tuple(TicketText(name, view_text(text)) for name, text in said if name not in short),
        links=shown.links,
        answers=shown.answers,
        graph=graph,
    )


def ticket_for(workspace: Workspace, ticket: str, role: Role) -> ShownTicket:
    """Return a ticket as a role sees it (UnknownIdError): for a reader with its private data masked.

    Who is given evidence of tickets gets their texts as they are, for its ``start`` and ``end`` count in them.
    """
    shown = show_ticket(workspace, ticket)
    return shown if is_insider(role) else mask_ticket(workspace, shown)


def mask_ticket(workspace: Workspace, shown: ShownTicket) -> ShownTicket:
    """Return a ticket with its private data masked, in one masking: one address has one name in all of its texts."""
    masked_texts = iter(
        mask_for_people(
            [
                shown.title,
                *(one.text for one in shown.sections),
                *(one.title for one in shown.links),
                *(one.question for one in shown.answers),
            ],
            workspace.spec.language,
        )
    )
    return replace(
        shown,
        title=next(masked_texts),
        sections=tuple(replace(one, text=next(masked_texts)) for one in shown.sections),
        links=tuple(replace(one, title=next(masked_texts)) for one in shown.links),
        answers=tuple(replace(one, question=next(masked_texts)) for one in shown.answers),
    )


def read_graph(workspace: Workspace, ticket: str, most: int) -> TicketGraph:
    """Return a published ticket with its neighbours: those that the source links first, then the most similar."""
    with workspace.file() as file, file.snapshot():
        edges = sorted(read_edges(file, [ticket]), key=lambda e: (e.origin != "source", e.dangling, -e.score))
        near = list(dict.fromkeys(end for e in edges for end in (e.source, e.target) if end != ticket))
        chosen = [ticket, *near[:most]]
        published = read_tickets(file, chosen)
        among = [e for e in read_edges(file, chosen) if e.source in chosen and e.target in chosen]
    shown = (
        TicketView(
            i,
            masked(published[i].ticket.title, workspace.spec.language) if i in published else "",
            published=i in published,
        )
        for i in chosen
    )
    return TicketGraph(tuple(shown), tuple(among), len(near) - len(near[:most]))


def mask_similar(workspace: Workspace, found: SimilarTickets) -> SimilarTickets:
    """Return similar tickets with the private data of their titles masked."""
    language = workspace.spec.language
    return replace(found, tickets=tuple(replace(one, title=masked(one.title, language)) for one in found.tickets))
