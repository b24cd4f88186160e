"""The published tickets: their fields, their sections and the edges between them, in tables of the workspace file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autokb.core.ids import canonical_json
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import TICKET, Edge, Ticket, TicketSection, in_order
from autokb.core.vectors import Vectors
from autokb.stores.codecs import Codec
from autokb.stores.database import DamagedRowError, damaged_rows
from autokb.stores.schema import BEFORE_TICKETS, EDGE_TYPES
from autokb.stores.sql import ALL_ROWS, marks, put
from autokb.stores.staged import staged_nouns
from autokb.stores.workspace_file import WorkspaceFile, parts_of


class _TicketCodec(Codec[Ticket]):
    """A ticket as JSON; of its comments only notes of the team say what they are, and none of those is exported."""

    def body(self, noun: Ticket) -> dict[str, Any]:
        body = super().body(noun)
        for one in body["comments"]:
            if not one["internal"]:
                del one["internal"]
        return body


TICKET_CODEC = _TicketCodec(Ticket, "id")
EDGE_COLUMNS = "source, type, target, origin, dangling, score"
GENERATION = "tickets generation"  # meta: counts what was published of tickets
# meta: the weights of the chance that two tickets are about the same problem, with what they were fitted on. Earlier
# versions noted there what each signal of the ranking counts, too.
WEIGHTS = "tickets weights"
SIMILARITY = "tickets similarity"  # meta: the threshold of similar titles, with the encoder that it was chosen for
NOTED = {"similarity": SIMILARITY, "weights": WEIGHTS}  # by their names in an export
TICKETS_SETTING = "tickets"  # the id of the line of an export that holds both
# Each type is looked up in the index after the one before, where DISTINCT would read every edge.
LINK_TYPES = """
WITH RECURSIVE found(type) AS (
    SELECT min(type) FROM ticket_edge
    UNION ALL
    SELECT (SELECT min(type) FROM ticket_edge WHERE type > found.type) FROM found WHERE type IS NOT NULL)
SELECT type FROM found WHERE type IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class SectionPiece:
    """Part of a section, ``start`` to ``end`` of its text, and the key of its vector."""

    ticket: str
    section: str
    start: int
    end: int
    vector: bytes


@dataclass(frozen=True, slots=True)
class PublishedTicket:
    """A ticket with its sections and their pieces; ``fingerprint`` is the hash of all that they were made of."""

    ticket: Ticket
    sections: tuple[TicketSection, ...]
    fingerprint: str
    pieces: tuple[SectionPiece, ...] = ()


def staged_tickets(file: WorkspaceFile) -> list[Ticket]:
    """Return the added tickets, ordered by id."""
    return staged_nouns(file, "tickets", TICKET_CODEC)


def has_tickets(file: WorkspaceFile) -> bool:
    """Return whether any ticket is published."""
    return bool(file.rows("SELECT 1 FROM ticket LIMIT 1", lacked_by=BEFORE_TICKETS))


@dataclass(frozen=True, slots=True)
class TicketCounts:
    """How many tickets are published, how many have each section, and how many links there are of each type."""

    tickets: int = 0
    sections: dict[str, int] = field(default_factory=dict)
    links: dict[str, int] = field(default_factory=dict)
    dangling: int = 0


def count_tickets(file: WorkspaceFile) -> TicketCounts:
    """Count what is published of tickets."""
    if _lacks_tables(file):
        return TicketCounts()
    with file.reading() as db:
        (tickets,) = db.execute("SELECT count(*) FROM ticket").fetchone()
        named = "SELECT section, count(*) FROM ticket_section WHERE text <> '' GROUP BY section ORDER BY 2 DESC, 1"
        types = "SELECT type, count(*) FROM ticket_edge GROUP BY type ORDER BY 2 DESC, 1"
        (dangling,) = db.execute("SELECT count(*) FROM ticket_edge WHERE dangling <> 0").fetchone()
        sections, links = dict(db.execute(named)), dict(db.execute(types))
        _check_texts("ticket_section", *sections)
        _check_texts("ticket_edge", *links)
        return TicketCounts(int(tickets), sections, links, int(dangling))


