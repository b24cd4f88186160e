"""Past tickets: asked, shown, compared."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar
from weakref import finalize

from autokb.core.errors import BadInputError, NothingPublishedError, UnknownIdError
from autokb.core.results import Listed, Result
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import NO_TICKETS, TEXT_FIELDS, TICKET, Edge, TicketSection
from autokb.core.vectors import Vectors
from autokb.domains.ticket_templates import ticket_template
from autokb.pipeline.embedding import Encoder, encoder_name
from autokb.pipeline.stages import open_question_encoder
from autokb.plugins.tickets.build import as_embedded, load_index, read_fitted, read_similarity, read_ticket_gate
from autokb.plugins.tickets.graph.index import TicketIndex, day_of, fold_names
from autokb.plugins.tickets.graph.match import FittedMatch
from autokb.plugins.tickets.graph.search import TicketQuestion, score_tickets
from autokb.plugins.tickets.heuristics.named_tickets import TicketIds
from autokb.plugins.tickets.heuristics.read_question import cue_phrases
from autokb.retrieval.gate import Gate
from autokb.stores.database import failures_as_sentences
from autokb.stores.ticket_answers import read_accepted
from autokb.stores.ticket_tables import (
    PublishedTicket,
    count_tickets,
    list_ticket_ids,
    read_edges,
    read_field_values,
    read_link_types,
    read_tickets,
)
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.mail_parts import without_mail_parts

NO_SUCH_TICKET = "There is no published ticket {ticket!r}; autokb tickets similar {folder} TEXT finds some."


@dataclass(frozen=True, slots=True)
class ShownSection(Result):
    """A section of a ticket: the one that it hangs under (``ticket`` is the root), and its text."""

    section: str
    parent: str
    relation: str
    text: str


@dataclass(frozen=True, slots=True)
class ShownLink(Result):
    """A link to another ticket, whichever of them it begins at; ``title`` is that of the other one."""

    type: str
    target: str
    dangling: bool
    inward: bool
    origin: str
    score: float
    title: str


@dataclass(frozen=True, slots=True)
class ShownAnswer(Result):
    """A question that a person confirmed to be answered by a ticket."""

    question: str
    author: str
    date: str


@dataclass(frozen=True, slots=True)
class ShownTicket(Result):
    """A ticket as a tree of sections, with its links, and the questions that people say it answers."""

    id: str
    title: str
    sections: tuple[ShownSection, ...]
    links: tuple[ShownLink, ...]
    url: str = ""
    answers: tuple[ShownAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownTickets(Result):
    """The ticket graph as a whole: tickets with each section, and links by type.

    ``similarity`` says from which cosine two titles are similar, ``fitted`` how it is known how likely a match is.
    """

    tickets: int
    sections: dict[str, int]
    links: dict[str, int]
    dangling: int
    similarity: dict[str, float | str]
    fitted: str


@dataclass(frozen=True, slots=True)
class SimilarTicket(Result):
    """A ticket and the score that ranks it, its title beside."""

    id: str
    score: float
    title: str
    status: str = ""


@dataclass(frozen=True, slots=True)
class SimilarTickets(Listed, Result):
    """The tickets that are most like a text or another ticket, best first."""

    LIST: ClassVar[str] = "tickets"
    tickets: tuple[SimilarTicket, ...]
    seconds: float


@dataclass(frozen=True)
class OpenTickets:
    """The published tickets in memory, with what is read of them once; threads share it.

    ``bounded`` is an encoder whose requests a budget bounds, of the same embedder as the settings'.
    """

    workspace: Workspace
    file: WorkspaceFile
    index: TicketIndex
    fitted: FittedMatch
    held: ExitStack
    bounded: Encoder | None = None

    @cached_property
    def encoder(self) -> Encoder:
        """The embedder of the settings, opened when it is first asked; one over the network stays connected."""
        return self.bounded or open_question_encoder(self.workspace, self.file, self.held)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of questions, which are not kept; over the network they go masked."""
        return self.encoder.embed_questions(as_embedded(texts, self.workspace.settings))

    @cached_property
    def ids(self) -> TicketIds:
        """The ids of the tickets, as people write them."""
        return TicketIds(self.index.ids)

    @cached_property
    def link_types(self) -> tuple[str, ...]:
        """The types of links of this publication."""
        return read_link_types(self.file)

    @cached_property
    def field_values(self) -> Mapping[str, Sequence[str]]:
        """The values of each section that only holds a field, the most common first."""
        rules = [rule for rule in self.index.template.sections if rule.fields and not rule.embedded]
        lists = {rule.name for rule in rules if not TEXT_FIELDS.issuperset(rule.fields)}
        return read_field_values(self.file, [rule.name for rule in rules], lists)

    @cached_property
    def gate(self) -> Gate:
        """What says whether a question is about the tickets."""
        return read_ticket_gate(self.file, self.workspace, self.index, self.embed)

    @cached_property
    def cue_vectors(self) -> Vectors:
        """The vectors of the template's cues, which the build has made unless the template is another since."""
        encoder, cues = encoder_name(self.workspace.settings), [cue for _, cue in cue_phrases(self.index.template)]
        vectors, missing = self.file.vectors(encoder, cues, self.file.dimensions(encoder))
        if missing:
            vectors[missing] = self.embed([cues[n] for n in missing])
        return vectors

    @cached_property
    def accepted_vectors(self) -> dict[str, Vectors]:
        """The vectors of accepted questions, by their text; filled as such are read."""
        return {}

    def read(self, ids: Iterable[str]) -> dict[str, PublishedTicket]:
        """Return published tickets in this order; what is none is left out."""
        ids = list(ids)
        found = read_tickets(self.file, ids)
        return {i: found[i] for i in ids if i in found}

    def similar(self, text: str, k: int) -> SimilarTickets:
        """Return the tickets most like a text, or like the ticket that has this id."""
        started = time.perf_counter()
        if not text.strip():
            raise BadInputError("The text is empty; write what the ticket would say, or name a ticket.")
        hits = score_tickets(self.index, self._question(text)).best(k)
        named = {n: self.index.titles[self.index.rows[n]] for n in (hit.id for hit in hits)}
        found = tuple(SimilarTicket(hit.id, round(hit.score, 4), named[hit.id]) for hit in hits)
        return SimilarTickets(found, round(time.perf_counter() - started, 6))

    def _question(self, text: str) -> TicketQuestion:
        """Return what is searched for (UnknownIdError where the text is the id of no ticket)."""
        if (named := self.ids.read(text)) is None:
            text, _ = without_mail_parts(text)
            return TicketQuestion(text, self.embed([text])[0], self.index.components_named(text))
        if named.ticket is None:
            raise UnknownIdError(NO_SUCH_TICKET.format(ticket=named.spelled, folder=self.workspace.folder))
        with failures_as_sentences(self.file.path):
            ticket = read_tickets(self.file, [named.ticket])[named.ticket].ticket
        whole = f"{ticket.title}\n\n{ticket.description}".strip()
        components, day = fold_names(ticket.components), day_of(ticket.created)
        return TicketQuestion(whole, self.embed([whole])[0], components, day, frozenset({ticket.id}))

    def close(self) -> None:
        """Let go of the workspace file."""
        self.held.close()


