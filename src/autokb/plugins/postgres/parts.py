"""A knowledge base in parts, of which a question reads only some: documents, trees, past issues, and numbers of all.

A document's part and a tree's part say what ``load_index`` would work out of them, so that an index over any of them
is made without an encoder. What is known only of all together is in ``Numbers``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from autokb.core.document_names import DocumentNames
from autokb.core.domain import DomainSpec
from autokb.core.nouns import DISPLAYED, Issue, Passage, Solution
from autokb.core.vectors import TokenVectors, Vectors
from autokb.retrieval.candidates import Candidate, candidates_of, cited_first, searched_texts, without_rejected
from autokb.retrieval.corpus import Corpus
from autokb.retrieval.history import Learnt, PastIssue, issues_that_count, learn
from autokb.retrieval.index import normal_attributes, past_issues
from autokb.retrieval.knowledge_index import KnowledgeIndex
from autokb.retrieval.late_interaction import PIECES
from autokb.stores.published import Published
from autokb.text.word_forms import count_words
from autokb.text.words import terms

K = TypeVar("K")
TREES_AT_ONCE = 500  # whose texts are embedded together, and which are in memory together


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A document as questions need it: row n of each array is chunk n's window, or passage n.

    Passages that people took out of sight are not in it.

    ``chunks`` are the ids of the chunks that have windows, ``terms`` how often each has each word, and
    ``window_chunks`` the chunk of each window.
    """

    id: str
    chunks: tuple[str, ...]
    terms: tuple[Mapping[str, int], ...]
    window_chunks: NDArray[np.int64]
    passages: tuple[Passage, ...]
    windows: Vectors
    sections: Vectors
    headings: Vectors

    @property
    def size(self) -> int:
        """Roughly how many bytes it takes in memory."""
        texts = sum(len(p.section) + 4 * len(p.solution.text) for p in self.passages)
        vectors = self.windows.nbytes + self.sections.nbytes + self.headings.nbytes
        return 2000 + vectors + texts + 3000 * len(self.passages) + 120 * sum(map(len, self.terms))


@dataclass(frozen=True, slots=True)
class TreePart:
    """A tree with all solutions of its nodes, whatever their status: row n of ``vectors`` is the text of issue n.

    ``raw`` has the vectors of the raw issues behind its nodes, ``alone`` those of the texts of solutions that begin in
    no section, ``sections`` the ids of the passages that the others begin in, as long as it is not stored.
    """

    id: str
    issues: tuple[Issue, ...]
    solutions: tuple[Solution, ...]
    vectors: Vectors
    raw: Mapping[str, Vectors]
    alone: Mapping[str, Vectors]
    sections: frozenset[str] = frozenset()

    @property
    def documents(self) -> frozenset[str]:
        """The documents in whose sections its solutions begin."""
        return frozenset(s.evidence[0].document for s in self.solutions if s.evidence)

    @property
    def size(self) -> int:
        """Roughly how many bytes it takes in memory."""
        rows = len(self.issues) + len(self.raw) + len(self.alone)
        texts = sum(len(i.text) for i in self.issues) + sum(4 * len(s.text) for s in self.solutions)
        dimensions = int(self.vectors.shape[1])
        return 2000 + rows * 4 * dimensions + texts + 2000 * (len(self.issues) + len(self.solutions))


@dataclass(frozen=True, slots=True)
class PastPart:
    """A past issue with its vector; its documents are all there."""

    issue: PastIssue
    vector: Vectors

    @property
    def size(self) -> int:
        """Roughly how many bytes it takes in memory."""
        return 1000 + self.vector.nbytes


@dataclass(frozen=True, slots=True)
class Counted:
    """What is counted over a document or a tree, and over all of them.

    ``chunks`` and ``length`` are the texts that BM25 reads and their words in all, ``texts_with`` how many of them have
    a word; ``words`` how often the documents say a word as it is written; ``candidates`` what can be shown, and
    ``pieces`` how many of them have each piece of a word.
    """

    chunks: int
    length: int
    texts_with: Mapping[str, int]
    words: Mapping[str, int]
    candidates: int
    pieces: Mapping[int, int]

    def minus(self, other: Counted) -> Counted:
        """Return the difference to another one; what is the same in both is left out of it."""
        return Counted(
            self.chunks - other.chunks,
            self.length - other.length,
            _difference(self.texts_with, other.texts_with),
            _difference(self.words, other.words),
            self.candidates - other.candidates,
            _difference(self.pieces, other.pieces),
        )

    @staticmethod
    def sum(counted: Iterable[Counted]) -> Counted:
        """Return what is counted over several."""
        chunks = length = candidates = 0
        texts_with, words, pieces = Counter[str](), Counter[str](), Counter[int]()
        for one in counted:
            chunks, length, candidates = chunks + one.chunks, length + one.length, candidates + one.candidates
            texts_with.update(one.texts_with)
            words.update(one.words)
            pieces.update(one.pieces)
        return Counted(chunks, length, texts_with, words, candidates, pieces)