def fingerprints(file: WorkspaceFile) -> dict[str, str]:
    """Return the fingerprint of each published ticket by its id, in order."""
    return dict(file.rows("SELECT id, fingerprint FROM ticket ORDER BY id", lacked_by=BEFORE_TICKETS))


def read_tickets(file: WorkspaceFile, ids: Sequence[str] | None = None) -> dict[str, PublishedTicket]:
    """Return published tickets by their ids, in order; all of them, or those among ``ids``."""
    if _lacks_tables(file):
        return {}
    found: dict[str, tuple[Ticket, str]] = {}
    sections: dict[str, list[TicketSection]] = {}
    with file.snapshot(), file.reading() as db, damaged_rows("ticket"):
        for where, parameters in _conditions("id", ids):
            rows = db.execute(f"SELECT id, body, fingerprint FROM ticket{where}", parameters)
            for ticket, body, fingerprint in rows:
                found[ticket] = (TICKET_CODEC.read(json.loads(body), id=ticket), fingerprint)
        for where, parameters in _conditions("ticket", ids):
            rows = db.execute(
                f"SELECT ticket, section, parent, text FROM ticket_section{where} ORDER BY rowid", parameters
            )
            for ticket, section, parent, text in rows:
                _check_texts("ticket_section", ticket, section, text, *([] if parent is None else [parent]))
                sections.setdefault(ticket, []).append(TicketSection(ticket, section, parent, text))
    return {i: PublishedTicket(found[i][0], tuple(sections.get(i, ())), found[i][1]) for i in sorted(found)}


def list_ticket_ids(file: WorkspaceFile, after: str = "", limit: int = ALL_ROWS) -> list[str]:
    """Return ids of published tickets in order, from behind one on."""
    select = "SELECT id FROM ticket WHERE id > ? ORDER BY id LIMIT ?"
    rows = file.rows(select, (after, limit), lacked_by=BEFORE_TICKETS)
    _check_texts("ticket", *(i for (i,) in rows))
    return [str(i) for (i,) in rows]


def read_edges(file: WorkspaceFile, ids: Sequence[str] | None = None) -> list[Edge]:
    """Return the edges in order; all of them, or those that begin or end at one of ``ids``."""
    found: set[Edge] = set()
    with file.reading(), damaged_rows("ticket_edge"):
        for column in ("source",) if ids is None else ("source", "target"):
            for where, parameters in _conditions(column, ids):
                select = f"SELECT {EDGE_COLUMNS} FROM ticket_edge{where}"
                rows = file.rows(select, parameters, lacked_by=BEFORE_TICKETS)
                for source, kind, target, origin, dangling, score in rows:
                    _check_texts("ticket_edge", source, kind, target, origin)
                    found.add(Edge(source, kind, target, origin, bool(dangling), float(score)))
    return in_order(found)


def read_field_values(
    file: WorkspaceFile, sections: Sequence[str], lists: Collection[str] = ()
) -> dict[str, list[str]]:
    """Return the values of sections that only hold a field, the most common first; of ``lists`` their parts."""
    found: dict[str, Counter[str]] = {name: Counter() for name in sections}
    select = "SELECT text, count(*) FROM ticket_section WHERE section = ? GROUP BY text"
    for name, counts in found.items():
        for text, count in file.rows(select, (name,), lacked_by=BEFORE_TICKETS):
            for value in dict.fromkeys(text.split(", ") if name in lists else (text,)):
                counts[value] += int(count)
    return {
        name: [value for value, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0])) if value.strip()]
        for name, counts in found.items()
    }


def read_link_types(file: WorkspaceFile) -> tuple[str, ...]:
    """Return the types of the published edges, in order."""
    return tuple(str(name) for (name,) in file.rows(LINK_TYPES, lacked_by=BEFORE_TICKETS))


