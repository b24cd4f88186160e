"""Doing once, before anybody waits for it, what a process does at its first question."""

from __future__ import annotations

from autokb.core.conversations import CUSTOMER, Message
from autokb.pipeline.embedding import PACKAGED, compares_languages, read_embedder_name
from autokb.pipeline.open_index import OpenIndex
from autokb.suggesting.suggest import suggest
from autokb.text.languages import load_detector
from autokb.ticket_answers.ask_tickets import TicketAnswerer


def warm(opened: OpenIndex | None, tickets: TicketAnswerer | None) -> None:
    """Ask the knowledge base for one of its own texts, offline: encoder and word lists are loaded with the first one.

    Nothing is asked where an embedder would be paid for it.
    """
    if opened is not None and not read_embedder_name(opened.by_language.workspace.settings.embedder).is_paid:
        suggest(opened, [Message(CUSTOMER, _own_text(opened))], tickets)


def warm_languages(opened: OpenIndex) -> None:
    """Load what tells languages apart, and where they are compared the second encoder and the knowledge base by it."""
    if read_embedder_name(opened.by_language.workspace.settings.embedder).kind == PACKAGED:
        load_detector()
    if compares_languages(opened.by_language.workspace.settings, opened.index.spec.language):
        opened.by_language.load_multilingual().embed_questions([_own_text(opened)])


def _own_text(opened: OpenIndex) -> str:
    rows = opened.index.candidates.rows
    return rows[0].solution.text if rows else opened.index.spec.name
