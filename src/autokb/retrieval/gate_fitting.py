"""Fits the gate of a knowledge base: its own issues, or its headings, against everyday questions about other things.

It reads two cosines: to the nearest window of a document and to the nearest node or raw issue. With as many questions
wrongly refused, what the knowledge base has of a question's words and the length of the question refused fewer others,
and the nearest everyday questions no more that was worth their vectors at each question.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from autokb.core.nouns import Document
from autokb.core.vectors import Vectors
from autokb.retrieval.everyday_vectors import packaged_vectors
from autokb.retrieval.gate import Coefficients, Gate, fit_gate
from autokb.retrieval.index import AskIndex
from autokb.text.lexicons import AsWritten, WordLists, word_lists
from autokb.text.markdown import Section, sections
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences

ON_TOPIC_ODDS = 5.0  # five of six questions that a knowledge base is asked are taken to be on topic
NEAR_DUPLICATE = 0.95  # cosine from which two raw issues are one report
FEWEST_CASES = 20  # below so many issues, sections stand in for them; below so many of either side, nothing is fitted
MOST_CASES = 1000  # issues or sections that are scored; more would cost time and change nothing
OFF_TOPIC = 0.1  # a raw issue below this, at even odds, is taken to be off topic itself
NEAR_KIND = 0.75  # share of a kind's questions that pass: from here on the kind is too near to be refused
STAND_IN_CHARACTERS = 150  # of a section's first sentence, about as long as a question
ROWS_AT_ONCE = 256  # issues compared with all others at once: bounds the memory of the table of cosines

T = TypeVar("T")
Cases = NDArray[np.float64]  # a row a question: its cosine to the nearest window, to the nearest node or issue


@dataclass(frozen=True)
class EverydayQuestions(WordLists):
    """Questions about other things than a knowledge base's own, by kind; a language may lack them."""

    file = "everyday_questions"
    questions: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)


