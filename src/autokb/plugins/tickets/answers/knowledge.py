"""Resolved tickets feed the knowledge base: each as a document, and what it reported as a raw issue resolved by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from autokb.core.errors import BadInputError
from autokb.core.nouns import Document, RawIssue
from autokb.core.results import Result
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import TICKET
from autokb.domains.ticket_templates import ticket_template
from autokb.plugins.tickets.answers.subgraph import SOLVING
from autokb.plugins.tickets.graph.answers import name_of, originals_of
from autokb.plugins.tickets.heuristics.outcome_comments import outcome_comments, tells_outcome
from autokb.stores.codecs import DOCUMENT, RAW_ISSUE
from autokb.stores.ticket_tables import PublishedTicket, read_tickets
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import Staged, WorkspaceFile

SOURCE = "tickets"  # what `autokb sources` calls them, and `autokb remove` takes out again


@dataclass(frozen=True, slots=True)
class Fed(Result):
    """How many documents and raw issues were staged, and which tickets were left out for a reason."""

    documents: int
    issues: int
    removed: int
    left_out: Mapping[str, int]


# Complex: what is staged now and what was staged before are compared and replaced in one transaction.
def feed_tickets(workspace: Workspace) -> Fed:
    """Stage resolved tickets for the next build of the knowledge base, in the place of those staged before.

    A ticket that is resolved and says how becomes a document of its own; its title and description are a raw issue that
    it resolves. A duplicate is a raw issue resolved by its original's document.
    """
    template = ticket_template(workspace.spec)
    with workspace.file() as file, file.transaction():
        tickets = read_tickets(file)
        if not tickets:
            raise BadInputError("No ticket is published yet; add some with --as tickets, then: autokb tickets build.")
        before = {kind: file.staged(kind) for kind in ("documents", "issues")}
        others = {kind: {s.id for s in staged if not _is_fed(s)} for kind, staged in before.items()}
        language = workspace.spec.language
        telling = {i: one for i, one in tickets.items() if _tells(one, language) and i not in others["documents"]}
        documents = [_document(one, template, language) for one in telling.values()]
        issues = [i for i in _issues(tickets, set(telling)) if i.id not in others["issues"]]
        new = {
            "documents": [Staged(d.id, "", SOURCE, DOCUMENT.body(d)) for d in documents],
            "issues": [Staged(i.id, "", SOURCE, RAW_ISSUE.body(i)) for i in issues],
        }
        removed = sum(_replace_fed(file, kind, before[kind], staged) for kind, staged in new.items())
    left_out = _count_left_out(tickets, len(documents), len(others["documents"] & tickets.keys()))
    return Fed(len(documents), len(issues), removed, left_out)


def _replace_fed(file: WorkspaceFile, kind: str, before: Iterable[Staged], new: Sequence[Staged]) -> int:
    """Stage what tickets give now in the place of what they gave before, and return how much they no longer give."""
    stale = {s.id for s in before if _is_fed(s)} - {s.id for s in new}
    file.unstage(kind, sorted(stale))
    file.stage(kind, new)
    return len(stale)


def _count_left_out(tickets: Mapping[str, PublishedTicket], fed: int, taken: int) -> dict[str, int]:
    """Return why tickets are no document, and how many; the ids of ``taken`` are other documents'."""
    unresolved = sum(not one.ticket.resolved for one in tickets.values())
    silent = len(tickets) - unresolved - taken - fed
    left_out = {"not resolved": unresolved, "does not say how": silent, "its id is a document of its own": taken}
    return {reason: n for reason, n in left_out.items() if n > 0}


def _is_fed(staged: Staged) -> bool:
    return not staged.root and staged.relative == SOURCE


def _tells(one: PublishedTicket, language: str) -> bool:
    if not one.ticket.resolved:
        return False
    has_section = any(section.section in SOLVING and section.text for section in one.sections)
    return has_section or tells_outcome(one.ticket, SOLVING, language)


# Complex: a section is written under one of three conditions, and the order of the parts is the page.
def _document(one: PublishedTicket, template: TicketTemplate, language: str) -> Document:
    """Return a ticket as a page: what solves it first, then its problem; of comments those that tell the outcome."""
    ticket = one.ticket
    texts = {s.section: s.text for s in one.sections if s.section != TICKET and s.text}
    comments = "\n\n".join(ticket.comments[n].text.strip() for n in outcome_comments(ticket, SOLVING, language))
    parts = [(name, texts[name]) for name in SOLVING if name in texts]
    parts += [("answer", comments)] if comments else []
    parts += [
        (rule.name, texts[rule.name])
        for rule in template.sections
        if rule.name in texts and rule.embedded and rule.name not in (*SOLVING, "comments") and not rule.blocks
    ]
    body = "\n\n".join(f"## {name_of(name)}\n\n{text}" for name, text in parts if text != ticket.title)
    return Document(ticket.id, ticket.title, f"# {ticket.title}\n\n{body}\n", ticket.url)


def _issues(tickets: Mapping[str, PublishedTicket], documents: set[str]) -> Iterator[RawIssue]:
    for one in tickets.values():
        ticket = one.ticket
        resolved_by = [i for i in (ticket.id, *originals_of(ticket)) if i in documents]
        if resolved_by:
            text = ticket.description.strip() or ticket.title
            yield RawIssue(ticket.id, text, ticket.title, ticket.created[:10], tuple(dict.fromkeys(resolved_by)))
