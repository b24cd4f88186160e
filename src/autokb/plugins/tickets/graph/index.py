"""The tickets in memory: each a chunk of the same index that documents have, with what only a ticket has."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

import numpy as np

from autokb.chunking.windows import Window
from autokb.core.nouns import Chunk
from autokb.core.ranking import Scores
from autokb.core.ticket_template import TicketTemplate
from autokb.core.vectors import Vectors
from autokb.retrieval.search import ChunkIndex, build_index
from autokb.stores.ticket_tables import PublishedTicket, SectionPiece


@dataclass(frozen=True)
class TicketIndex:
    """Tickets ready to be searched: each is one document and chunk of ``chunks``, whose windows are ``pieces``.

    ``components`` are folded, ``days`` are when a ticket was created, in days since 1970 (NaN where unknown).
    """

    template: TicketTemplate
    ids: tuple[str, ...]
    titles: tuple[str, ...]
    pieces: tuple[SectionPiece, ...]
    chunks: ChunkIndex
    components: tuple[frozenset[str], ...]
    days: Scores

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each ticket."""
        return {ticket: n for n, ticket in enumerate(self.ids)}

    def components_named(self, text: str) -> frozenset[str]:
        """Return the tickets' components that a text names as whole words, folded."""
        folded = text.casefold()
        known = (name for name in frozenset[str]().union(*self.components) if name in folded)
        return frozenset(name for name in known if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", folded))

    def pieces_of(self, ticket: str) -> slice:
        """Return where the pieces of a ticket are, which are also the rows of their vectors."""
        first, end = (find(self.pieces, ticket, key=lambda p: p.ticket) for find in (bisect_left, bisect_right))
        return slice(first, end)

    @classmethod
    def of(
        cls,
        template: TicketTemplate,
        tickets: Mapping[str, PublishedTicket],
        pieces: Sequence[SectionPiece],
        vectors: Vectors,
        language: str,
    ) -> TicketIndex:
        """Index published tickets; row n of ``vectors`` is piece n."""
        ids = tuple(sorted(tickets))
        kept = [n for n, piece in enumerate(pieces) if piece.ticket in tickets and piece.section in template]
        kept.sort(key=lambda n: pieces[n].ticket)
        found = tuple(pieces[n] for n in kept)
        nouns = [tickets[i].ticket for i in ids]
        return cls(
            template=template,
            ids=ids,
            titles=tuple(t.title for t in nouns),
            pieces=found,
            chunks=build_index(
                ids,
                [Chunk(i, i, _words_of(tickets[i], template), ()) for i in ids],
                [Window(p.ticket, p.ticket, p.start, p.end, "") for p in found],
                vectors[kept],
                language=language,
            ),
            components=tuple(fold_names(t.components) for t in nouns),
            days=np.array([day_of(t.created) for t in nouns], dtype=np.float64),
        )


def fold_names(names: Iterable[str]) -> frozenset[str]:
    """Return names as they are compared."""
    return frozenset(name.casefold() for name in names)


def day_of(date: str) -> float:
    """Return a date of ISO 8601 in days since 1970, NaN where it is none."""
    try:
        moment = datetime.fromisoformat(date)
    except ValueError:
        return math.nan
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() / 86_400


def _words_of(published: PublishedTicket, template: TicketTemplate) -> str:
    """Return what BM25 reads of a ticket: its embedded sections, whole."""
    return "\n".join(s.text for s in published.sections if s.section in template and template[s.section].embedded)
