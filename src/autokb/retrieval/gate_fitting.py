"""Fits the gate of a knowledge base: its own issues, or its headings, against everyday questions about other things.

It reads two cosines, to the nearest window of a document and to the nearest node or raw issue (to the nearest section
where there is none), and two things about the words: the share that no document has, and whether the question opens
with a subject of everyday life that the knowledge base never speaks of. Decision 20 has what was tried beside these.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from autokb.chunking.windows import Window
from autokb.core.domain import DomainSpec
from autokb.core.nouns import Document, Evidence
from autokb.core.ranking import Scores
from autokb.core.vectors import Vectors
from autokb.retrieval.everyday_subjects import find_foreign_subject, packaged_vectors, subjects_in
from autokb.retrieval.gate import NEAR_DUPLICATE, Coefficients, Gate, WordWeights, fit_gate
from autokb.retrieval.index import QuestionIndex
from autokb.retrieval.knowledge_index import KnowledgeIndex
from autokb.retrieval.logistic import fit_logistic
from autokb.text.lexicons import AsWritten, WordLists, word_lists
from autokb.text.markdown import Section, sections
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences

CHARACTERS = 150  # of a section's first sentence, about as long as a question

SectionQuestion = tuple[str, Section, str]  # document id, the section, what is asked


def section_questions(document: Document, language: str) -> Iterator[SectionQuestion]:
    """Give for each section its heading with the one above, and its first sentence."""
    for section in sections(document.text):
        if section.headings:
            above = (document.title, *section.headings)[-2:]
            yield document.id, section, " ".join(dict.fromkeys(above)).strip()
        spans = sentences(document.text, section.start, section.own_end, language=language)[bool(section.headings) :]
        if spans and (first := plain_text(document.text[slice(*spans[0])])[:CHARACTERS].strip()):
            yield document.id, section, first


ON_TOPIC_ODDS = 8.0  # eight of nine questions that a knowledge base is asked are taken to be on topic
FEWEST_CASES = 20  # below so many issues, sections stand in for them; below so many of either side, nothing is fitted
MOST_CASES = 1000  # issues or sections that are scored; more would cost time and change nothing
OFF_TOPIC = 0.1  # a raw issue below this, at even odds, is taken to be off topic itself
NEAR_KIND = 0.75  # share of a kind's questions that pass: from here on the kind is too near to be refused
ROWS_AT_ONCE = 256  # issues compared with all others at once: bounds the memory of the table of cosines
FEWEST_REPORTS = 3  # distinct raw issues that name a subject before it is the knowledge base's own
# Weights of the cosines to windows and to nodes or issues, of the unknown share and of a foreign subject, towards which
# those of a knowledge base are drawn, and how strongly. Everyday questions are far from most knowledge bases, so they
# cannot say what a near one's words are worth: these fit 294 questions over five bases (decision 20).
EXPECTED = (15.0, 7.0, -2.0, -6.0)
PULL = (1.0, 1.0, 1.0, 10.0)
SIGNS = np.array([1.0, 1.0, -1.0, -1.0])  # nearness never counts against a question, an unknown word never for it

T = TypeVar("T")
# A row a question: its cosine to the nearest window, to the nearest node or issue, the share of its words that no
# document has, and 1 where it opens with a foreign subject.
Cases = NDArray[np.float64]


@dataclass(frozen=True)
class EverydayQuestions(WordLists):
    """Questions about other things than a knowledge base's own, by kind; a language may lack them."""

    file = "everyday_questions"
    questions: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)


