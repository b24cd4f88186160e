"""Sections of tickets as they are compared with questions: a long one is several pieces, each with its own vector."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autokb.chunking.windows import embedding_text, windows
from autokb.core.nouns import Chunk, Document, Span
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import TicketSection

MOST_OF_BLOCKS = 2  # pieces of a section of code or logs: what follows tells tickets no better apart (decision 029)


def piece_texts(
    title: str, sections: Iterable[TicketSection], template: TicketTemplate
) -> Iterator[tuple[TicketSection, Span, str]]:
    """Yield for each piece of a ticket's embedded sections its section, its place there and what the encoder reads.

    The title stands in front; a section that says only the title is one piece without it. Of code and logs only the
    beginning is embedded.
    """
    for section in sections:
        if not section.text or section.section not in template or not template[section.section].embedded:
            continue
        if section.text == title:
            yield section, (0, len(title)), title
            continue
        whole = Chunk("", section.id, section.text, ((0, len(section.text)),))
        most = MOST_OF_BLOCKS if template[section.section].blocks else None
        for window in windows(Document(section.id, title, section.text), [whole])[:most]:
            yield section, (window.start, window.end), embedding_text(window, title)
