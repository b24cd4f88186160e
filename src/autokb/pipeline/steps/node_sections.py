"""Which sections a node shows where no model writes its solutions: those that the question's own ranker has first.

A node is asked like a customer: by its text and by how those who reported it began. Features of a section are the mean
over these readings. On 108 nodes of five knowledge bases, whose sections strict readers had marked, the first one is
right in .79 of those that have an answer (.55 by cosines, shared words and amounts set by hand); by the node's text
alone in .68. What follows on another subject helps in one of seven, however near it is (decision 45).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from autokb.answering.present import Choice, Presentation
from autokb.answering.probability import LISTED, Shown, are_fitted, first_right
from autokb.core.nouns import DISPLAYED, Issue, Passage, Solution
from autokb.issues.answering_sections import subject_of
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.candidates import index_candidates
from autokb.retrieval.index import QuestionIndex, beginning
from autokb.retrieval.knowledge_index import KnowledgeIndex, NodeIndex
from autokb.retrieval.late_interaction import TokenIndex
from autokb.retrieval.ranker import packaged_ranker

_PARAGRAPH = re.compile(r"(?![-*+#|]\s|\W{0,3}https?:)[^\n]+(?:\n(?!\s*[-*+#|])[^\n]*)*(?<=[.!?…。！？])[\"”’)*_]{0,3}")
REPORTS = 4  # reports that are read beside a node's text; eight are no better
REPORT_CHARACTERS = 150  # of a report: its title and first sentence; 600 are no better
LEAST = 0.3  # probability that the first section is right, below which a node shows nothing: 1 of 63 right ones is lost
LEAST_EXPLAINED = 0.6  # the same for text that instructs nobody, which a parent shows where nothing else would be
LEAST_ASKED = 0.2  # the same, below which a model is not asked: of 68 trees that need a section .3 would lose 3


@dataclass(frozen=True)
class SectionRanker:
    """Ranks the sections of all documents for nodes, whose ``readings`` are by their ids.

    The ids of sections that a rule forbids are ``withheld``: they are ranked too, so that the record says what a node
    does not show, and why. Those that instruct nobody are ``explaining``.
    """

    index: QuestionIndex
    withheld: frozenset[str]
    readings: Mapping[str, Sequence[str]]
    explaining: frozenset[str] = frozenset()

    # Complex: vectors and tokens are read once for all nodes and given to one index.
    @classmethod
    def of(
        cls,
        stages: Stages,
        index: QuestionIndex,
        passages: Sequence[Passage],
        nodes: Iterable[tuple[Issue, Sequence[str]]],
        explaining: frozenset[str] = frozenset(),
    ) -> SectionRanker:
        """Return a ranker of these sections for these nodes.

        ``passages`` are the sections of all documents, ``nodes`` pairs of an issue and the texts of its reports. The
        sections and all texts of nodes are encoded here, once.
        """
        language, chunks = index.spec.language, index.chunks
        knowledge = KnowledgeIndex.of((), (), index.spec.attributes, (p.solution for p in passages))
        ranked = [replace(p, solution=replace(p.solution, status="displayed")) for p in passages]
        candidates, tokens = index_candidates(stages, language, knowledge, ranked, chunks)
        readings = {issue.id: _read(issue, reports) for issue, reports in nodes}
        asked = list(dict.fromkeys(text for some in readings.values() for text in some))
        reader = stages.encoder.token_reader(language)
        of_asked = {} if reader is None else dict(zip(asked, reader.read(asked), strict=True))
        vectors = dict(zip(asked, stages.embed(asked), strict=True))
        nothing = chunks.vectors.vectors[:0]
        asked_index = replace(
            index,
            nodes=NodeIndex.of(knowledge, nothing, {}),
            candidates=candidates,
            embed_questions=lambda some: np.array([vectors[text] for text in some]),
            tokens=None if tokens is None else TokenIndex.of(tokens),
            read_tokens=None if reader is None else of_asked.__getitem__,
            ranker=packaged_ranker(reads_tokens=tokens is not None),
        )
        withheld = frozenset(p.solution.id for p in passages if p.solution.status not in DISPLAYED)
        return cls(asked_index, withheld, readings, explaining)

    def rank(self, issue: Issue) -> list[str]:
        """Return the ids of the sections that a node shows, best first; none where nothing answers it.

        They are those of the first one's subject: of a parent for whichever readers each is, since what holds for some
        makes its children; of a child those that hold for all of its customers. Where rules forbid the first, those of
        the first that they allow follow. A paragraph that instructs nobody is shown where it is likely enough to be
        right and nothing else would be shown, and by a parent alone: a child would only repeat the introduction.
        """
        shown = self._first_shown(issue)
        return self._shown_sections(issue, shown) if self._is_likely(shown, LEAST) else []

    def _shown_sections(self, issue: Issue, shown: Shown) -> list[str]:
        presentation, first = shown.presentation, shown.choices[0]
        found = self._of_subject(first, presentation)
        if first.solution.id in self.withheld:
            ranked = presentation.fitting(presentation.ranked_rows())
            allowed = next((one for one in ranked if one.solution.id not in self.withheld), None)
            found += self._of_subject(allowed, presentation) if allowed else []
        fitting = [s for s in found if issue.parent_id is None or presentation.holds_for_all(s.solution)]
        instructing = [one.solution.id for one in fitting if one.solution.id not in self.explaining]
        return instructing or self._explanation(issue, shown)

    def _explanation(self, issue: Issue, shown: Shown) -> list[str]:
        """Return the first section where it is a paragraph that is good enough for a parent."""
        first = shown.choices[0].solution
        is_shown = issue.parent_id is None and first.id in self.explaining and _is_paragraph(first)
        return [first.id] if is_shown and self._is_likely(shown, LEAST_EXPLAINED) else []

    def is_worth_asking(self, issue: Issue) -> bool:
        """Return whether the best section is likely enough to answer a node that a model is asked about it."""
        return self._is_likely(self._first_shown(issue), LEAST_ASKED)

    def _first_shown(self, issue: Issue) -> Shown:
        text, *also = self.readings[issue.id]
        presentation = Presentation(self.index.score(text, issue.attributes, also=also))
        return Shown(self.index, presentation, tuple(islice(presentation.fitting(presentation.ranked_rows()), LISTED)))

    def _is_likely(self, shown: Shown, least: float) -> bool:
        """Return whether what is first can be right; by another encoder the probability was never fitted."""
        return bool(shown.choices) and (not are_fitted(self.index) or first_right(shown) >= least)

    def _of_subject(self, choice: Choice, presentation: Presentation) -> list[Choice]:
        """Return what may be shown of a section's subject, best first."""
        others = presentation.of_document(choice.document)
        return [one for one in others if self._subjects[one.row] == self._subjects[choice.row]]

    @cached_property
    def _subjects(self) -> list[tuple[str, tuple[str, ...]]]:
        """The subject of each row."""
        rows = self.index.candidates.rows
        return [subject_of(one.passage, self.index.spec) for one in rows if one.passage is not None]


def _is_paragraph(solution: Solution) -> bool:
    """Return whether a section begins with sentences, not with a list, a table, a link or where a menu is."""
    return _PARAGRAPH.fullmatch(solution.evidence[0].quote.strip()) is not None


def _read(issue: Issue, reports: Sequence[str]) -> list[str]:
    """Return the ways to read a node, each once."""
    return list(dict.fromkeys([beginning(issue.text), *(beginning(r, REPORT_CHARACTERS) for r in reports[:REPORTS])]))
