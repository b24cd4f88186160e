"""Which sections of the documents answer a problem, whoever has it: attribute values are masked on both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.core.attributes import ANY
from autokb.core.domain import DomainSpec
from autokb.core.nouns import Passage
from autokb.heuristics.titles.phrase_editing import named_values
from autokb.issues.attribute_masking import Embed, masked_text, problem_vectors

MARGIN = 0.1  # how far behind the best a section may be that answers the same problem
MARGIN_NARROW = 0.05  # the same for one that is for some customers only,
FLOOR_NARROW = 0.45  # which must answer it well: that it is for them says nothing of the problem
MARGIN_BESIDE = 0.2  # the same for one that holds for everybody, in a document that answers it

ScoredSpan = tuple[int, int, float]  # of a document: start, end, and how well that part answers
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AnsweringSections:
    """The sections of all documents; those that differ in their readers alone (``On Android``) are one subject.

    Row n of ``texts`` is what stands in section n, of ``headings`` its subject's heading and of ``paths`` that heading
    behind those above it; ``subjects[n]`` is its subject's number, ``for_all[n]`` whether it is for everybody and
    ``spans[n]`` where it is.
    """

    texts: Floats
    headings: Floats
    paths: Floats
    subjects: NDArray[np.int64]
    for_all: NDArray[np.bool_]
    spans: Sequence[tuple[str, int, int]]

    @classmethod
    def of(cls, passages: Sequence[Passage], spec: DomainSpec, embed: Embed) -> AnsweringSections:
        """Index the passages of all documents."""
        found = [p for p in passages if p.solution.evidence]
        subjects = [subject_of(p, spec) for p in found]
        numbers = {subject: n for n, subject in enumerate(dict.fromkeys(subjects))}
        sections = [p.section for p in found]
        vectors = np.asarray(embed(sections), dtype=np.float64)
        headings = [masked_text(headings[-1], spec) for _, headings in subjects]
        paths = [masked_text(" > ".join(headings), spec) for _, headings in subjects]
        return cls(
            texts=problem_vectors(sections, spec, vectors, embed),
            headings=np.asarray(embed(headings), dtype=np.float64),
            paths=np.asarray(embed(paths), dtype=np.float64),
            subjects=np.array([numbers[subject] for subject in subjects], dtype=np.int64),
            for_all=np.array([set(p.solution.attributes.values()) <= {ANY} for p in found], dtype=np.bool_),
            spans=[place_of(p) for p in found],
        )

    def score_subjects(self, problem: Floats) -> Floats:
        """Return how well each subject answers a problem.

        That is the mean of two cosines, each the best of its sections: to what stands in a section, and to its heading,
        alone or behind those above it.
        """
        scores = np.full((2, int(self.subjects.max(initial=-1)) + 1), -1.0)
        np.maximum.at(scores[0], self.subjects, self.texts @ problem)
        np.maximum.at(scores[1], self.subjects, np.maximum(self.headings @ problem, self.paths @ problem))
        return np.asarray(scores.mean(axis=0), dtype=np.float64)

    def answering(self, problem: Floats) -> Mapping[str, list[ScoredSpan]]:
        """Return by document the sections that answer a problem, a unit vector, and how well each does.

        A document whose sections are not known, as where no rule could be checked, is missing. A section far behind the
        best one, whoever that is written for, is about another problem, one for some customers already where it is a
        little behind; what a document that answers says to everybody may be farther behind, such as when to call for
        help.
        """
        if not self.spans:
            return {}
        scores, rows = self._answering_rows(problem)
        found: dict[str, list[ScoredSpan]] = {document: [] for document, _, _ in self.spans}
        for n in rows:
            document, start, end = self.spans[n]
            found[document].append((start, end, float(scores[n])))
        return found

    def _answering_rows(self, problem: Floats) -> tuple[Floats, list[int]]:
        """Return the score of each section and the numbers of those that answer."""
        scores = self.score_subjects(problem)[self.subjects]
        narrow = ~self.for_all
        near = scores >= scores.max() - np.where(narrow, MARGIN_NARROW, MARGIN)
        near &= ~narrow | (scores >= FLOOR_NARROW)
        answering = {self.spans[n][0] for n in np.flatnonzero(near).tolist()}
        beside = self.for_all & np.array([document in answering for document, _, _ in self.spans])
        rows: list[int] = np.flatnonzero(near | (beside & (scores >= scores.max() - MARGIN_BESIDE))).tolist()
        return scores, rows


def place_of(passage: Passage) -> tuple[str, int, int]:
    """Return the document that a section stands in, where it begins and where it ends."""
    evidence = passage.solution.evidence
    return evidence[0].document, min(e.start for e in evidence), max(e.end for e in evidence)


def subject_of(passage: Passage, spec: DomainSpec) -> tuple[str, tuple[str, ...]]:
    """Return the document and the headings that say what a section is about, without those that only name readers."""
    headings = passage.headings
    while len(headings) > 1 and _only_names_readers(headings[-1], spec):
        headings = headings[:-1]
    return passage.solution.evidence[0].document, headings


def _only_names_readers(heading: str, spec: DomainSpec) -> bool:
    return bool(named_values(heading, spec.attributes, spec.language)) and masked_text(heading, spec) == heading
