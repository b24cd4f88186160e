"""Past tickets become trees of sections in a graph: parsed, embedded, linked, and published in one step."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from autokb.core.errors import BadInputError, StageFailedError, StoppedOnPurposeError
from autokb.core.ids import canonical_json, digest
from autokb.core.progress import Progress, silent
from autokb.core.settings import Settings
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import Edge, Ticket, TicketSection, in_order
from autokb.core.vectors import Vectors
from autokb.domains.ticket_templates import ticket_template
from autokb.pipeline.build_report import BuildReport
from autokb.pipeline.embedding import encoder_name, read_embedder_name
from autokb.pipeline.model_choice import check_settings
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.stages import Stages, open_stages
from autokb.plugins.tickets.graph.gate import fit_ticket_gate
from autokb.plugins.tickets.graph.index import TicketIndex
from autokb.plugins.tickets.graph.links import (
    SimilarityThreshold,
    choose_threshold,
    explicit_edges,
    linked_pairs,
    similar_edges,
    update_similar,
)
from autokb.plugins.tickets.graph.match import FittedMatch, MatchChance, fit_match
from autokb.plugins.tickets.graph.pieces import piece_texts
from autokb.plugins.tickets.graph.rest import rest_request, split_rest
from autokb.plugins.tickets.heuristics.parse_sections import parse_parts, parse_sections, tree_of, tree_of_parts
from autokb.plugins.tickets.heuristics.read_question import cue_phrases
from autokb.plugins.tickets.tasks.read_sections.task import TASK as READ_SECTIONS
from autokb.retrieval.gate import Gate, read_gate
from autokb.stores.database import UNREADABLE, damaged_rows
from autokb.stores.ticket_tables import (
    NOTED,
    SIMILARITY,
    TICKET_CODEC,
    WEIGHTS,
    PublishedTicket,
    SectionPiece,
    count_generation,
    fingerprints,
    publish_edges,
    publish_tickets,
    read_edges,
    read_pieces,
    read_tickets,
    staged_tickets,
)
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import Staged, WorkspaceFile, vector_key
from autokb.text.masking import mask
from autokb.text.ticket_parts import told_ticket

VERSION = "2"  # raise it when a ticket's sections are made otherwise
STAGE = "sections"
LINKS = "links"
GATE = "tickets gate"  # meta: whether a question is about the tickets, with the encoder that it was fitted for


@dataclass(frozen=True, slots=True)
class TicketBuildReport(BuildReport):
    """What a build of the ticket graph did; ``links`` are the source's, ``dangling`` those that lead nowhere."""

    tickets: int = 0
    changed: int = 0
    gone: int = 0
    links: int = 0
    dangling: int = 0
    similar: int = 0


def build_tickets(
    workspace: Workspace,
    *,
    rethink: bool = False,
    options: ModelOptions | None = None,
    progress: Progress = silent,
) -> TicketBuildReport:
    """Build the ticket graph from what was added and publish it in one step; only what changed is worked out.

    ``rethink`` chooses anew how alike two titles must be. Raises WorkspaceBusyError while another build is at work,
    AutokbError when the disk is full, StoppedOnPurposeError when the budget is reached or replies are awaited, and
    StageFailedError when more items of a stage failed than the settings' ``failure_tolerance``.
    """
    started = time.perf_counter()
    check_settings(workspace.settings)
    with (
        workspace.build_lock(),
        workspace.file() as file,
        open_stages(workspace, file, progress, options, tolerance=workspace.settings.failure_tolerance) as stages,
    ):
        try:
            counts = TicketBuild(workspace, file, stages, rethink).run()
        except (StoppedOnPurposeError, StageFailedError) as stop:
            stop.result = replace(_report(TicketBuildReport(), stages, started), stopped=str(stop))
            raise
        return _report(counts, stages, started)


def as_embedded(texts: Sequence[str], settings: Settings) -> list[str]:
    """Return texts as the embedder reads them: masked, each by itself, where it is asked over the network."""
    if not read_embedder_name(settings.embedder).is_paid:
        return list(texts)
    return [mask([text]).texts[0] for text in texts]


def _report(counts: TicketBuildReport, stages: Stages, started: float) -> TicketBuildReport:
    return replace(counts, **stages.done(), seconds=round(time.perf_counter() - started, 3))