NOTHING_COUNTED = Counted(0, 0, {}, {}, 0, {})


@dataclass(frozen=True)
class Numbers:
    """What is known only of all parts together, but for the words: those of a question are looked up."""

    chunks: int
    length: int
    candidates: int
    pieces: NDArray[np.float64]


@dataclass(frozen=True)
class Parts:
    """A whole knowledge base in parts, each with what is counted over it; trees are made while they are asked for."""

    documents: Mapping[str, tuple[DocumentPart, Counted]]
    trees: Iterator[tuple[TreePart, Counted]]
    past: tuple[PastPart, ...]
    learnt: Learnt


@dataclass(frozen=True)
class PartsReader:
    """Makes the parts of what is published; ``embed`` gives texts their vectors, ``tokens`` those of their tokens."""

    spec: DomainSpec
    embed: Callable[[Sequence[str]], Vectors]
    tokens: Callable[[Sequence[str]], list[TokenVectors]] | None

    def read(self, published: Published, passages: Sequence[Passage]) -> Parts:
        """Return all parts."""
        corpus = Corpus.of(published.kb.documents, published.chunks, self.spec.language)
        windows = corpus.window_vectors(passages, self.embed)
        passages = without_rejected(passages, published.kb.solutions.values())
        documents = {part.id: (part, counted) for part, counted in self._documents(corpus, windows, passages)}
        trees = self._trees(published, passages)
        ids = [d.id for d in corpus.documents]
        past = past_issues(published.told_issues.values(), DocumentNames(corpus.documents))
        past = tuple(past[n] for n in issues_that_count(ids, past))
        vectors = self.embed([one.text for one in past])
        centroids = np.array([centroid(documents[i][0].windows) for i in ids], dtype=np.float32)
        learnt = learn(ids, past, vectors, centroids.reshape(len(ids), vectors.shape[1]), self.spec.language)
        return Parts(documents, trees, tuple(map(PastPart, past, vectors)), learnt)

    def _trees(self, published: Published, passages: Sequence[Passage]) -> Iterator[tuple[TreePart, Counted]]:
        spec, kb = self.spec, published.kb
        issues = [replace(o, attributes=normal_attributes(o.attributes, spec)) for o in kb.issues.values()]
        solutions = [replace(s, attributes=normal_attributes(s.attributes, spec)) for s in kb.solutions.values()]
        knowledge = KnowledgeIndex.of(issues, solutions, spec.attributes, (p.solution for p in passages))
        raw = {i: one.full_text for i, one in published.told_issues.items()}
        trees = iter(_sort_to_trees(knowledge, solutions, candidates_of(knowledge, passages)))
        while some := list(islice(trees, TREES_AT_ONCE)):
            texts = list(dict.fromkeys(text for tree in some for text in tree.texts(raw)))
            vectors = dict(zip(texts, self.embed(texts), strict=True))
            for tree in some:
                yield tree.part(raw, vectors), self._counted((), "", tree.alone)

    # Complex: it takes apart the columns of all documents at once, so that all texts are embedded together.
    def _documents(
        self, corpus: Corpus, vectors: Vectors, passages: Sequence[Passage]
    ) -> Iterator[tuple[DocumentPart, Counted]]:
        own: dict[str, list[Candidate]] = {d.id: [] for d in corpus.documents}
        for passage in passages:
            own[cited_first(passage.solution)].append(Candidate(passage.solution, passage, ()))
        windows: dict[str, list[int]] = {d.id: [] for d in corpus.documents}
        for row, window in enumerate(corpus.windows):
            windows[window.document].append(row)
        chunks = {c.id: c for c in corpus.chunks}
        for document in corpus.documents:
            chunk_of = [corpus.windows[row].chunk for row in windows[document.id]]
            ids = tuple(dict.fromkeys(chunk_of))
            texts = [f"{document.title}\n{chunks[i].context}\n{chunks[i].text}" for i in ids]
            found = tuple(Counter(terms(text, corpus.language)) for text in texts)
            # what is counted reads the tokens, and one run of the encoder gives these and the vectors
            shown = [one for one in own[document.id] if one.solution.status in DISPLAYED or one.is_withheld]
            counted = self._counted(found, f"{document.title}\n{document.text}", shown)
            yield self._document(document.id, ids, found, chunk_of, vectors[windows[document.id]], own), counted

    def _document(
        self,
        document: str,
        chunks: tuple[str, ...],
        found: tuple[Mapping[str, int], ...],
        chunk_of: Sequence[str],
        windows: Vectors,
        own: Mapping[str, Sequence[Candidate]],
    ) -> DocumentPart:
        number = {chunk: n for n, chunk in enumerate(chunks)}
        return DocumentPart(
            id=document,
            chunks=chunks,
            terms=found,
            window_chunks=np.array([number[chunk] for chunk in chunk_of], dtype=np.int64),
            passages=tuple(one.passage for one in own[document] if one.passage is not None),
            windows=windows,
            sections=self.embed([one.searched_text for one in own[document]]),
            headings=self.embed([one.searched_headings for one in own[document]]),
        )

    def _counted(self, found: Sequence[Mapping[str, int]], text: str, shown: Sequence[Candidate]) -> Counted:
        pieces: Counter[int] = Counter()
        if self.tokens is not None:
            for one in self.tokens([candidate.searched_text for candidate in shown]):
                pieces.update(np.unique(one.pieces).tolist())
        texts_with: Counter[str] = Counter()
        for counts in found:
            texts_with.update(counts.keys())
        length = sum(sum(counts.values()) for counts in found)
        return Counted(len(found), length, texts_with, count_words(text), len(shown), pieces)


