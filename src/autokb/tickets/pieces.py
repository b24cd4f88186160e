"""Sections of tickets as they are compared with questions: a long one is several pieces, each with its own vector."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autokb.chunking.windows import embedding_text, windows
from autokb.core.nouns import Chunk, Document
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import TicketSection


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a section, ``start`` to ``end`` of its text; ``embedded`` is what the encoder reads, the title in front."""

    ticket: str
    section: str
    start: int
    end: int
    embedded: str


def pieces(title: str, sections: Iterable[TicketSection], template: TicketTemplate) -> Iterator[Piece]:
    """Yield the pieces of a ticket's embedded sections in order; what says only the title again is one without it."""
    for section in sections:
        if not section.text or section.section not in template or not template[section.section].embedded:
            continue
        if section.text == title:
            yield Piece(section.ticket, section.section, 0, len(title), title)
            continue
        whole = Chunk("", section.id, section.text, ((0, len(section.text)),))
        for window in windows(Document(section.id, title, section.text), [whole]):
            yield Piece(section.ticket, section.section, window.start, window.end, embedding_text(window, title))
