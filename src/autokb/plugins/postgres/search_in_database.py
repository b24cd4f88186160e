"""A knowledge base that is too large for a process's memory: of each question only what it needs is read.

Postgres finds what is near; the documents and trees of that are read, and the same index as in memory is made of them,
with the numbers of the whole knowledge base. So ranker, gate and answer are the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

import numpy as np

from autokb.core.attributes import Attributes, Match, from_lists
from autokb.core.domain import DomainSpec, Urgent
from autokb.core.errors import UnwritableWorkspaceError
from autokb.core.nouns import DISPLAYED, Solution
from autokb.core.ranking import best_first
from autokb.core.vectors import TokenVectors, Vectors
from autokb.heuristics.urgency import find_urgent
from autokb.pipeline.embedding import Encoder, TokenEncoder
from autokb.pipeline.fed_questions import with_fed_questions
from autokb.pipeline.open_index import embedding_by
from autokb.pipeline.own_features import own_features
from autokb.pipeline.reranking import open_reranker
from autokb.pipeline.searched_store import Found
from autokb.plugins.postgres.kept import Kept
from autokb.plugins.postgres.part_codecs import FITTED, read_document, read_learnt, read_past, read_tree
from autokb.plugins.postgres.parts import DocumentPart, Numbers, PastPart, TreePart
from autokb.plugins.postgres.search_rows import AUDIENCES, LEARNT, OF_ALL, PIECES_OF_ALL, write_search_rows
from autokb.plugins.postgres.search_tables import FOR_ALL, SEARCH_OF, Kind, SearchTables, may_write, searched_rows
from autokb.plugins.postgres.sliced import Slice, SliceReader
from autokb.retrieval.features import SAME_WORDS
from autokb.retrieval.history import Learnt, history_of
from autokb.retrieval.index import QuestionIndex, beginning, calibration_of, gate_of, names_of_values
from autokb.retrieval.knowledge_index import KnowledgeIndex, QuestionMatch
from autokb.retrieval.ranker import packaged_ranker
from autokb.retrieval.read_question import read_question
from autokb.retrieval.recalibration import SETTING as CONFIDENCE
from autokb.retrieval.recalibration import read_recalibration
from autokb.stores.database import damaged_rows
from autokb.stores.published import published_spec, read_published, spec_of
from autokb.stores.store import Store
from autokb.stores.word_index import idf
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.stemming import stem
from autokb.text.word_forms import Spelling, rests
from autokb.text.words import split_words, terms

# How many of the nearest of each kind are looked at, for each reading of a message. The right section is among the
# first 20 by the ranker in .97 of the questions.
MOST = {Kind.WINDOW: 20, Kind.SECTION: 100, Kind.HEADING: 50, Kind.NODE: 50, Kind.ALONE: 20, Kind.PAST: 50}
DOCUMENTS = 32  # that may have what is best are read
NEAREST_WINDOWS = 3  # bring their documents, for the gate
BY_WORDS = 8  # documents with the best texts by BM25, for each reading
RARE_WORDS = 16  # words of a question at most that count for that, the rarest; the many of a whole message mislead
RARE_TEXTS = 500  # texts at most that are looked at for that: those with the rarest of these words
SHOWN = 16  # rows, the best first, whose trees are read: ten are shown at most, others are for others
TREES = 200  # the nearest of those, where many trees show a section
MOST_URGENT = 50  # documents with a section that an urgent warning names by its heading alone
PARTS_IN_MEMORY = 96_000_000  # bytes of documents, trees and past issues that a process keeps, those asked for last
TOKENS_IN_MEMORY = 64_000_000  # bytes of tokens of sections that it keeps
WORDS_IN_MEMORY = 16_000_000  # bytes of words that it keeps
SIZE_OF_WORD = 200  # bytes, of a short text and a number with their places in a dictionary
NO_ROWS = (
    "This knowledge base is to be searched in the database, and what is searched was not written there yet; run "
    "autokb build as a user who may write."
)
P = TypeVar("P", DocumentPart, TreePart, PastPart)


@dataclass(frozen=True)
class TablesOfStore:
    """The search tables of a store, which were there when they were opened."""

    store: Store
    extension: str
    iterates: bool

    @contextmanager
    def read(self) -> Iterator[SearchTables]:
        """Give the tables in one state, through a connection of one's own, so that no thread waits for another."""
        with closing(self.store.connect()) as db, damaged_rows("search_document"):
            db.execute("BEGIN")
            yield SearchTables(db, self.extension, self.iterates)


