"""Everything that can be shown, a row each: the sections of all documents, and the solutions that people wrote.

A node's solution is no row of its own: it is the view of a section for that node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from autokb.core.domain import Urgent
from autokb.core.nouns import DISPLAYED, Evidence, Passage, Solution
from autokb.core.ranking import Positions, Scores
from autokb.core.solution_text import counted_text
from autokb.core.vectors import Vectors
from autokb.retrieval.codes import codes_in
from autokb.retrieval.knowledge_index import KnowledgeIndex
from autokb.retrieval.search import ChunkIndex

SAME_MATTER = 0.5  # likeness of headings, values masked, from which they are about the same


def section_text(passage: Passage) -> str:
    """Return what is embedded of a section: its text behind all headings above it."""
    return f"{': '.join(dict.fromkeys(passage.headings))}. {passage.section}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that can be shown: a section, or a solution of a node whose section is none or that has none.

    ``views`` are the displayed solutions of nodes that begin in it, the build's best first.
    """

    solution: Solution
    passage: Passage | None
    views: tuple[Solution, ...]

    @property
    def is_withheld(self) -> bool:
        """Whether a rule of the domain keeps the section back: it competes, and is never shown."""
        return self.passage is not None and self.passage.solution.status == "withheld"

    @property
    def heading(self) -> str:
        """The heading of the section; the title of a solution by hand."""
        return self.passage.headings[-1] if self.passage else self.solution.text.partition("\n")[0]

    @property
    def searched_text(self) -> str:
        """What is embedded: the whole section, with the symptoms and explanations that steps leave out.

        All headings above it stand in front, so that each of its words is read in their light: a heading often names
        the matter or the reader that the section itself does not.
        """
        if self.passage is None:
            return counted_text(self.solution.text, self.solution.steps, self.solution.quotes)
        return section_text(self.passage)

    @property
    def searched_headings(self) -> str:
        """The heading with the one above it, which is embedded by itself."""
        return ": ".join(dict.fromkeys(self.passage.headings[-2:])) if self.passage else self.heading


@dataclass(frozen=True)
class SectionRoles:
    """The rows that introduce, those that state or explain a problem, and the remedies of the same articles.

    ``problem_articles`` and ``remedy_articles`` number the articles of ``problems`` and ``remedies``.
    """

    introductions: Positions
    problems: Positions
    remedies: Positions
    problem_articles: Positions
    remedy_articles: Positions

    @classmethod
    def of(cls, found: Sequence[Candidate]) -> SectionRoles:
        """Sort what can be shown by the roles of its sections."""
        rows: dict[str, list[int]] = {"introduction": [], "problem": [], "remedy": []}
        numbers: dict[tuple[str, ...], int] = {}
        articles: list[int] = []
        for row, passage in enumerate(one.passage for one in found):
            role = passage.role if passage is not None else ""
            article = (cited_first(passage.solution), *passage.headings[: passage.article]) if passage and role else ()
            articles.append(numbers.setdefault(article, len(numbers)))
            if role:
                rows.get(role, rows["problem"]).append(row)
        of_row = np.array(articles, dtype=np.int64)
        kinds = {kind: np.array(some, dtype=np.int64) for kind, some in rows.items()}
        problems, remedies = kinds["problem"], kinds["remedy"]
        return cls(kinds["introduction"], problems, remedies, of_row[problems], of_row[remedies])

    def lead_of_problems(self, scores: Scores, problems: Scores) -> Scores:
        """Return for each remedy by how much the best section on its article's problem leads the article's best remedy.

        ``problems`` are the scores by which the former count. 0 for all that is no remedy.
        """
        lead = np.zeros(len(scores))
        if len(self.remedies):
            count = int(max(self.problem_articles.max(initial=0), self.remedy_articles.max())) + 1
            of_problem, of_remedy = np.full(count, -np.inf), np.full(count, -np.inf)
            np.maximum.at(of_problem, self.problem_articles, problems[self.problems])
            np.maximum.at(of_remedy, self.remedy_articles, scores[self.remedies])
            leads = of_problem > of_remedy  # of an article that has no remedy nothing is read
            of_article = np.subtract(of_problem, of_remedy, out=np.zeros(count), where=leads)
            lead[self.remedies] = of_article[self.remedy_articles]
        return lead