@dataclass(frozen=True)
class TicketBuild:
    """One build of the ticket graph: its steps in their order."""

    workspace: Workspace
    file: WorkspaceFile
    stages: Stages
    rethink: bool = False
    known: Mapping[str, tuple[TicketSection, ...]] = field(default_factory=dict)  # sections that an import brings
    unread: set[str] = field(default_factory=set)  # tickets for whose texts no right reply came

    def run(self) -> TicketBuildReport:
        """Parse, embed, link and publish."""
        template = ticket_template(self.workspace.spec)
        tickets, before = staged_tickets(self.file), fingerprints(self.file)
        now = self._fingerprints(tickets, template)
        gone = [i for i in before if i not in now]
        changed = _changed(tickets, before, now)
        trees = self._trees(changed, template)
        pieces = self._pieces(changed, trees, template)
        linked = read_edges(self.file)
        edges = self._edges(tickets, {t.id for t in changed}, gone, linked)
        prints = {i: digest("unread", now[i]) if i in self.unread else now[i] for i in trees}
        published = [PublishedTicket(t, trees[t.id], prints[t.id], pieces[t.id]) for t in changed]
        with self.stages.log.timed("publish"), self.file.transaction():
            written = publish_tickets(self.file, published, gone, template)
            written += publish_edges(self.file, edges, linked)
            if written:
                count_generation(self.file)
        self._fit(tickets, edges)
        return TicketBuildReport(
            tickets=len(tickets),
            changed=len(changed),
            gone=len(gone),
            links=sum(e.origin == "source" for e in edges),
            dangling=sum(e.dangling for e in edges),
            similar=sum(e.origin == "similarity" for e in edges),
        )

    def count(self) -> None:
        """Have stages that count requests count what a build would ask for; nothing is linked or published.

        Vectors are counted where they are paid for, without those of the few hundred texts that chance and gate are
        fitted on.
        """
        is_paid = read_embedder_name(self.workspace.settings.embedder).is_paid
        if not is_paid and not self.stages.asks_model(READ_SECTIONS, STAGE):
            return
        template = ticket_template(self.workspace.spec)
        tickets = staged_tickets(self.file)
        changed = _changed(tickets, fingerprints(self.file), self._fingerprints(tickets, template))
        trees = self._trees(changed, template)
        if is_paid:
            self._pieces(changed, trees, template)
            self._embed([t.title for t in tickets])

    def _fingerprints(self, tickets: Sequence[Ticket], template: TicketTemplate) -> dict[str, str]:
        read_by = (
            (self.stages.answered_by(READ_SECTIONS, STAGE), str(READ_SECTIONS.version))
            if self.stages.asks_model(READ_SECTIONS, STAGE)
            else ()
        )
        asked = digest(VERSION, repr(template.sections), self.stages.encoder.name, *read_by)
        return {t.id: digest(asked, canonical_json(TICKET_CODEC.body(t))) for t in tickets}

    def _trees(self, tickets: Sequence[Ticket], template: TicketTemplate) -> dict[str, tuple[TicketSection, ...]]:
        """Return the sections of each ticket."""
        with self.stages.log.timed(STAGE) as count:
            count.computed += len(tickets)
            parsed = {t.id: self.known.get(t.id) or parse_sections(t, template) for t in tickets}
        if not self.stages.asks_model(READ_SECTIONS, STAGE):
            return parsed
        return {**parsed, **self._read_rest([t for t in tickets if t.id not in self.known], template)}

    def _read_rest(self, tickets: Sequence[Ticket], template: TicketTemplate) -> dict[str, tuple[TicketSection, ...]]:
        """Have a model find sections in what the rules leave; a text stays where it is where there is no right reply.

        Several tickets share a request. A ticket without a reply is unread: the next build asks for it again.
        """
        parts = {t.id: parse_parts(t, template) for t in tickets}
        items = {t.id: rest_request(t.title, parts[t.id], template) for t in tickets}
        asked = {ticket: item for ticket, item in items.items() if item is not None}
        replies = self.stages.run(STAGE, READ_SECTIONS, list(asked.values()), list(asked))
        found: dict[str, tuple[TicketSection, ...]] = {}
        for ticket, reply in zip(asked, replies, strict=True):
            if reply is None:
                self.unread.add(ticket)
            else:
                found[ticket] = tree_of_parts(ticket, template, split_rest(parts[ticket], template, reply))
        return found

    def _pieces(
        self, tickets: Sequence[Ticket], trees: Mapping[str, Sequence[TicketSection]], template: TicketTemplate
    ) -> dict[str, tuple[SectionPiece, ...]]:
        """Embed the pieces of tickets, so that no question waits for them."""
        with self.stages.log.timed(STAGE):
            found = [one for t in tickets for one in piece_texts(t.title, trees[t.id], template)]
        cues = [cue for _, cue in cue_phrases(template)] if found else []  # so that no question waits for them
        read = as_embedded([*(text for _, _, text in found), *cues], self.workspace.settings)
        self.stages.embed(read)
        pieces: dict[str, list[SectionPiece]] = {t.id: [] for t in tickets}
        for (section, (start, end), _), text in zip(found, read, strict=False):
            key = vector_key(self.stages.encoder.name, text)
            pieces[section.ticket].append(SectionPiece(section.ticket, section.section, start, end, key))
        return {ticket: tuple(some) for ticket, some in pieces.items()}

    def _embed(self, texts: Sequence[str]) -> Vectors:
        return self.stages.embed(as_embedded(texts, self.workspace.settings))

    def _edges(
        self, tickets: Sequence[Ticket], changed: set[str], gone: Sequence[str], before: Sequence[Edge]
    ) -> list[Edge]:
        """Return all edges; similar ones are compared for what changed and its neighbours alone."""
        ids, encoder = [t.id for t in tickets], self.stages.encoder.name
        titles = self._embed([t.title for t in tickets])
        with self.stages.log.timed(LINKS):
            explicit = explicit_edges(tickets)
            threshold = None if self.rethink else read_similarity(self.file, encoder)
            if threshold is None:
                threshold = choose_threshold(ids, titles, explicit)
                with self.file.transaction():
                    self.file.note(SIMILARITY, canonical_json({"encoder": encoder, **asdict(threshold)}))
            elif len(changed) + len(gone) < len(ids) / 2:
                known = [e for e in before if e.origin == "similarity"]
                return in_order([*explicit, *update_similar(known, ids, titles, changed, threshold.value)])
            return in_order([*explicit, *similar_edges(ids, titles, threshold.value)])

    # Complex: chance and gate are fitted anew for different reasons and stored in one transaction.
    def _fit(self, tickets: Sequence[Ticket], edges: Sequence[Edge]) -> None:
        """Fit chance and gate on the workspace's own links and titles, once, and again where the links are others."""
        encoder = self.stages.encoder.name
        linked = [part for one in sorted(linked_pairs(edges)) for part in one]
        with damaged_rows("meta"):
            noted = json.loads(self.file.meta(WEIGHTS) or "null") or {}
            is_same = noted.get("encoder") == encoder and _is_as_before(noted.get("links", 0), len(linked))
            has_gate = "threshold" in json.loads(self.file.meta(GATE) or "{}")  # those of earlier versions had none
        if is_same and has_gate and not self.rethink:
            return
        index = load_index(self.workspace, self.file)
        with self.stages.log.timed("fit"):
            if not is_same or self.rethink:
                fitted = fit_match(index, {t.id: t for t in tickets}, edges, self._embed)
                noted = {"encoder": encoder, "links": len(linked), **asdict(fitted)}
            gate = fit_ticket_gate(index, self.stages.encoder.name, self.workspace.spec, self._embed)
        with self.file.transaction():
            self.file.note(WEIGHTS, canonical_json(noted))
            self.file.note(GATE, canonical_json(gate.as_json()))
            count_generation(self.file)