def read_pieces(file: WorkspaceFile, dimensions: int) -> tuple[list[SectionPiece], Vectors]:
    """Return the pieces of all tickets in the order of their tickets, and their vectors, (pieces, dimensions).

    A piece whose vector is missing or damaged is left out: its ticket is found by its other pieces.
    """
    pieces: list[SectionPiece] = []
    data = bytearray()
    if _lacks_tables(file) or not dimensions:  # without any vector there is no length of one either
        return pieces, np.zeros((0, dimensions), dtype=np.float32)
    with file.reading() as db, damaged_rows("ticket_piece"):
        rows = db.execute(
            "SELECT p.ticket, p.section, p.first, p.last, p.vector, v.data FROM ticket_piece p "
            "JOIN vector v ON v.key = p.vector ORDER BY p.ticket, p.rowid"
        )
        for ticket, section, first, last, key, vector in rows:
            if isinstance(vector, bytes) and len(vector) == 4 * dimensions:
                pieces.append(SectionPiece(ticket, section, int(first), int(last), key))
                data += vector
    vectors = np.frombuffer(bytes(data), dtype="<f4").reshape(-1, dimensions).astype(np.float32, copy=False)
    sound = np.flatnonzero(np.isfinite(vectors).all(axis=1))
    return [pieces[n] for n in sound.tolist()], vectors[sound]


def publish_tickets(
    file: WorkspaceFile, changed: Iterable[PublishedTicket], gone: Iterable[str], template: TicketTemplate
) -> int:
    """Write tickets that changed and drop those that are gone; returns how many. Call it inside a transaction."""
    changed, gone = list(changed), list(gone)
    with file.reading() as db:
        ids = [(one.ticket.id,) for one in changed] + [(i,) for i in gone]
        db.executemany("DELETE FROM ticket_section WHERE ticket = ?", ids)
        db.executemany("DELETE FROM ticket_piece WHERE ticket = ?", ids)
        db.executemany("DELETE FROM ticket WHERE id = ?", ids)
        db.executemany(
            "INSERT INTO ticket VALUES (?, ?, ?)",
            ((o.ticket.id, canonical_json(TICKET_CODEC.body(o.ticket)), o.fingerprint) for o in changed),
        )
        db.executemany(
            "INSERT INTO ticket_section VALUES (?, ?, ?, ?, ?)",
            (
                (s.ticket, s.section, s.parent, "" if s.section == TICKET else template[s.section].relation, s.text)
                for one in changed
                for s in one.sections
            ),
        )
        db.executemany(
            "INSERT INTO ticket_piece VALUES (?, ?, ?, ?, ?)",
            ((p.ticket, p.section, p.start, p.end, p.vector) for one in changed for p in one.pieces),
        )
    return len(ids)


def publish_edges(file: WorkspaceFile, edges: Iterable[Edge], before: Iterable[Edge] | None = None) -> int:
    """Replace the published edges by these; returns how many changed. Call it inside a transaction.

    ``before`` are the published ones, where a build has read them already and holds the lock.
    """
    new = {(e.source, e.type, e.target, e.origin): e for e in edges}
    old = {(e.source, e.type, e.target, e.origin): e for e in (read_edges(file) if before is None else before)}
    gone = [key for key in old if key not in new]
    changed = [e for key, e in new.items() if old.get(key) != e]
    with file.reading() as db:
        db.execute(EDGE_TYPES)  # files of the first tickets have no such index
        db.executemany("DELETE FROM ticket_edge WHERE source = ? AND type = ? AND target = ? AND origin = ?", gone)
        rows = ((e.source, e.type, e.target, e.origin, int(e.dangling), e.score) for e in changed)
        db.executemany(put("ticket_edge", EDGE_COLUMNS, key="source, type, target, origin"), rows)
    return len(gone) + len(changed)


def count_generation(file: WorkspaceFile) -> None:
    """Note that what is published of tickets is another than before. Call it inside a transaction."""
    with damaged_rows("meta"):
        file.note(GENERATION, str(int(file.meta(GENERATION) or 0) + 1))


def _conditions(column: str, ids: Sequence[str] | None) -> Iterator[tuple[str, list[str]]]:
    if ids is None:
        yield "", []
        return
    for part in parts_of(list(ids)):
        yield f" WHERE {column} IN ({marks(part)})", part


def _check_texts(table: str, *values: object) -> None:
    """Refuse values of a row that must be texts and are not (DamagedRowError)."""
    if not {str}.issuperset(map(type, values)):
        raise DamagedRowError(table)


def _lacks_tables(file: WorkspaceFile) -> bool:
    """Return whether the file is of an earlier version, which nobody could bring up to date."""
    return file.meta("schema") in BEFORE_TICKETS