def everyday_questions(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the packaged questions of a language by kind, nothing where it has none."""
    return word_lists(EverydayQuestions, language).questions


def fit_question_gate(
    index: AskIndex,
    raw: Mapping[str, Vectors],
    documents: Sequence[Document],
    embed: Callable[[Sequence[str]], Vectors],
) -> Gate:
    """Fit a logistic gate on the raw issues (``raw`` holds their vectors) or, where they are few, on the sections.

    Each is scored as if it were asked anew: an issue without itself, its near duplicates and a tree grown from them
    alone, a section without its own windows. A language without everyday questions, and a knowledge base with too
    little of its own, have a gate of a bare cosine.
    """
    everyday = everyday_questions(index.spec.language)
    known = _Known.of(index, raw)
    own, described = _collect_own_cases(known, index, raw, documents, embed) if everyday else (known.score([]), "")
    if len(own) >= FEWEST_CASES:
        asked = [question for questions in everyday.values() for question in questions]
        packaged = packaged_vectors(asked, index.encoder)
        vectors = embed(asked) if packaged is None else packaged
        ends = np.cumsum([len(questions) for questions in everyday.values()])[:-1]
        kinds = dict(zip(everyday, np.split(known.score(vectors), ends), strict=True))
        fitted = _fit_against(own, kinds, index.encoder, described)
        if fitted:
            return fitted
    vectors = np.array(list(raw.values()), dtype=np.float32).reshape(len(raw), known.windows.shape[1])
    return fit_gate(index.encoder, vectors, [known.windows])


def off_topic_issues(index: AskIndex, raw: Mapping[str, Vectors]) -> frozenset[str]:
    """Return the raw issues that a fitted gate takes to be off topic, each scored without itself and its likes."""
    coefficients = index.gate.coefficients
    if coefficients is None or not raw:
        return frozenset()
    odds = _log_odds(coefficients, _Known.of(index, raw).score_issues(range(len(raw)))) - math.log(ON_TOPIC_ODDS)
    far = odds < math.log(OFF_TOPIC / (1 - OFF_TOPIC))
    return frozenset(raw_id for raw_id, is_far in zip(raw, far, strict=True) if is_far)


def _fit_against(own: Cases, kinds: Mapping[str, Cases], encoder: str, described: str) -> Gate | None:
    """Fit without own cases that are off topic, then without kinds that pass; None where too little is left."""
    everything = np.vstack(list(kinds.values()))
    first = _fit_logistic(own, everything)
    kept = own[_log_odds(first, own) >= math.log(OFF_TOPIC / (1 - OFF_TOPIC))]
    if len(kept) < FEWEST_CASES:
        return None
    second = _with_prior(_fit_logistic(kept, everything))
    passing = {kind: float((_log_odds(second, cases) >= 0).mean()) for kind, cases in kinds.items()}
    left_out = tuple(sorted(kind for kind, share in passing.items() if share >= NEAR_KIND))
    foreign = [cases for kind, cases in kinds.items() if kind not in left_out]
    if sum(map(len, foreign)) < FEWEST_CASES:
        return None
    fitted = _with_prior(_fit_logistic(kept, np.vstack(foreign)))
    rounded = Coefficients(*(round(value, 4) for value in (fitted.intercept, fitted.documents, fitted.issues)))
    source = f"fitted on {len(kept)} {described} and {sum(map(len, foreign))} everyday questions"
    return Gate(None, encoder, None, source, rounded, left_out)


# -- what is near -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Known:
    """What a question can be near to. ``raw`` holds all raw issues, ``visible`` the rows of those that are searched.

    ``tree_of`` is the tree of each node, and tree n has grown from the raw issues ``members[starts[n]:starts[n + 1]]``.
    """

    windows: Vectors
    nodes: Vectors
    raw: Vectors
    visible: NDArray[np.int64]
    tree_of: NDArray[np.int64]
    members: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, index: AskIndex, raw: Mapping[str, Vectors]) -> _Known:
        knowledge, windows = index.nodes.knowledge, index.chunks.vectors.vectors
        row = {raw_id: n for n, raw_id in enumerate(raw)}
        trees = {
            root: sorted({row[r] for node in nodes for r in knowledge.issues[node].raw_issues if r in row})
            for root, nodes in knowledge.trees.items()
        }
        place = {root: n for n, root in enumerate(trees)}
        visible = {n for rows in trees.values() for n in rows} | {
            row[p.id] for p in index.history.issues if p.id in row
        }
        return cls(
            windows=windows,
            nodes=index.nodes.vectors,
            raw=np.array(list(raw.values()), dtype=np.float32).reshape(len(raw), windows.shape[1]),
            visible=np.array(sorted(visible), dtype=np.int64),
            tree_of=np.array([place[knowledge.root_of[i]] for i in knowledge.ids], dtype=np.int64),
            members=np.array([n for rows in trees.values() for n in rows], dtype=np.int64),
            starts=np.cumsum([0, *map(len, trees.values())]),
        )

    def score(self, vectors: Vectors | Sequence[Vectors]) -> Cases:
        """Score texts that the knowledge base has not seen."""
        texts = np.asarray(vectors, dtype=np.float32).reshape(len(vectors), self.windows.shape[1])
        issues = np.maximum(_best(texts @ self.nodes.T), _best(texts @ self.raw[self.visible].T))
        return np.column_stack([_best(texts @ self.windows.T), issues])

    def distinct(self, rows: Sequence[int]) -> list[int]:
        """Return these raw issues without those that are near duplicates of an earlier one."""
        found: list[int] = []
        for row in rows:
            if not found or (self.raw[found] @ self.raw[row]).max() < NEAR_DUPLICATE:
                found.append(row)
        return found

    def score_issues(self, rows: Sequence[int]) -> Cases:
        """Score raw issues without themselves, their near duplicates, and trees grown from those alone."""
        found = [self.score([])]
        for start in range(0, len(rows), ROWS_AT_ONCE):
            asked = self.raw[list(rows[start : start + ROWS_AT_ONCE])]
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


def _best(cosines: NDArray[Any]) -> NDArray[np.float64]:
    """Return each row's highest cosine; nothing known is near nothing."""
    return np.asarray(cosines.max(axis=1, initial=-1.0), dtype=np.float64)


def _collect_own_cases(
    known: _Known,
    index: AskIndex,
    raw: Mapping[str, Vectors],
    documents: Sequence[Document],
    embed: Callable[[Sequence[str]], Vectors],
) -> tuple[Cases, str]:
    """Return what is on topic and what it is: the raw issues, or the sections that stand in for them."""
    ids = list(raw)
    asked = known.distinct(_thinned(sorted(range(len(ids)), key=lambda n: ids[n])))
    if len(asked) >= FEWEST_CASES:
        return known.score_issues(asked), "raw issues"
    stand_ins = _thinned([s for d in documents for s in _stand_ins(d, index.spec.language)])
    if not stand_ins:
        return known.score([]), ""
    vectors = embed([text for _, _, text in stand_ins])
    cases = known.score(vectors)
    windows = index.chunks.windows
    for n, (document, section, _) in enumerate(stand_ins):
        rest = [w.document != document or w.end <= section.start or w.start >= section.end for w in windows]
        cases[n, 0] = (known.windows[rest] @ vectors[n]).max(initial=-1.0)
    return cases[cases[:, 0] > -1.0], "headings and first sentences"


def _thinned(items: Sequence[T]) -> Sequence[T]:
    """Return at most MOST_CASES of the items, evenly spread."""
    return items[:: math.ceil(len(items) / MOST_CASES)] if items else items


def _stand_ins(document: Document, language: str) -> Iterator[tuple[str, Section, str]]:
    """Give for each section what a customer might ask about it: its heading with the one above, its first sentence."""
    for section in sections(document.text):
        if section.headings:
            above = (document.title, *section.headings)[-2:]
            yield document.id, section, " ".join(dict.fromkeys(above)).strip()
        spans = sentences(document.text, section.start, section.own_end, language=language)[bool(section.headings) :]
        if spans and (first := plain_text(document.text[slice(*spans[0])])[:STAND_IN_CHARACTERS].strip()):
            yield document.id, section, first


# -- logistic regression ----------------------------------------------------------------------------------------------


def _fit_logistic(own: Cases, foreign: Cases) -> Coefficients:
    """Fit at even odds; nearness never counts against a question, so a cosine with a negative weight is left out."""
    from sklearn.linear_model import LogisticRegression

    cases, topic = np.vstack([own, foreign]), np.repeat([1, 0], [len(own), len(foreign)])
    mean, spread = cases.mean(axis=0), np.maximum(cases.std(axis=0), 1e-6)
    scaled = (cases - mean) / spread
    model = LogisticRegression(class_weight="balanced", solver="newton-cholesky", tol=1e-8)
    while (model.fit(scaled, topic).coef_[0] < 0).any():
        scaled = scaled * (model.coef_[0] > 0)  # a column of zeros has the weight 0
    weights = model.coef_[0] / spread
    return Coefficients(float(model.intercept_[0] - weights @ mean), *map(float, weights))


def _with_prior(fitted: Coefficients) -> Coefficients:
    return replace(fitted, intercept=fitted.intercept + math.log(ON_TOPIC_ODDS))


def _log_odds(fitted: Coefficients, cases: Cases) -> NDArray[np.float64]:
    found: NDArray[np.float64] = fitted.intercept + cases @ np.array([fitted.documents, fitted.issues])
    return found