def _changed(tickets: Sequence[Ticket], before: Mapping[str, str], now: Mapping[str, str]) -> list[Ticket]:
    """Return the tickets whose fingerprint is another, as they are read; what was added stays whole."""
    return [told_ticket(t) for t in tickets if before.get(t.id) != now[t.id]]


def read_setting(body: Mapping[str, Any]) -> dict[str, str]:
    """Return what the setting's line of an export notes, by the names it is noted under (BadInputError)."""
    found = {key: canonical_json(body[name]) for name, key in NOTED.items() if name in body}
    try:
        if SIMILARITY in found:
            _similarity_of(body["similarity"])
        if WEIGHTS in found:
            _fitted_of(body["weights"])
            int(body["weights"]["links"]), str(body["weights"]["encoder"])
    except UNREADABLE as error:
        raise BadInputError("its similarity and weights must be those that autokb export writes") from error
    return found


# Complex: what was staged, noted and known of tickets is replaced together or not at all.
def take_tickets(
    workspace: Workspace,
    file: WorkspaceFile,
    tickets: Mapping[str, Mapping[str, Any]],
    setting: Mapping[str, Any],
    name: str,
    progress: Progress = silent,
) -> None:
    """Make the tickets of an export all that there are, with their sections as they were; only vectors are made here.

    ``tickets`` are bodies of lines by id, ``setting`` is that of their setting's line; a section that the template does
    not have comes again from the rules.
    """
    fields = {ticket: {n: v for n, v in body.items() if n != "sections"} for ticket, body in tickets.items()}
    noted = read_setting(setting)
    nouns = {ticket: TICKET_CODEC.read(body, id=ticket) for ticket, body in fields.items()}
    with file.transaction():
        file.unstage("tickets", [s.id for s in file.staged("tickets")])
        file.stage("tickets", (Staged(i, "", name, TICKET_CODEC.body(t)) for i, t in nouns.items()))
        for key in NOTED.values():
            file.note(key, noted.get(key, "null"))
    template = ticket_template(workspace.spec)
    known = {
        ticket: tree_of(ticket, template, {s["section"]: s["text"] for s in body["sections"]})
        for ticket, body in tickets.items()
        if body.get("sections") and all(s["section"] in template for s in body["sections"])
    }
    with open_stages(workspace, file, progress) as stages:
        TicketBuild(workspace, file, stages, known=known).run()