@dataclass(frozen=True)
class SlicedKnowledge:
    """A knowledge base in the database, as it was published; each question has a connection of its own."""

    tables: TablesOfStore
    reader: SliceReader
    learnt: Learnt
    spelling: Spelling | None
    words: WordsInDatabase
    audiences: KnowledgeIndex  # of nothing but for whom sections are: a solution each, named by the audience
    _documents: Kept[str, DocumentPart] = field(default_factory=lambda: Kept(PARTS_IN_MEMORY // 2), repr=False)
    _trees: Kept[str, TreePart] = field(default_factory=lambda: Kept(PARTS_IN_MEMORY // 4), repr=False)
    _past: Kept[str, PastPart] = field(default_factory=lambda: Kept(PARTS_IN_MEMORY // 4), repr=False)

    def empty(self) -> QuestionIndex:
        """Return an index over nothing, for whoever needs the domain and what all slices share."""
        return self.reader.index(Slice((), (), (), self.words, self.learnt), None)

    def score(self, texts: Sequence[str], said: str = "", overrides: Attributes | None = None) -> Found:
        """Return an index over what the readings of a message need, and what the first of them finds by it.

        ``said`` is all that the customer said, and ``overrides`` replace attributes that are read from the first.
        """
        spelling = self._spelling(texts)
        read = [text if spelling is None else spelling.correct(text) for text in texts]
        embed = _Remembering(self.reader.embed_questions)
        vectors = embed([beginning(text) for text in read])
        urgent = find_urgent(said or read[0], self.reader.spec)
        self.words.look_up(word for text in (*texts, *read) for word in self._words_of(text))
        with self.tables.read() as tables:
            found = self._slice(tables, read, vectors, urgent, self._others(read[0], overrides or {}))
        index = self.reader.index(found, spelling, embed)
        scored = index.score(texts[0], overrides, said=said, also=texts[1:])
        rows = [*scored.urgent, *best_first(scored.scores, SHOWN).tolist()]
        passages = [index.candidates.rows[row].solution.id for row in rows]
        with self.tables.read() as tables:
            trees = {tree.id for tree in found.trees} | {*tables.nearest_trees(vectors[0], passages, TREES)}
            found = replace(found, trees=self._read(tables, "tree", trees, self._trees, read_tree))
        return self.reader.with_trees(index, scored, found)

    def index_with(self, solution: str) -> QuestionIndex:
        """Return an index over the documents that have a passage of this id."""
        with self.tables.read() as tables:
            documents = set(tables.named("document", [solution]))
            found = self._parts(tables, documents, set(tables.named("tree", sorted(documents))), [])
        return self.reader.index(found, None)

    def _words_of(self, text: str) -> Iterator[str]:
        """Give the words of a text as the vocabulary has them, those that tell its language among them."""
        language = self.reader.spec.language
        yield from terms(text, language)
        for word in split_words(text).folded:
            yield stem(word, language)

    def _spelling(self, texts: Sequence[str]) -> Spelling | None:
        """Return what mends the slips of some texts, with the documents' words that matter for them."""
        if self.spelling is None:
            return None
        unknown = list(dict.fromkeys(word for text in texts for word in self.spelling.words_to_look_up(text)))
        if not unknown:
            return self.spelling
        stems = [stem(word, self.reader.spec.language) for word in unknown]
        with self.tables.read() as tables:
            said = tables.said(unknown, stems, [rest for word in unknown for rest in rests(word)])
        return self.spelling.with_words(said)

    def _others(self, text: str, overrides: Attributes) -> list[str]:
        """Return the audiences whose sections are not for who asks."""
        read = read_question(text, overrides, self.reader.spec)
        asked = QuestionMatch(self.audiences, read.attributes, read.within, read.beside)
        return [one for one in self.audiences.combination_of if asked.match(one) is Match.CONFLICT]

    def _saying(self, tables: SearchTables, text: str) -> list[str]:
        """Return the documents with the best texts for the words of a question, by BM25 as in memory."""
        numbers, asked = self.reader.numbers, Counter(terms(text, self.reader.spec.language))
        texts_with = {word: n for word, n in self.words.look_up(asked).items() if n}
        rarest = sorted(texts_with, key=lambda word: (texts_with[word], word))[:RARE_WORDS]
        looked_at = np.cumsum([texts_with[word] for word in rarest])
        rare = rarest[: int(np.searchsorted(looked_at, RARE_TEXTS, side="right"))]
        if not rare:
            return []
        weights = {word: asked[word] * idf(texts_with[word], numbers.chunks) for word in rarest}
        return tables.saying(rare, weights, numbers.length / numbers.chunks, BY_WORDS)

    # Complex: each kind of neighbour brings others along, in this order.
    def _slice(
        self,
        tables: SearchTables,
        texts: Sequence[str],
        vectors: Vectors,
        urgent: Sequence[Urgent],
        others: Sequence[str],
    ) -> Slice:
        documents: set[str] = set()
        trees: set[str] = set()
        past: dict[str, PastPart] = {}
        for text, vector in zip(texts, vectors, strict=True):
            near = _by_kind(tables.nearest(vector, MOST))
            trees |= {*near[Kind.NODE], *near[Kind.ALONE]}
            found = self._read(tables, "past", near[Kind.PAST], self._past, read_past)
            past |= {part.issue.id: part for part in found}
            documents |= self._promising(near, found, vector)
            if others:  # whose sections may be all that is near, and are not shown
                fitting = {kind: MOST[kind] for kind in (Kind.SECTION, Kind.HEADING)}
                documents |= self._promising(_by_kind(tables.nearest(vector, fitting, others)), found, vector)
            documents |= {*self._saying(tables, text)}
            documents |= set(list(near[Kind.WINDOW])[:NEAREST_WINDOWS])
        for one in urgent:
            named = tables.named("document", [one.section.casefold()])
            documents |= {one.document}.intersection(named) if one.document else set(sorted(named)[:MOST_URGENT])
        for tree in self._read(tables, "tree", trees, self._trees, read_tree):
            nodes = np.array([*tree.vectors, *tree.raw.values()])
            if (nodes @ vectors.T).max(initial=-1.0) > SAME_WORDS:  # so its sections are better for it
                documents |= {s.evidence[0].document for s in tree.solutions if s.evidence and s.status in DISPLAYED}
        ordered = sorted(past.values(), key=lambda part: (part.issue.date, part.issue.id))
        return self._parts(tables, documents, trees, ordered)

    def _promising(
        self, near: Mapping[Kind, Mapping[str, float]], past: Sequence[PastPart], vector: Vectors
    ) -> set[str]:
        """Return the documents that may have what is best, by the cosines of their nearest section and heading and by
        the votes of past issues.
        """
        weights = packaged_ranker(reads_tokens=self.reader.read_tokens is not None).weights
        voted = sorted({d for part in past for d in part.issue.documents})
        issues = [part.issue for part in past]
        vectors = np.array([part.vector for part in past], dtype=np.float32).reshape(len(past), len(vector))
        votes = dict(zip(voted, history_of(self.learnt, voted, issues, vectors, None).votes(vector), strict=True))
        scores = {d: weights["votes"] * share for d, share in votes.items()}
        for kind, feature in ((Kind.SECTION, "section"), (Kind.HEADING, "heading")):
            least = min(near[kind].values(), default=0.0)  # what is not among the nearest is farther away
            for document in {*near[Kind.SECTION], *near[Kind.HEADING], *voted}:
                scores[document] = scores.get(document, 0.0) + weights[feature] * near[kind].get(document, least)
        return set(sorted(scores, key=lambda d: (-scores[d], d))[:DOCUMENTS])

    def _parts(self, tables: SearchTables, documents: set[str], trees: set[str], past: list[PastPart]) -> Slice:
        """Return these parts."""
        own = tables.own(sorted(documents))
        return Slice(
            documents=self._read(tables, "document", documents, self._documents, read_document),
            trees=self._read(tables, "tree", trees, self._trees, read_tree),
            past=past,
            texts_with=self.words,
            learnt=replace(
                self.learnt,
                own={document: np.frombuffer(data, dtype=FITTED) for document, _, data in own},
                named={document: issues for document, issues, _ in own},
            ),
        )

    def _read(
        self,
        tables: SearchTables,
        kind: str,
        ids: Collection[str],
        kept: Kept[str, P],
        read: Callable[[str, str, bytes, int], P],
    ) -> list[P]:
        """Return the parts that are there, in the order of their ids."""
        found = kept.get(ids)
        missing = [i for i in ids if i not in found]
        for i, body, vectors in tables.parts(kind, missing) if missing else ():
            found[i] = read(i, body, vectors, self.reader.dimensions)
            kept.keep(i, found[i], found[i].size)
        return [found[i] for i in sorted(found)]


def _by_kind(rows: Iterable[tuple[Kind, str, float]]) -> dict[Kind, dict[str, float]]:
    """Return the cosine of the nearest row of each owner, by kind."""
    near: dict[Kind, dict[str, float]] = {kind: {} for kind in Kind}
    for kind, owner, cosine in rows:
        near[kind].setdefault(owner, cosine)
    return near


class WordsInDatabase:
    """How many chunks have a word: looked up when it is asked for, kept for a while."""

    def __init__(self, tables: TablesOfStore) -> None:
        self._tables = tables
        self._held: Kept[str, int] = Kept(WORDS_IN_MEMORY)

    def look_up(self, words: Iterable[str]) -> Mapping[str, int]:
        """Return how many chunks have each of these words, 0 for one that none has, by one statement."""
        wanted = list(dict.fromkeys(words))
        found = self._held.get(wanted)
        if missing := [word for word in wanted if word not in found]:
            with self._tables.read() as tables:
                counts = tables.texts_with(missing)
            for word in missing:
                found[word] = counts.get(word, 0)
                self._held.keep(word, found[word], SIZE_OF_WORD)
        return found

    def get(self, word: str, default: int = 0, /) -> int:
        """Return how many chunks have a word."""
        return self.look_up([word])[word] or default

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.get(word) > 0


class _Remembering:
    """Embeds the readings of one message, each once: the slice is found by the vectors that are compared later."""

    def __init__(self, embed: Callable[[Sequence[str]], Vectors]) -> None:
        self._embed = embed
        self._held: dict[str, Vectors] = {}

    def __call__(self, texts: Sequence[str]) -> Vectors:
        missing = [text for text in dict.fromkeys(texts) if text not in self._held]
        if missing:
            self._held.update(zip(missing, self._embed(missing), strict=True))
        return np.array([self._held[text] for text in texts], dtype=np.float32)


def open_sliced(workspace: Workspace, file: WorkspaceFile, encoder: Encoder, held: ExitStack) -> SlicedKnowledge:
    """Open the search tables, which must be there; what the settings' reader needs is held open by the stack."""
    settings = dict(file.records("setting"))
    spec = spec_of(workspace, settings)
    tokens = encoder.token_reader(spec.language)
    with file.snapshot(), file.reading() as db, damaged_rows("search_number"):
        tables = SearchTables.of(db)
        assert tables is not None and file.store is not None, "search tables"
        of_store = TablesOfStore(file.store, tables.extension, tables.iterates)
        chunks, length, candidates = np.frombuffer(tables.number(OF_ALL), dtype="<i8").tolist()
        pieces = np.frombuffer(tables.number(PIECES_OF_ALL), dtype=FITTED)
        learnt = read_learnt(tables.number(LEARNT), {}, {})
        audiences = _audiences(json.loads(tables.number(AUDIENCES)), spec)
        generation = file.generation
    spelling = None
    if tokens is not None:
        spelling = Spelling.of((), spec.language, known=tokens.ordinary_words(), extra_words=names_of_values(spec))
    index_of = partial(
        QuestionIndex,
        spec=spec,
        encoder=encoder.name,
        gate=gate_of(settings, encoder.name),
        calibration=calibration_of(settings),
        recalibration=read_recalibration(settings.get(CONFIDENCE)),
        generation=generation,
        caution=workspace.settings.answer.caution,
        read_tokens=None if tokens is None else tokens.question,
        token_spans=None if tokens is None else tokens.spans,
        reranker=open_reranker(workspace.settings, held),
        own=own_features(workspace, file),
    )
    reader = SliceReader(
        index_of=index_of,
        spec=spec,
        embed_questions=encoder.embed_questions,
        dimensions=len(learnt.mean),
        numbers=Numbers(chunks, length, candidates, pieces),
        read_tokens=None if tokens is None else _TokensKept(tokens),
    )
    return SlicedKnowledge(of_store, reader, learnt, spelling, WordsInDatabase(of_store), audiences)


def _audiences(named: Iterable[str], spec: DomainSpec) -> KnowledgeIndex:
    solutions = (
        Solution(one, issue_id="", text="", steps=(), attributes=from_lists(json.loads(one)), evidence=())
        for one in named
        if one != FOR_ALL
    )
    return KnowledgeIndex.of((), (), spec.attributes, solutions)


class _TokensKept:
    """Reads the tokens of sections from the database, and keeps those that were read last."""

    def __init__(self, tokens: TokenEncoder) -> None:
        self._tokens = tokens
        self._held: Kept[str, TokenVectors] = Kept(TOKENS_IN_MEMORY)

    def __call__(self, texts: Sequence[str]) -> list[TokenVectors]:
        found = self._held.get(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        for text, one in zip(missing, self._tokens.read(missing) if missing else (), strict=True):
            found[text] = one
            self._held.keep(text, one, one.vectors.nbytes + one.pieces.nbytes + len(text) + SIZE_OF_WORD)
        return [found[text] for text in texts]


class SearchedDatabase:
    """What questions search of a workspace on Postgres: its search tables."""

    open = staticmethod(open_sliced)

    def count_rows(self, file: WorkspaceFile) -> int:
        """Return roughly how many texts of the newest version are compared with a question."""
        with file.reading() as db:
            return searched_rows(db)

    def is_current(self, file: WorkspaceFile) -> bool:
        """Return whether the tables are those of what is published."""
        return file.meta(SEARCH_OF) == file.generation

    def is_ready(self, file: WorkspaceFile) -> bool:
        """Return whether the tables are current, or older ones are there and this user may not write
        (UnwritableWorkspaceError: there are none).
        """
        with file.reading() as db:
            if self.is_current(file):
                return True
            if may_write(db):
                return False
            if SearchTables.of(db) is None:
                raise UnwritableWorkspaceError(NO_ROWS)
        return True

    def write_rows(self, workspace: Workspace, file: WorkspaceFile, encoder: Encoder) -> None:
        """Write the rows of what is published now that differ."""
        published = with_fed_questions(file, read_published(file))
        spec = published_spec(workspace, published)
        write_search_rows(file, published, spec, embedding_by(file, encoder), encoder.token_reader(spec.language))
