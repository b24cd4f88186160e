"""What questions search in Postgres: vectors by pgvector, the words of all documents, and the parts that are read.

The tables lie beside those of the workspace and follow from what is published. Whoever publishes writes the rows that
differ; who asks needs no more than ``SELECT``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json, digest
from autokb.core.vectors import Vectors
from autokb.stores.sql import put
from autokb.stores.word_index import K1, B
from autokb.stores.workspace_file import parts_of

NEEDS_PGVECTOR = (
    "This knowledge base is to be searched in the database, which needs pgvector there; have an administrator run: "
    "CREATE EXTENSION vector; or set in_database_from under search: in settings.yaml above its rows, to search it in "
    "memory."
)
SEARCH_OF = "search tables by section of"  # meta: the generation that the tables were written for
NEIGHBOURS = 16  # of a row in an HNSW graph (m), pgvector's own default
BUILDING_EFFORT = 64  # rows looked at for each that is added (ef_construction), pgvector's own default
SEARCHING_EFFORT = 200  # rows looked at for a question (hnsw.ef_search), no fewer than are asked for of any kind
HALF_DIGITS = 5  # behind the point, of numbers below 1
ITERATES_FROM = (0, 8)  # version of pgvector that looks on until enough rows pass a filter
FOR_ALL = ""  # the audience of what is for everybody, or is not filtered
ROW_IN_GRAPH = 2  # KiB of maintenance_work_mem for each row while a graph is built, many times as slow without
LEAST_FOR_GRAPH, MOST_FOR_GRAPH = 64 * 1024, 4 * 1024 * 1024  # KiB


class Kind(IntEnum):
    """What a vector is of; its owner is a document, a tree or a past issue."""

    WINDOW = 1
    SECTION = 2
    HEADING = 3
    NODE = 4
    PAST = 5
    ALONE = 6  # a solution of a tree that begins in no section


@dataclass(frozen=True, slots=True)
class WrittenPart:
    """A part as it is stored, with what was counted over it, its vectors by kind, and what it is looked up by.

    ``names`` are a document's headings, case folded, and the ids of its passages, or the documents and passages in
    which a tree's solutions begin. A vector has the audience that it is for. ``texts`` are the words that BM25 reads of
    each text, each as often as it stands there.
    """

    id: str
    body: str
    vectors: bytes
    names: Sequence[str]
    counted: str
    rows: Sequence[tuple[Kind, Vectors, Sequence[str]]]
    texts: Sequence[Sequence[str]] = ()

    @property
    def mark(self) -> str:
        """What tells it from what it was before."""
        audiences = canonical_json([some for _, _, some in self.rows])
        return digest(self.body, self.vectors.hex(), self.counted, audiences, *self.names)


@dataclass(frozen=True, slots=True)
class WordChanges:
    """How often words stand in texts, more or less often than before.

    ``texts_with`` are those of BM25, ``said`` those as they are written, with the ``stems`` of new ones and what is
    left of them without a letter.
    """

    texts_with: Mapping[str, int]
    said: Mapping[str, int]
    stems: Mapping[str, str]
    rests: Mapping[str, Sequence[str]]


TABLES = {"document": "search_document", "tree": "search_tree", "past": "search_past"}
_ALL = (*TABLES.values(), *(f"search_{other}" for other in ("row", "text", "term", "word", "rest", "number", "own")))
_OWNERS = {"document": (Kind.WINDOW, Kind.SECTION, Kind.HEADING), "tree": (Kind.NODE, Kind.ALONE), "past": (Kind.PAST,)}
_PARTS = 'id text COLLATE "C" PRIMARY KEY, mark text NOT NULL, body text NOT NULL, vectors bytea NOT NULL, '
_SCHEMA = (
    *(
        f"CREATE TABLE IF NOT EXISTS {table} ({_PARTS} names text[] NOT NULL, counted text NOT NULL)"
        for table in TABLES.values()
    ),
    "CREATE INDEX IF NOT EXISTS search_document_names ON search_document USING gin (names)",
    "CREATE INDEX IF NOT EXISTS search_tree_names ON search_tree USING gin (names)",
    # Words as often as a text has them: an index of them costs a few bytes a word, a row for each some hundred.
    'CREATE TABLE IF NOT EXISTS search_text (document text COLLATE "C" NOT NULL, words text[] COLLATE "C" NOT NULL)',
    "CREATE INDEX IF NOT EXISTS search_text_document ON search_text (document)",
    "CREATE INDEX IF NOT EXISTS search_text_words ON search_text USING gin (words)",
    'CREATE TABLE IF NOT EXISTS search_term (word text COLLATE "C" PRIMARY KEY, texts bigint NOT NULL)',
    'CREATE TABLE IF NOT EXISTS search_word (word text COLLATE "C" PRIMARY KEY, '
    'stem text COLLATE "C" NOT NULL, said bigint NOT NULL)',
    "CREATE INDEX IF NOT EXISTS search_word_stem ON search_word (stem)",
    'CREATE TABLE IF NOT EXISTS search_rest (rest text COLLATE "C", word text COLLATE "C", PRIMARY KEY (rest, word))',
    "CREATE INDEX IF NOT EXISTS search_rest_word ON search_rest (word)",
    "CREATE TABLE IF NOT EXISTS search_number (name text PRIMARY KEY, value bytea NOT NULL)",
    'CREATE TABLE IF NOT EXISTS search_own (document text COLLATE "C" PRIMARY KEY, issues bigint NOT NULL, '
    "coefficients bytea NOT NULL)",
)


@dataclass(frozen=True)
class SearchTables:
    """The tables through one connection of the workspace; ``extension`` is the schema that pgvector's types are in.

    ``iterates`` says whether pgvector looks on where a filter takes away what is nearest.
    """

    db: Any
    extension: str
    iterates: bool

    @classmethod
    def of(cls, db: Any) -> SearchTables | None:
        """Return the tables, None where they were never made, or by a version that kept no words in them."""
        if db.execute("SELECT to_regclass('search_text')").fetchone()[0] is None:
            return None
        return cls(db, *_extension(db))

    @classmethod
    def made(cls, db: Any, dimensions: int) -> SearchTables:
        """Return the tables, made where they are missing, anew for vectors of another length (BadInputError: pgvector
        is not there). Call it inside a transaction.
        """
        if not _extension(db)[0]:
            available = db.execute("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'").fetchone()
            may = db.execute("SELECT has_database_privilege(current_database(), 'CREATE')").fetchone()[0]
            if not available or not may:
                raise BadInputError(NEEDS_PGVECTOR)
            db.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        found = cls(db, *_extension(db))
        if found._dimensions() not in (0, dimensions) or cls.of(db) is None:
            found.drop()
        for statement in _SCHEMA:
            db.execute(statement)
        db.execute(
            'CREATE TABLE IF NOT EXISTS search_row (kind smallint NOT NULL, owner text COLLATE "C" NOT NULL, '
            f'audience text COLLATE "C" NOT NULL, vector {found.extension}.halfvec({int(dimensions)}) NOT NULL)'
        )
        db.execute("CREATE INDEX IF NOT EXISTS search_row_owner ON search_row (owner, kind)")
        return found

    def _dimensions(self) -> int:
        """Return the length of the vectors that are kept; 0 where none are."""
        row = self.db.execute(
            "SELECT atttypmod FROM pg_attribute WHERE attrelid = to_regclass('search_row') AND attname = 'vector'"
        ).fetchone()
        return int(row[0]) if row else 0

    def drop(self) -> None:
        """Take all tables away; call it inside a transaction."""
        for table in _ALL:
            self.db.execute(f"DROP TABLE IF EXISTS {table}")

    def make_graphs(self) -> None:
        """Make the graphs of all kinds where they are missing, after the first rows are in; inside a transaction."""
        for kind in Kind:
            (rows,) = self.db.execute("SELECT count(*) FROM search_row WHERE kind = ?", (int(kind),)).fetchone()
            room = min(max(ROW_IN_GRAPH * rows, LEAST_FOR_GRAPH), MOST_FOR_GRAPH)
            self.db.execute(f"SET LOCAL maintenance_work_mem = '{room}kB'")
            self.db.execute(
                f"CREATE INDEX IF NOT EXISTS search_row_{kind.name.lower()} ON search_row "
                f"USING hnsw (vector {self.extension}.halfvec_ip_ops) "
                f"WITH (m = {NEIGHBOURS}, ef_construction = {BUILDING_EFFORT}) WHERE kind = {kind:d}"
            )

    def count_rows(self) -> None:
        """Have the server count what is in the tables, by which it plans; a table that was filled and not counted is
        read from one end to the other. Call it inside a transaction.
        """
        for table in _ALL:
            self.db.execute(f"ANALYZE {table}")

    # -- writing -----------------------------------------------------------------------------------

    def marks(self, kind: str) -> dict[str, str]:
        """Return the marks of all parts of a kind by their ids."""
        return dict(self.db.execute(f"SELECT id, mark FROM {TABLES[kind]}").fetchall())

    def counted(self, kind: str, ids: Sequence[str]) -> list[str]:
        """Return what was counted over some parts."""
        rows = self.db.execute(f"SELECT counted FROM {TABLES[kind]} WHERE id = ANY(?)", (list(ids),)).fetchall()
        return [counted for (counted,) in rows]

    def write(self, kind: str, parts: Sequence[WrittenPart], gone: Sequence[str]) -> None:
        """Write parts in the place of what they were, and take others out; call it inside a transaction."""
        touched = [*(part.id for part in parts), *gone]
        owned = [int(one) for one in _OWNERS[kind]]
        self.db.execute("DELETE FROM search_row WHERE owner = ANY(?) AND kind = ANY(?)", (touched, owned))
        self.db.execute(f"DELETE FROM {TABLES[kind]} WHERE id = ANY(?)", (list(gone),))
        if kind == "document":
            self.db.execute("DELETE FROM search_text WHERE document = ANY(?)", (touched,))
        columns = "id, mark, body, vectors, names, counted"
        insert = f"INSERT INTO search_row VALUES (?, ?, ?, CAST(? AS {self.extension}.halfvec))"
        for some in parts_of(parts):
            rows = ((p.id, p.mark, p.body, p.vectors, list(p.names), p.counted) for p in some)
            self.db.executemany(put(TABLES[kind], columns, key="id"), rows)
            of_parts = (
                (int(k), p.id, audience, half)
                for p in some
                for k, vectors, audiences in p.rows
                for audience, half in zip(audiences, halves(vectors), strict=True)
            )
            self.db.executemany(insert, of_parts)
            texts = ((p.id, list(words)) for p in some for words in p.texts)
            self.db.executemany("INSERT INTO search_text VALUES (?, ?)", texts)

    def change_words(self, changes: WordChanges) -> None:
        """Count words; one that no text has any more is forgotten. Call it inside a transaction."""
        self.db.executemany(
            "INSERT INTO search_term VALUES (?, ?) ON CONFLICT (word) DO UPDATE "
            "SET texts = search_term.texts + excluded.texts",
            changes.texts_with.items(),
        )
        self.db.executemany(
            "INSERT INTO search_word VALUES (?, ?, ?) ON CONFLICT (word) DO UPDATE "
            "SET said = search_word.said + excluded.said",
            ((word, changes.stems[word], n) for word, n in changes.said.items()),
        )
        self.db.executemany(
            "INSERT INTO search_rest VALUES (?, ?) ON CONFLICT DO NOTHING",
            ((rest, word) for word, rests in changes.rests.items() for rest in rests),
        )
        fewer = [word for word, n in changes.texts_with.items() if n < 0]
        self.db.execute("DELETE FROM search_term WHERE texts <= 0 AND word = ANY(?)", (fewer,))
        fewer = [word for word, n in changes.said.items() if n < 0]
        forget = "DELETE FROM search_word WHERE said <= 0 AND word = ANY(?) RETURNING word"
        forgotten = [word for (word,) in self.db.execute(forget, (fewer,)).fetchall()]
        self.db.execute("DELETE FROM search_rest WHERE word = ANY(?)", (forgotten,))

    def keep_number(self, name: str, value: bytes) -> None:
        """Keep what is known of all; call it inside a transaction."""
        self.db.execute(put("search_number", "name, value", key="name"), (name, value))

    def own_marks(self) -> dict[str, tuple[int, bytes]]:
        """Return the documents' own columns as they are."""
        rows = self.db.execute("SELECT document, issues, coefficients FROM search_own").fetchall()
        return {document: (int(n), bytes(data)) for document, n, data in rows}

    def change_own(self, changed: Mapping[str, tuple[int, bytes]], gone: Sequence[str]) -> None:
        """Keep documents' own columns; call it inside a transaction."""
        self.db.execute("DELETE FROM search_own WHERE document = ANY(?)", (list(gone),))
        rows = ((document, n, data) for document, (n, data) in changed.items())
        self.db.executemany(put("search_own", "document, issues, coefficients", key="document"), rows)

    # -- asking ------------------------------------------------------------------------------------

    def number(self, name: str) -> bytes:
        """Return what is known of all (LookupError where it is not kept)."""
        row = self.db.execute("SELECT value FROM search_number WHERE name = ?", (name,)).fetchone()
        if row is None:
            raise LookupError(name)
        return bytes(row[0])

    def nearest(
        self, vector: Vectors, most: Mapping[Kind, int], without: Sequence[str] = ()
    ) -> list[tuple[Kind, str, float]]:
        """Return the owners of the nearest rows of each kind with their cosines; call it inside a transaction.

        Rows for the audiences ``without`` are skipped, and others found in their place.
        """
        self.db.execute(f"SET LOCAL hnsw.ef_search = {SEARCHING_EFFORT}")
        if without and self.iterates:
            self.db.execute("SET LOCAL hnsw.iterative_scan = strict_order")
        fits = "AND audience <> ALL(CAST(? AS text[])) " if without else ""
        asked = f"OPERATOR({self.extension}.<#>) CAST(? AS {self.extension}.halfvec)"
        parts = [
            f"(SELECT kind, owner, vector {asked} FROM search_row WHERE kind = {kind:d} "
            f"{fits}ORDER BY vector {asked} LIMIT {int(n)})"
            for kind, n in most.items()
        ]
        half = halves([vector])
        each = [*half, list(without), *half] if without else half * 2
        rows = self.db.execute(" UNION ALL ".join(parts), each * len(parts)).fetchall()
        return [(Kind(kind), owner, -float(distance)) for kind, owner, distance in rows]

    def saying(self, rare: Sequence[str], words: Mapping[str, float], length: float, most: int) -> list[str]:
        """Return the documents of the texts with one of the ``rare`` words that are best by BM25, the best first.

        ``words`` are those that count, with their weights (idf, times how often they are asked), ``length`` is the
        mean of the words of all texts.
        """
        weight = (
            f"weight * often * {K1 + 1} / (often + {K1} * ({1 - B} + {B} * cardinality(t.words) / CAST(? AS float8)))"
        )
        rows = self.db.execute(
            "WITH asked AS (SELECT * FROM unnest(CAST(? AS text[]), CAST(? AS float8[])) AS a (word, weight)) "
            f"SELECT document FROM (SELECT document, (SELECT sum({weight}) FROM (SELECT weight, "
            "cardinality(array_positions(t.words, asked.word)) AS often FROM asked) AS f) AS score "
            # || has the words of a text unpacked once, not for each word that is asked
            "FROM (SELECT document, words || CAST('{}' AS text[]) AS words FROM search_text "
            "WHERE words && CAST(? AS text[]) OFFSET 0) AS t) AS scored "
            "GROUP BY document ORDER BY max(score) DESC, document LIMIT ?",
            (list(words), list(words.values()), length, list(rare), most),
        )
        return [document for (document,) in rows.fetchall()]

    def named(self, kind: str, names: Sequence[str]) -> list[str]:
        """Return the ids of documents with one of these headings or passages, or of trees that cite these documents."""
        rows = self.db.execute(f"SELECT id FROM {TABLES[kind]} WHERE names && CAST(? AS text[])", (list(names),))
        return [found for (found,) in rows.fetchall()]

    def nearest_trees(self, vector: Vectors, passages: Sequence[str], most: int) -> list[str]:
        """Return the trees that show one of these passages, the nearest by any of their nodes and raw issues first."""
        rows = self.db.execute(
            "SELECT t.id FROM search_tree t JOIN search_row r ON r.owner = t.id "
            f"WHERE r.kind = {Kind.NODE:d} AND t.names && CAST(? AS text[]) GROUP BY t.id "
            f"ORDER BY min(r.vector OPERATOR({self.extension}.<#>) CAST(? AS {self.extension}.halfvec)), t.id LIMIT ?",
            (list(passages), *halves([vector]), most),
        )
        return [found for (found,) in rows.fetchall()]

    def parts(self, kind: str, ids: Sequence[str]) -> list[tuple[str, str, bytes]]:
        """Return id, body and vectors of parts that are there."""
        rows = self.db.execute(f"SELECT id, body, vectors FROM {TABLES[kind]} WHERE id = ANY(?)", (list(ids),))
        return [(i, body, bytes(vectors)) for i, body, vectors in rows.fetchall()]

    def own(self, documents: Sequence[str]) -> list[tuple[str, int, bytes]]:
        """Return the own columns of documents that have one, with how many issues name them."""
        select = "SELECT document, issues, coefficients FROM search_own WHERE document = ANY(?)"
        return [(d, int(n), bytes(data)) for d, n, data in self.db.execute(select, (list(documents),)).fetchall()]

    def texts_with(self, words: Sequence[str]) -> dict[str, int]:
        """Return how many texts have each of these words, for those that one has."""
        rows = self.db.execute("SELECT word, texts FROM search_term WHERE word = ANY(?)", (list(words),))
        return {word: int(n) for word, n in rows.fetchall()}

    def said(self, words: Sequence[str], stems: Sequence[str], rests: Sequence[str]) -> dict[str, int]:
        """Return how often the documents say words that are these, have their stems, or are perhaps one slip away."""
        rows = self.db.execute(
            "SELECT word, said FROM search_word WHERE word = ANY(?) OR stem = ANY(?) UNION "
            "SELECT w.word, w.said FROM search_rest r JOIN search_word w ON w.word = r.word WHERE r.rest = ANY(?)",
            (list(words), list(stems), list(rests)),
        )
        return {word: int(n) for word, n in rows.fetchall()}


