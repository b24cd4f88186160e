"""The ticket graph in memory: what a question is compared with, in the order of the tickets' ids."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import Edge
from autokb.core.vectors import Vectors
from autokb.stores.ticket_tables import PublishedTicket, SectionPiece
from autokb.stores.word_index import WordIndex
from autokb.tickets.links import neighbours

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class TicketIndex:
    """Tickets ready to be searched; the pieces of ticket n are the rows from ``starts[n]`` on.

    ``sections[n]`` is the number of the template's section that row n of ``vectors`` is a piece of. ``centroids`` are
    the mean of a ticket's pieces, of length 1, ``days`` when it was created, in days since 1970 (NaN where unknown).
    ``from_rows`` and ``to_rows`` are the edges between tickets, both ways.
    """

    template: TicketTemplate
    ids: tuple[str, ...]
    titles: tuple[str, ...]
    pieces: tuple[SectionPiece, ...]
    vectors: Vectors
    starts: Rows
    sections: Rows
    centroids: Vectors
    words: WordIndex
    components: tuple[frozenset[str], ...]
    days: NDArray[np.float64]
    resolved: NDArray[np.bool_]
    from_rows: Rows
    to_rows: Rows
    generation: str

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each ticket."""
        return {ticket: n for n, ticket in enumerate(self.ids)}

    @classmethod
    def of(
        cls,
        template: TicketTemplate,
        tickets: Mapping[str, PublishedTicket],
        pieces: Sequence[SectionPiece],
        vectors: Vectors,
        edges: Iterable[Edge],
        language: str,
        generation: str = "0",
    ) -> TicketIndex:
        """Index published tickets; row n of ``vectors`` is piece n, in the order of the tickets."""
        ids = tuple(sorted(tickets))
        row = {ticket: n for n, ticket in enumerate(ids)}
        kept = _in_order_of_tickets(pieces, row, template)
        owner = np.array([row[pieces[n].ticket] for n in kept], dtype=np.int64)
        number = {rule.name: n for n, rule in enumerate(template.sections)}
        vectors = np.ascontiguousarray(vectors[kept], dtype=np.float32)
        sums = np.zeros((len(ids), vectors.shape[1]), dtype=np.float32)
        np.add.at(sums, owner, vectors)
        from_rows, to_rows = neighbours(edges, row)
        nouns = [tickets[i].ticket for i in ids]
        return cls(
            template=template,
            ids=ids,
            titles=tuple(t.title for t in nouns),
            pieces=tuple(pieces[n] for n in kept),
            vectors=vectors,
            starts=np.searchsorted(owner, np.arange(len(ids) + 1)).astype(np.int64),
            sections=np.array([number[pieces[n].section] for n in kept], dtype=np.int64),
            centroids=sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12),
            words=WordIndex.build([_words_of(tickets[i], template) for i in ids], language),
            components=tuple(fold_names(t.components) for t in nouns),
            days=np.array([day_of(t.created) for t in nouns], dtype=np.float64),
            resolved=np.array([bool(t.resolved or t.resolution) for t in nouns], dtype=np.bool_),
            from_rows=from_rows,
            to_rows=to_rows,
            generation=generation,
        )


def _in_order_of_tickets(pieces: Sequence[SectionPiece], row: Mapping[str, int], template: TicketTemplate) -> list[int]:
    """Return which pieces are of these tickets and of a section of the template, those of one ticket together."""
    kept = [n for n, piece in enumerate(pieces) if piece.ticket in row and piece.section in template]
    return sorted(kept, key=lambda n: row[pieces[n].ticket])


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