@dataclass(frozen=True)
class Candidates:
    """Row n of each array is ``rows[n]``; ``columns`` are the positions of their documents, of so many ``documents``.

    One by hand has none: -1.

    ``view_rows[m]`` is the row of a view of node ``view_nodes[m]``. Views for the same customers share an audience, of
    which ``audiences`` holds the id of one solution each, by which a question is compared. ``approved`` are the numbers
    of the views that a person approved or wrote.
    """

    rows: tuple[Candidate, ...]
    vectors: Vectors
    headings: Vectors
    columns: Positions
    documents: int
    row_of: Mapping[str, int]
    rows_of: Mapping[str, Positions]
    view_rows: Positions
    view_nodes: Positions
    audiences: tuple[str, ...]
    view_audiences: Positions
    roles: SectionRoles
    approved: Positions

    @classmethod
    def of(
        cls,
        found: Sequence[Candidate],
        knowledge: KnowledgeIndex,
        vectors: Mapping[str, Vectors],
        chunks: ChunkIndex,
    ) -> Candidates:
        """Index what can be shown; ``vectors`` holds those of its ``searched_texts``."""
        dimensions = chunks.vectors.vectors.shape[1]

        def rows_of_vectors(texts: Iterable[str]) -> Vectors:
            return np.array([vectors[t] for t in texts], dtype=np.float32).reshape(len(found), dimensions)

        sections = rows_of_vectors(one.searched_text for one in found)
        return cls.at(found, knowledge, sections, rows_of_vectors(one.searched_headings for one in found), chunks)

    # Complex: it fills the columns of one index over the same rows, a comprehension each.
    @classmethod
    def at(
        cls,
        found: Sequence[Candidate],
        knowledge: KnowledgeIndex,
        sections: Vectors,
        headings: Vectors,
        chunks: ChunkIndex,
    ) -> Candidates:
        """Index what can be shown; row n of ``sections`` and ``headings`` is of the searched text and heading of n."""
        place = {document: column for column, document in enumerate(chunks.documents)}
        views = [(row, view) for row, one in enumerate(found) for view in one.views]
        combinations: dict[frozenset[object], int] = {}
        audiences: list[str] = []

        def audience(solution: Solution) -> int:
            combination = frozenset[object](knowledge.combination_of[solution.id])
            if combination not in combinations:
                combinations[combination] = len(audiences)
                audiences.append(solution.id)
            return combinations[combination]

        return cls(
            rows=tuple(found),
            vectors=sections,
            headings=headings,
            columns=np.array([place.get(cited_first(one.solution), -1) for one in found], dtype=np.int64),
            documents=len(chunks.documents),
            row_of={s.id: row for row, one in enumerate(found) for s in (one.solution, *one.views)},
            rows_of=_rows_of_documents(found),
            view_rows=np.array([row for row, _ in views], dtype=np.int64),
            view_nodes=np.array([knowledge.rows[view.issue_id] for _, view in views], dtype=np.int64),
            view_audiences=np.array([audience(view) for _, view in views], dtype=np.int64),
            roles=SectionRoles.of(found),
            approved=np.array([n for n, (_, view) in enumerate(views) if view.status == "approved"], dtype=np.int64),
            audiences=tuple(audiences),
        )

    def best_of_documents(self, scores: Scores, least: float = 0.0) -> Scores:
        """Return for every document the best of these scores, one a row, that one of its rows has, else ``least``."""
        best = np.full(self.documents, least)
        known = self.columns >= 0
        np.maximum.at(best, self.columns[known], scores[known])
        return best

    def warnings(self, urgent: Iterable[Urgent], scores: Scores) -> tuple[int, ...]:
        """Return the rows of the sections that urgent warnings name, the gravest first; of several with a heading the
        one with the best of these scores, one a row.
        """
        found: dict[int, None] = {}
        for one in urgent:
            if rows := self.named_by([one]):
                found[max(sorted(rows), key=lambda row: scores[row])] = None
        return tuple(found)

    def named_by(self, urgent: Iterable[Urgent]) -> frozenset[int]:
        """Return the rows of all sections that urgent warnings name."""
        return frozenset(
            row
            for one in urgent
            for row in self._rows_by_heading.get(one.section.casefold(), ())
            if one.document in ("", cited_first(self.rows[row].solution))
        )

    @cached_property
    def rows_of_codes(self) -> Mapping[str, Sequence[int]]:
        """The rows whose text names a code, by the code in small letters; read when a question first names one."""
        found: dict[str, list[int]] = {}
        for row, one in enumerate(self.rows):
            for code in {code.group().casefold() for code in codes_in(one.searched_text)}:
                found.setdefault(code, []).append(row)
        return found

    @cached_property
    def _rows_by_heading(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for row, one in enumerate(self.rows):
            if one.passage is not None and not one.is_withheld:
                found.setdefault(one.passage.headings[-1].casefold(), []).append(row)
        return found

    def section_of(self, solution: Solution) -> Passage | None:
        """Return the passage that a solution begins in, None where it has none, as one by hand."""
        row = self.row_of.get(solution.id)
        return None if row is None else self.rows[row].passage

    def about_the_same(self, passage: Passage) -> list[Passage]:
        """Return the passages of a passage's document whose headings are about the same matter, itself among them."""
        rows = self.rows_of.get(cited_first(passage.solution), ())
        others = (self.rows[row].passage for row in rows)
        return [p for p in others if p is not None and _same_matter_beside(p, passage)]


def _rows_of_documents(found: Sequence[Candidate]) -> dict[str, Positions]:
    """Return the rows of each document that may be shown."""
    rows: dict[str, list[int]] = {}
    for row, one in enumerate(found):
        if not one.is_withheld:
            rows.setdefault(cited_first(one.solution), []).append(row)
    return {document: np.array(some, dtype=np.int64) for document, some in rows.items()}


# Complex: a solution belongs to the passage that it begins in, if one does, which one pass over all finds.
def candidates_of(knowledge: KnowledgeIndex, passages: Sequence[Passage], *, withheld: bool = False) -> list[Candidate]:
    """Return what can be shown: the passages that the rules leave, then solutions of nodes that begin in none.

    With what is ``withheld`` those that a rule keeps back follow the passages, so that an answer can say so; but for
    those of which a node shows a part.
    """
    kept = [p for p in passages if p.solution.status in DISPLAYED]
    by_document = _by_document(kept)
    views: dict[str, list[Solution]] = {}
    alone: list[Solution] = []
    found: dict[Evidence, Passage | None] = {}
    for solution in (s for i in knowledge.ids for s in knowledge.solutions_of.get(i, ())):
        place = solution.evidence[0] if solution.evidence else None
        if place is not None and place not in found:
            found[place] = _find_passage(place, by_document)
        section = found[place] if place is not None else None
        if section is None:
            alone.append(solution)
        else:
            views.setdefault(section.solution.id, []).append(solution)
    sections = [Candidate(p.solution, p, tuple(_best_first(views.get(p.solution.id, ())))) for p in kept]
    kept_back = _withheld_of(passages, alone) if withheld else []
    return [*sections, *kept_back, *(Candidate(solution, None, (solution,)) for solution in alone)]


def _by_document(passages: Iterable[Passage]) -> dict[str, list[Passage]]:
    found: dict[str, list[Passage]] = {}
    for passage in passages:
        found.setdefault(cited_first(passage.solution), []).append(passage)
    return found


def _withheld_of(passages: Iterable[Passage], shown: Iterable[Solution]) -> list[Candidate]:
    found = _by_document(p for p in passages if p.solution.status == "withheld")
    places = (solution.evidence[0] for solution in shown if solution.evidence)
    parts = {p.solution.id for place in places if (p := _find_passage(place, found)) is not None}
    return [Candidate(p.solution, p, ()) for some in found.values() for p in some if p.solution.id not in parts]


def _best_first(views: Iterable[Solution]) -> list[Solution]:
    return sorted(views, key=lambda s: (s.rank, s.id))


def searched_texts(candidates: Iterable[Candidate]) -> list[str]:
    """Return what is embedded of everything that can be shown, each text once."""
    return list(dict.fromkeys(t for one in candidates for t in (one.searched_text, one.searched_headings)))


def same_matter(one: Passage, other: Passage) -> bool:
    """Return whether passages of two documents are about the same matter, by title and headings, for whomever."""
    return all(_likeness(_matter(one, n), _matter(other, n)) >= SAME_MATTER for n in (1, None))


def _matter(passage: Passage, headings: int | None) -> frozenset[str]:
    return frozenset(word for words in passage.masked[:headings] for word in words if not word.startswith("<"))


def _same_matter_beside(one: Passage, other: Passage) -> bool:
    """Return whether they are for passages of one document, by the headings below those that they share.

    Which attribute tells readers apart makes no difference: "Adults" and "With asthma" stand beside each other.
    """
    below = next((n for n, (a, b) in enumerate(zip(one.headings, other.headings, strict=False)) if a != b), None)
    if below is None:
        return one.headings == other.headings
    mine, others = (
        frozenset("<>" if w.startswith("<") else w for words in p.masked[below:] for w in words) for p in (one, other)
    )
    return _likeness(mine, others) >= SAME_MATTER


def _likeness(mine: frozenset[str], others: frozenset[str]) -> float:
    return 2 * len(mine & others) / max(1, len(mine) + len(others))


def _find_passage(place: Evidence, by_document: Mapping[str, Sequence[Passage]]) -> Passage | None:
    """Return the passage that a place stands in: of those with its words the last that begins before its end.

    Others refer to it and bring its steps along. Passages are in the order of their document.
    """
    found: Passage | None = None
    for passage in by_document.get(place.document, ()):
        if found is not None and passage.solution.evidence[0].start >= place.end:
            break
        if any(e.start < place.end and e.end > place.start for e in passage.solution.evidence):
            found = passage
    return found


def without_rejected(passages: Sequence[Passage], solutions: Iterable[Solution]) -> list[Passage]:
    """Return the passages but for those that people took out of sight: no solution made from their steps is shown.

    A place is where a first step begins; one that is shown on some node and rejected on another stays.
    """
    shown: set[tuple[str, int]] = set()
    judged: set[tuple[str, int]] = set()
    for solution in solutions:
        places = {(e.document, e.start) for e in solution.evidence[:1]}
        if solution.status in DISPLAYED:
            shown |= places
        elif solution.status in ("rejected", "hidden"):
            judged |= places
    gone = judged - shown
    return [p for p in passages if not any((e.document, e.start) in gone for e in p.solution.evidence)]


def cited_first(solution: Solution) -> str:
    """Return the document that a solution is shown for; one by hand is a document of its own."""
    return solution.evidence[0].document if solution.evidence else solution.id
