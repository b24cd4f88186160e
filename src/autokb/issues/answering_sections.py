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
from autokb.tasks.issues.attribute_fields import describe_values

MARGIN = 0.1  # how far behind the best a section may be that answers the same problem
MARGIN_NARROW = 0.05  # the same for one that is for some customers only,
FLOOR_NARROW = 0.45  # which must answer it well: that it is for them says nothing of the problem
MARGIN_BESIDE = 0.2  # the same for one that holds for everybody, in a document that answers it
MOST_DISTINGUISHED = 12  # sections that a model is told of; nine in ten clusters of the shipped domains have no more
LONGEST_LABEL = 160  # characters of the headings of one

ScoredSpan = tuple[int, int, float]  # of a document: start, end, and how well that part answers
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class AnsweringSections:
    """The sections of all documents; those that differ in their readers alone (``On Android``) are one subject.

    Row n of ``texts`` is what stands in section n, of ``headings`` its subject's heading and of ``paths`` that heading
    behind those above it; ``subjects[n]`` is its subject's number, ``for_all[n]`` whether it is for everybody,
    ``spans[n]`` where it is and ``labels[n]`` its headings and the values that it is for.
    """

    texts: Floats
    headings: Floats
    paths: Floats
    subjects: NDArray[np.int64]
    for_all: NDArray[np.bool_]
    spans: Sequence[tuple[str, int, int]]
    labels: Sequence[str] = ()

    # Complex: the arrays are of the same rows in the same order, which must be seen to be right.
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
        places = [
            (
                p.solution.evidence[0].document,
                [e.start for e in p.solution.evidence],
                [e.end for e in p.solution.evidence],
            )
            for p in found
        ]
        return cls(
            texts=problem_vectors(sections, spec, vectors, embed),
            headings=np.asarray(embed(headings), dtype=np.float64),
            paths=np.asarray(embed(paths), dtype=np.float64),
            subjects=np.array([numbers[subject] for subject in subjects], dtype=np.int64),
            for_all=np.array([set(p.solution.attributes.values()) <= {ANY} for p in found], dtype=np.bool_),
            spans=[(document, min(starts), max(ends)) for document, starts, ends in places],
            labels=[_label(p) for p in found],
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

    def distinguished(self, problem: Floats) -> tuple[str, ...]:
        """Return the labels of the sections that answer a problem, each once, in the order of the documents.

        Of a document that answers they are all sections that are not far behind, whoever they are for: a reader can
        tell which are about the problem. Their order does not hang on how well each answers, so that a text which is
        edited under the same headings mostly leaves the same labels.
        """
        if not self.spans:
            return ()
        scores, rows = self._answering_rows(problem)
        documents = {self.spans[n][0] for n in rows}
        floor = max(float(scores.max()) - MARGIN_BESIDE, FLOOR_NARROW)
        found = [n for n, span in enumerate(self.spans) if span[0] in documents and scores[n] >= floor]
        nearest = sorted(found, key=lambda n: (-round(float(scores[n]), 6), n))[:MOST_DISTINGUISHED]
        return tuple(dict.fromkeys(self.labels[n] for n in sorted(nearest)))

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


def _label(passage: Passage) -> str:
    """Return a section's headings and the values that it is for, as one line."""
    headings = " > ".join(" ".join(heading.split()) for heading in passage.headings)
    fixed = {name: values for name, values in passage.solution.attributes.items() if values != ANY}
    if len(headings) > LONGEST_LABEL:
        headings = f"{headings[: LONGEST_LABEL - 1].rstrip()}…"
    return f"{headings} [{describe_values(fixed)}]" if fixed else headings


def subject_of(passage: Passage, spec: DomainSpec) -> tuple[str, tuple[str, ...]]:
    """Return the document and the headings that say what a section is about, without those that only name readers."""
    headings = passage.headings
    while len(headings) > 1 and _only_names_readers(headings[-1], spec):
        headings = headings[:-1]
    return passage.solution.evidence[0].document, headings


def _only_names_readers(heading: str, spec: DomainSpec) -> bool:
    return bool(named_values(heading, spec.attributes, spec.language)) and masked_text(heading, spec) == heading