@dataclass
class _Tree:
    """What of a knowledge base belongs to a tree, before it has vectors."""

    nodes: Sequence[Issue]
    solutions: list[Solution] = field(default_factory=list)
    alone: list[Candidate] = field(default_factory=list)
    sections: set[str] = field(default_factory=set)

    def behind(self, raw: Mapping[str, str]) -> list[str]:
        """Return the raw issues behind its nodes that are there."""
        return [i for node in self.nodes for i in node.raw_issues if i in raw]

    def texts(self, raw: Mapping[str, str]) -> Iterator[str]:
        """Give everything of it that is embedded."""
        yield from (node.text for node in self.nodes)
        yield from (raw[i] for i in self.behind(raw))
        yield from searched_texts(self.alone)

    def part(self, raw: Mapping[str, str], vectors: Mapping[str, Vectors]) -> TreePart:
        """Return it with the vectors of its texts."""
        return TreePart(
            id=self.nodes[0].id,
            issues=tuple(self.nodes),
            solutions=tuple(self.solutions),
            vectors=np.array([vectors[node.text] for node in self.nodes]),
            raw={i: vectors[raw[i]] for i in self.behind(raw)},
            alone={text: vectors[text] for text in searched_texts(self.alone)},
            sections=frozenset(self.sections),
        )


def _sort_to_trees(
    knowledge: KnowledgeIndex, solutions: Iterable[Solution], candidates: Iterable[Candidate]
) -> Iterable[_Tree]:
    """Return the trees with their solutions, sorted by whether these begin in a section."""
    trees = {root: _Tree([knowledge.issues[node] for node in nodes]) for root, nodes in knowledge.trees.items()}
    for solution in solutions:
        if (root := knowledge.root_of.get(solution.issue_id)) is not None:
            trees[root].solutions.append(solution)
    for one in candidates:
        if one.passage is None:
            trees[knowledge.root_of[one.solution.issue_id]].alone.append(one)
            continue
        for view in one.views:
            trees[knowledge.root_of[view.issue_id]].sections.add(one.passage.solution.id)
    return trees.values()


def centroid(windows: Vectors) -> Vectors:
    """Return the mean of a document's windows, of length 1; nothing in all directions of one without windows."""
    if not len(windows):
        return np.zeros(windows.shape[1], dtype=np.float32)
    total = np.add.reduceat(windows, [0], axis=0)
    mean: Vectors = (total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-12))[0]
    return mean


def pieces_as_array(pieces: Mapping[int, int]) -> NDArray[np.float64]:
    """Return the numbers of candidates by piece."""
    found = np.zeros(PIECES)
    found[list(pieces)] = list(pieces.values())
    return found


def _difference(one: Mapping[K, int], other: Mapping[K, int]) -> dict[K, int]:
    keys = one.keys() | other.keys()
    return {key: n for key in keys if (n := one.get(key, 0) - other.get(key, 0))}