class TicketLines:
    """The tickets' lines of an export: whether their setting can be read, and how all of them are taken in."""

    check = staticmethod(read_setting)
    take = staticmethod(take_tickets)


def _is_as_before(before: int, now: int) -> bool:
    """Return whether the links are as many as when the chance was fitted, or a tenth more or less."""
    return abs(now - before) * 10 <= before


def load_index(workspace: Workspace, file: WorkspaceFile) -> TicketIndex:
    """Put what is published of tickets into memory."""
    template = ticket_template(workspace.spec)
    with file.snapshot():
        encoder = encoder_name(workspace.settings)
        pieces, vectors = read_pieces(file, file.dimensions(encoder))
        tickets = read_tickets(file)
    return TicketIndex.of(template, tickets, pieces, vectors, workspace.spec.language)


def read_fitted(file: WorkspaceFile) -> FittedMatch:
    """Return the chance that was fitted here, none where nothing was."""
    with damaged_rows("meta"):
        noted = json.loads(file.meta(WEIGHTS) or "null")
        return FittedMatch(None, 0, "Nothing was fitted yet.") if noted is None else _fitted_of(noted)


def _fitted_of(noted: Mapping[str, Any]) -> FittedMatch:
    match = noted.get("match") and MatchChance(**{name: float(value) for name, value in noted["match"].items()})
    return FittedMatch(match or None, int(noted["asked"]), str(noted["reason"]))


def read_ticket_gate(
    file: WorkspaceFile, workspace: Workspace, index: TicketIndex, embed: Callable[[Sequence[str]], Vectors]
) -> Gate:
    """Return the gate that was fitted at build; where none was for this encoder, it is fitted now and not kept.

    So it is where an earlier version fitted a gate of another kind.
    """
    encoder = encoder_name(workspace.settings)
    with damaged_rows("meta"):
        noted = json.loads(file.meta(GATE) or "{}")
        if "threshold" in noted and noted["encoder"] == encoder:
            return read_gate(noted)
    return fit_ticket_gate(index, encoder, workspace.spec, embed)


def read_similarity(file: WorkspaceFile, encoder: str) -> SimilarityThreshold | None:
    """Return the threshold that was chosen for this encoder, None where there is none yet."""
    with damaged_rows("meta"):
        noted = json.loads(file.meta(SIMILARITY) or "null")
        return None if noted is None or noted["encoder"] != encoder else _similarity_of(noted)


def _similarity_of(noted: Mapping[str, Any]) -> SimilarityThreshold:
    return SimilarityThreshold(float(noted["value"]), str(noted["reason"]))
