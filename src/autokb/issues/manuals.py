"""What the manuals distinguish about a problem: the headings of the sections that the search for passages finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from autokb.core.attributes import ANY
from autokb.core.nouns import Document, Passage
from autokb.core.ranking import best_first
from autokb.core.vectors import Vectors
from autokb.heuristics.grouping import grouped
from autokb.issues.answering_sections import place_of
from autokb.issues.shown_sections import LOOKED_AT, DocumentSpan, choose_sections
from autokb.retrieval.corpus import Corpus
from autokb.tasks.issues.attribute_fields import describe_values

# Sections that a model is told of. Of 97 that 71 nodes need (listed by hand) these hold .58; what their headings alone
# were found by, .36 (`benchmarks passages`).
MOST_TOLD = 12
LONGEST_LABEL = 160  # characters of the headings of one


@dataclass(frozen=True)
class Manuals:
    """The sections of all documents, found by the windows of their texts; ``windows`` are vectors of the corpus's."""

    corpus: Corpus
    windows: Vectors
    passages: Sequence[Passage]

    def distinguish(self, problem: NDArray[np.float64]) -> tuple[str, ...]:
        """Return the labels of the sections near a problem, a unit vector, each once, in the order of the documents.

        Their order does not hang on how near each is, so that a text which is edited under the same headings mostly
        leaves the same labels.
        """
        return tuple(dict.fromkeys(self._labels[n] for n in sorted(self._near(problem))))

    def near(self, problem: NDArray[np.float64]) -> list[Passage]:
        """Return the sections near a problem, in the order of the documents."""
        return [self._sections[n] for n in sorted(self._near(problem))]

    def _near(self, problem: NDArray[np.float64]) -> list[int]:
        found: list[int] = []
        told: set[str] = set()
        for span in choose_sections(self._nearest_windows(problem), self._documents):
            for row in self._rows.get(span.document, ()):
                label = self._labels[row]
                if span.meets(self._spans[row]) and (label in told or len(told) < MOST_TOLD):
                    told.add(label)
                    found.append(row)
        return found

    def _nearest_windows(self, problem: NDArray[np.float64]) -> Iterator[tuple[DocumentSpan, float]]:
        nearness = np.asarray(self.windows @ problem, dtype=np.float64)
        for n in best_first(nearness, LOOKED_AT):
            window = self.corpus.windows[n]
            yield DocumentSpan(window.document, window.start, window.end), float(nearness[n])

    @cached_property
    def _sections(self) -> list[Passage]:
        return [passage for passage in self.passages if passage.solution.evidence]

    @cached_property
    def _documents(self) -> Mapping[str, Document]:
        return {document.id: document for document in self.corpus.documents}

    @cached_property
    def _labels(self) -> list[str]:
        return [_label(section) for section in self._sections]

    @cached_property
    def _spans(self) -> list[DocumentSpan]:
        return [DocumentSpan(*place_of(section)) for section in self._sections]

    @cached_property
    def _rows(self) -> Mapping[str, list[int]]:
        return grouped((span.document, row) for row, span in enumerate(self._spans))


def _label(passage: Passage) -> str:
    """Return a section's headings and the values that it is for, as one line."""
    headings = " > ".join(" ".join(heading.split()) for heading in passage.headings)
    fixed = {name: values for name, values in passage.solution.attributes.items() if values != ANY}
    if len(headings) > LONGEST_LABEL:
        headings = f"{headings[: LONGEST_LABEL - 1].rstrip()}…"
    return f"{headings} [{describe_values(fixed)}]" if fixed else headings