def everyday_questions(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the packaged questions of a language by kind, nothing where it has none."""
    return word_lists(EverydayQuestions, language).questions


def fit_question_gate(
    index: QuestionIndex,
    raw: Mapping[str, Vectors],
    texts: Mapping[str, str],
    documents: Sequence[Document],
    embed: Callable[[Sequence[str]], Vectors],
    *,
    reads_words: bool = True,
) -> Gate:
    """Fit a logistic gate on the raw issues (their vectors and texts) or, where they are few, on the sections.

    Each is scored as if it were asked anew: an issue without itself, its near duplicates and a tree grown from them
    alone, a section without its own windows and words. A language without everyday questions, and a knowledge base with
    too little of its own, have a gate of a bare cosine. One for questions in other languages than the documents', whose
    words no document has, does not read them.
    """
    everyday, known, ids = everyday_questions(index.spec.language), _Known.of(index, raw), list(raw)
    if everyday:
        distinct = known.distinct(thinned(sorted(range(len(ids)), key=ids.__getitem__)))
        reports = [texts[ids[n]] for n in distinct]
        words = _Words(index, find_own_subjects(index.spec, documents, reports))
        if len(reports) >= FEWEST_CASES:
            own, described = np.hstack([known.score_issues(known.raw[distinct]), words.weigh(reports)]), "raw issues"
        else:
            own, described = _score_sections(known, words, documents, embed), "headings and first sentences"
        if len(own) >= FEWEST_CASES:

            def score(asked: Sequence[str], vectors: Vectors) -> Cases:
                return np.hstack([known.score(vectors), words.weigh(asked)])

            kinds = score_everyday(everyday, index.encoder, embed, score)
            if not reads_words:
                for cases in (own, *kinds.values()):
                    cases[:, 2:] = 0.0
            fitted = fit_against(own, kinds, index.encoder, described, tuple(sorted(words.subjects)))
            if fitted:
                return fitted if reads_words else replace(fitted, words=None)
    vectors = np.array(list(raw.values()), dtype=np.float32).reshape(len(raw), known.windows.shape[1])
    return fit_gate(index.encoder, vectors, [known.windows])


def off_topic_issues(index: QuestionIndex, raw: Mapping[str, Vectors]) -> frozenset[str]:
    """Return the raw issues that a fitted gate takes to be off topic, each scored without itself and its likes.

    Their words do not count: one that opens with a foreign subject may be the first report of it.
    """
    weights = index.gate.coefficients
    if weights is None or not raw:
        return frozenset()
    known, ids = _Known.of(index, raw), np.array(list(raw), dtype=object)

    def far(rows: NDArray[np.int64], among: _Known) -> NDArray[np.int64]:
        cases = among.score_issues(known.raw[rows])
        odds = weights.intercept - math.log(ON_TOPIC_ODDS) + cases @ np.array([weights.documents, weights.issues])
        found: NDArray[np.int64] = rows[odds < math.log(OFF_TOPIC / (1 - OFF_TOPIC))]
        return found

    # Nearness never counts against an issue, so one that is near enough to a few is near enough to all: few are left.
    return frozenset(ids[far(far(np.arange(len(raw)), known.of_few()), known)].tolist())


def fit_against(
    own: Cases,
    kinds: Mapping[str, Cases],
    encoder: str,
    described: str,
    subjects: tuple[str, ...],
    odds: float = ON_TOPIC_ODDS,
) -> Gate | None:
    """Fit without own cases that are off topic, then without kinds that pass; None where too little is left."""
    everything = np.vstack(list(kinds.values()))
    first = _fit_weights(own, everything)
    kept = own[_log_odds(first, own) >= math.log(OFF_TOPIC / (1 - OFF_TOPIC))]
    if len(kept) < FEWEST_CASES:
        return None
    prior = math.log(odds)
    second = _fit_weights(kept, everything)
    passing = {kind: float((_log_odds(second, cases) + prior >= 0).mean()) for kind, cases in kinds.items()}
    left_out = tuple(sorted(kind for kind, share in passing.items() if share >= NEAR_KIND))
    foreign = [cases for kind, cases in kinds.items() if kind not in left_out]
    if sum(map(len, foreign)) < FEWEST_CASES:
        return None
    near, issues, unknown, subject, intercept = (round(float(w), 4) for w in _fit_weights(kept, np.vstack(foreign)))
    source = f"fitted on {len(kept)} {described} and {sum(map(len, foreign))} everyday questions"
    coefficients = Coefficients(round(intercept + prior, 4), near, issues)
    return Gate(
        threshold=None,
        encoder=encoder,
        date=None,
        source=source,
        coefficients=coefficients,
        left_out=left_out,
        words=WordWeights(unknown, subject, subjects),
    )


# -- what is near -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Known:
    """What a question can be near to. ``raw`` holds all raw issues, ``visible`` the rows of those that are searched.

    ``tree_of`` is the tree of each node, and tree n has grown from the raw issues ``members[starts[n]:starts[n + 1]]``.
    ``sections`` take the place of nodes and issues where there are none.
    """

    windows: Vectors
    sections: Vectors
    nodes: Vectors
    raw: Vectors
    visible: NDArray[np.int64]
    tree_of: NDArray[np.int64]
    members: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, index: QuestionIndex, raw: Mapping[str, Vectors]) -> _Known:
        knowledge, windows = index.nodes.knowledge, index.chunks.vectors.vectors
        row = {raw_id: n for n, raw_id in enumerate(raw)}
        place = {root: n for n, root in enumerate(knowledge.trees)}
        trees = [_reports(knowledge, nodes, row) for nodes in knowledge.trees.values()]
        members = list(chain.from_iterable(trees))
        past = (row[p.id] for p in index.history.issues if p.id in row)
        return cls(
            windows=windows,
            sections=index.candidates.vectors[: None if index.has_no_issues else 0],
            nodes=index.nodes.vectors,
            raw=np.array(list(raw.values()), dtype=np.float32).reshape(len(raw), windows.shape[1]),
            visible=np.array(sorted({*members, *past}), dtype=np.int64),
            tree_of=np.array([place[knowledge.root_of[i]] for i in knowledge.ids], dtype=np.int64),
            members=np.array(members, dtype=np.int64),
            starts=np.cumsum([0, *map(len, trees)]),
        )

    def score(self, vectors: Vectors | Sequence[Vectors]) -> Cases:
        """Score texts that the knowledge base has not seen."""
        texts = np.asarray(vectors, dtype=np.float32).reshape(len(vectors), self.windows.shape[1])
        issues = [_best(texts @ known.T) for known in (self.nodes, self.raw[self.visible], self.sections)]
        return np.column_stack([_best(texts @ self.windows.T), np.max(issues, axis=0)])

    def distinct(self, rows: Sequence[int]) -> list[int]:
        """Return these raw issues without those that are near duplicates of an earlier one."""
        found: list[int] = []
        for row in rows:
            if not found or (self.raw[found] @ self.raw[row]).max() < NEAR_DUPLICATE:
                found.append(row)
        return found

    def of_few(self) -> _Known:
        """Return what is known with few of the issues, and without nodes: all is at least as near to what is known."""
        visible = np.array(thinned(self.visible.tolist()), dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        few = replace(self, raw=self.raw[visible], visible=np.arange(len(visible)), nodes=self.nodes[:0])
        return replace(few, tree_of=none, members=none, starts=np.zeros(1, dtype=np.int64))

    def score_issues(self, vectors: Vectors) -> Cases:
        """Score raw issues without themselves, their near duplicates, and trees grown from those alone."""
        found = [self.score([])]
        for start in range(0, len(vectors), ROWS_AT_ONCE):
            asked = vectors[start : start + ROWS_AT_ONCE]
            cosines = asked @ self.raw.T
            others = cosines < NEAR_DUPLICATE
            nodes = np.where(self._keeps_trees(others)[:, self.tree_of], asked @ self.nodes.T, -1.0)
            visible = np.where(others, cosines, -1.0)[:, self.visible]
            issues = np.maximum(_best(nodes), _best(visible))
            found.append(np.column_stack([_best(asked @ self.windows.T), issues]))
        return np.vstack(found)

    def _keeps_trees(self, others: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for each asked issue which trees other reports have grown, too; a tree without reports stays."""
        reports = np.zeros((len(others), len(self.members) + 1), dtype=np.int64)
        reports[:, 1:] = np.cumsum(others[:, self.members], axis=1)
        kept: NDArray[np.bool_] = (np.diff(reports[:, self.starts], axis=1) > 0) | (np.diff(self.starts) == 0)
        return kept


def _reports(knowledge: KnowledgeIndex, nodes: Iterable[str], row: Mapping[str, int]) -> list[int]:
    """Return the rows of the raw issues that the nodes of a tree have grown from."""
    return sorted({row[raw] for node in nodes for raw in knowledge.issues[node].raw_issues if raw in row})


def _best(cosines: NDArray[Any]) -> NDArray[np.float64]:
    """Return each row's highest cosine; nothing known is near nothing."""
    return np.asarray(cosines.max(axis=1, initial=-1.0), dtype=np.float64)


# -- what the words say -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Words:
    """The words of a knowledge base: those of its documents, and the subjects of everyday life that are its own."""

    index: QuestionIndex
    subjects: frozenset[str]

    def weigh(self, texts: Sequence[str], without: Sequence[Collection[int]] | None = None) -> Cases:
        """Return of each text the unknown share and whether its subject is foreign; ``without`` are chunks of each."""
        words, language = self.index.chunks.words, self.index.spec.language
        unknown = [words.unknown_share(t, w) for t, w in zip(texts, without or [()] * len(texts), strict=True)]
        foreign = [find_foreign_subject(text, self.subjects, language) is not None for text in texts]
        return np.column_stack([unknown, foreign]).astype(np.float64).reshape(len(texts), 2)


def own_names(spec: DomainSpec) -> list[str]:
    """Return what a domain calls its own: its description, and the names, values and synonyms of its attributes."""
    attributes = spec.attributes.values()
    names = [n for a in attributes for n in (a.name, *a.values, *a.examples, *chain(*a.synonyms.values()))]
    return [spec.description, *names]


def find_own_subjects(spec: DomainSpec, documents: Sequence[Document], reports: Sequence[str]) -> frozenset[str]:
    """Return the subjects of everyday life that documents or the domain name, or several reports."""
    own = [f"{document.title}\n{document.text}" for document in documents] + own_names(spec)
    said = Counter(subject for report in reports for subject in subjects_in(report, spec.language))
    several = {subject for subject, reporters in said.items() if reporters >= FEWEST_REPORTS}
    return frozenset(several.union(*(subjects_in(text, spec.language) for text in own)))


def score_everyday(
    everyday: Mapping[str, tuple[str, ...]],
    encoder: str,
    embed: Callable[[Sequence[str]], Vectors],
    score: Callable[[Sequence[str], Vectors], Cases],
) -> dict[str, Cases]:
    """Score the everyday questions, whose vectors are packaged for one encoder, by kind."""
    asked = [question for questions in everyday.values() for question in questions]
    packaged = packaged_vectors(asked, encoder)
    cases = score(asked, embed(asked) if packaged is None else packaged)
    ends = np.cumsum([len(questions) for questions in everyday.values()])[:-1]
    return dict(zip(everyday, np.split(cases, ends), strict=True))


# -- sections in the place of issues ----------------------------------------------------------------------------------


def _score_sections(
    known: _Known, words: _Words, documents: Sequence[Document], embed: Callable[[Sequence[str]], Vectors]
) -> Cases:
    """Score what stands in for questions about the sections, each without what its section itself gives."""
    index = words.index
    stand_ins = thinned([q for d in documents for q in section_questions(d, index.spec.language)])
    texts = [text for _, _, text in stand_ins]
    vectors = embed(texts)
    cases = known.score(vectors)
    chunks = {chunk: row for row, chunk in enumerate(index.chunks.chunks)}
    without = []
    windows = index.chunks.windows
    begun = [one.solution.evidence[0] for one in index.candidates.rows[: len(known.sections)]]
    for n, (document, section, _) in enumerate(stand_ins):
        own = _which_overlap(windows, document, section)
        cases[n, 0] = (known.windows[~own] @ vectors[n]).max(initial=-1.0)
        if begun:
            cases[n, 1] = (known.sections[~_which_overlap(begun, document, section)] @ vectors[n]).max(initial=-1.0)
        without.append({chunks[w.chunk] for w, is_own in zip(windows, own, strict=True) if is_own})
    return np.hstack([cases, words.weigh(texts, without)])[cases[:, 0] > -1.0]


def _which_overlap(places: Sequence[Window | Evidence], document: str, section: Section) -> NDArray[np.bool_]:
    """Return which places have something in common with a section of a document."""
    inside = (p.document == document and p.end > section.start and p.start < section.end for p in places)
    return np.fromiter(inside, dtype=np.bool_, count=len(places))


def thinned(items: Sequence[T]) -> Sequence[T]:
    """Return at most MOST_CASES of the items, evenly spread."""
    return items[:: math.ceil(len(items) / MOST_CASES)] if items else items


# -- logistic regression ----------------------------------------------------------------------------------------------


def _fit_weights(own: Cases, foreign: Cases) -> Scores:
    """Return the weights and, last, the intercept at even odds; a weight of the wrong sign is 0.

    So is that of a cosine without spread: to the issues where there are none.
    """
    cases, topic = np.vstack([own, foreign]), np.repeat([True, False], [len(own), len(foreign)])
    counts = np.where(topic, 0.5 / len(own), 0.5 / len(foreign)) * len(cases)
    used = np.array([True, np.ptp(cases[:, 1]) > 0, True, True])
    while True:
        weights = np.zeros(cases.shape[1] + 1)
        expected, pull = np.array(EXPECTED)[used], np.array(PULL)[used]
        weights[np.append(used, True)] = fit_logistic(
            cases[:, used], topic, expected=expected, pull=pull, counts=counts
        )
        wrong = weights[:-1] * SIGNS < 0
        if not wrong.any():
            return weights
        used &= ~wrong


def _log_odds(weights: Scores, cases: Cases) -> Scores:
    found: Scores = cases @ weights[:-1] + weights[-1]
    return found