def halves(vectors: Vectors | Sequence[Vectors]) -> list[str]:
    """Return vectors as pgvector reads them, with the digits that a number of two bytes has."""
    return [str(row) for row in np.round(np.array(vectors, dtype=np.float64), HALF_DIGITS).tolist()]


def may_write(db: Any) -> bool:
    """Return whether this user may make and write tables of the workspace."""
    return bool(db.execute("SELECT has_schema_privilege(current_schema(), 'CREATE')").fetchone()[0])


def searched_rows(db: Any) -> int:
    """Return roughly how many texts of the newest version are compared with a question: three for each chunk (its
    window, its section, its heading), each node and each raw issue.
    """
    chunks = "SELECT coalesce(sum(json_array_length(body::json -> 'chunks')), 0) FROM record WHERE kind = 'document'"
    others = "SELECT count(*) FROM record WHERE kind IN ('issue', 'raw_issue')"
    (found,) = db.execute(f"SELECT 3 * ({chunks}) + ({others})").fetchone()
    return int(found)


def _extension(db: Any) -> tuple[str, bool]:
    """Return the quoted schema that pgvector is in, empty where it is not there, and whether it looks on."""
    row = db.execute(
        "SELECT quote_ident(n.nspname), e.extversion FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace "
        "WHERE e.extname = 'vector'"
    ).fetchone()
    if not row:
        return "", False
    major, minor = str(row[1]).split(".")[:2]
    return str(row[0]), (int(major), int(minor)) >= ITERATES_FROM