def open_tickets(workspace: Workspace) -> OpenTickets:
    """Put the published tickets into memory (NothingPublishedError where there is none)."""
    with failures_as_sentences(workspace.knowledge_path), ExitStack() as stack:
        file = workspace.open_file()
        stack.callback(file.close)
        index = load_index(workspace, file)
        if not index.ids:
            raise NothingPublishedError(NO_TICKETS.format(folder=workspace.folder))
        held = stack.pop_all()
        finalize(index, held.close)  # which every copy of what is returned has, and each question that is under way
        return OpenTickets(workspace, file, index, read_fitted(file), held)


def show_ticket(workspace: Workspace, ticket: str) -> ShownTicket:
    """Return one ticket with its sections and links (UnknownIdError where it is not published)."""
    with workspace.file() as file, file.snapshot():
        if not (found := read_tickets(file, [ticket])):
            named = TicketIds(list_ticket_ids(file)).read(ticket)
            ticket = named.ticket if named and named.ticket else ticket
            found = read_tickets(file, [ticket])
        if not found:
            raise UnknownIdError(NO_SUCH_TICKET.format(ticket=ticket, folder=workspace.folder))
        edges = read_edges(file, [ticket])
        others = read_tickets(file, sorted({e.source for e in edges} | {e.target for e in edges}))
        answers = tuple(ShownAnswer(one.question, one.author, one.date) for one in read_accepted(file, ticket))
    return replace(_shown(workspace, found[ticket], edges, others), answers=answers)


def show_tickets(workspace: Workspace) -> ShownTickets:
    """Return the ticket graph as a whole (BadInputError where no ticket is published)."""
    with workspace.file() as file, file.snapshot():
        counts = count_tickets(file)
        if not counts.tickets:
            raise BadInputError(NO_TICKETS.format(folder=workspace.folder))
        fitted = read_fitted(file)
        similarity = read_similarity(file, encoder_name(workspace.settings))
    return ShownTickets(
        tickets=counts.tickets,
        sections=counts.sections,
        links=counts.links,
        dangling=counts.dangling,
        similarity={} if similarity is None else {"threshold": similarity.value, "reason": similarity.reason},
        fitted=fitted.reason,
    )


def _shown(
    workspace: Workspace, one: PublishedTicket, edges: Sequence[Edge], others: Mapping[str, PublishedTicket]
) -> ShownTicket:
    template = ticket_template(workspace.spec)
    sections = tuple(_section(section, template) for section in one.sections if section.section != TICKET)
    links = [_link(one.ticket.id, edge, others) for edge in edges]
    # A link that both tickets have by similarity is shown once.
    mutual = {link.target for link in links if link.origin == "similarity" and not link.inward}
    links = [link for link in links if link.origin != "similarity" or not link.inward or link.target not in mutual]
    links.sort(key=lambda link: (link.origin != "source", link.type, -link.score, link.target, link.inward))
    return ShownTicket(one.ticket.id, one.ticket.title, sections, tuple(links), one.ticket.url)


def _section(one: TicketSection, template: TicketTemplate) -> ShownSection:
    relation = template[one.section].relation if one.section in template else ""
    return ShownSection(one.section, one.parent or TICKET, relation, one.text)


def _link(ticket: str, edge: Edge, others: Mapping[str, PublishedTicket]) -> ShownLink:
    inward = edge.source != ticket
    target = edge.source if inward else edge.target
    return ShownLink(
        type=edge.type,
        target=target,
        dangling=target not in others,
        inward=inward,
        origin=edge.origin,
        score=round(edge.score, 4),
        title=others[target].ticket.title if target in others else "",
    )
