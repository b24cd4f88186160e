"""Relevance judgements (qrels) in trec style or TSV."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autokb.core.errors import BadInputError
from autokb.core.test_sets import LabelledQuery, read_lines


@dataclass(frozen=True, slots=True)
class Judgement:
    """How well a document answers a query; ``document`` is the name as the file has it."""

    query: str
    document: str
    grade: float


@dataclass(frozen=True, slots=True)
class Qrels:
    """Grades by query and document id, and the names in the file that no document of the knowledge base has."""

    grades: Mapping[str, Mapping[str, float]]
    unresolved: tuple[str, ...] = ()

    def relevant(self, queries: Sequence[LabelledQuery]) -> dict[str, dict[str, float]]:
        """Return the relevant documents of the queries that have one, in the order of the queries.

        Raises BadInputError where no query has any: the two files then do not belong together.
        """
        found = {}
        for query in queries:
            if relevant := {d: g for d, g in self.grades.get(query.id, {}).items() if g > 0}:
                found[query.id] = dict(sorted(relevant.items()))
        if not found:
            raise BadInputError("No query has a relevant document; check that both files use the same query ids.")
        return found


def read_qrels(path: Path) -> tuple[Judgement, ...]:
    """Read judgements: query, document, grade (or trec's query, 0, document, grade), in tabs or spaces."""
    found = []
    may_be_header = True
    for number, line in read_lines(path):
        # Document ids may hold spaces (paths do), so spaces separate only where there is no tab.
        row = [cell.strip() for cell in line.split("\t")] if "\t" in line else line.split()
        if len(row) not in (3, 4):
            raise BadInputError(
                f"{path}, line {number} has {len(row)} columns; write query id, document id, grade with tabs between."
            )
        try:
            grade = float(row[-1])
        except ValueError:
            grade = math.nan
        if math.isfinite(grade):
            found.append(Judgement(row[0], row[-2], grade))
        elif not may_be_header:
            raise BadInputError(f"{path}, line {number}: the grade {row[-1]!r} is no number; write 0, 1 or more.")
        may_be_header = False
    if not found:
        raise BadInputError(f"{path} holds no judgements; write query id, document id and grade, with tabs between.")
    return tuple(found)


def resolve_documents(judgements: Iterable[Judgement], resolve: Callable[[str], str | None]) -> Qrels:
    """Name documents as the knowledge base does: ``resolve`` turns an id, stem or URL into a document id.

    A document that is not in the knowledge base keeps its name: it stays relevant and is never found, so a missing
    document counts as a miss instead of making the test easier. Of two names of one document the higher grade counts.
    """
    grades: dict[str, dict[str, float]] = {}
    resolved: dict[str, str | None] = {}
    for judgement in judgements:
        if judgement.document not in resolved:
            resolved[judgement.document] = resolve(judgement.document)
        document = resolved[judgement.document] or judgement.document
        of_query = grades.setdefault(judgement.query, {})
        of_query[document] = max(judgement.grade, of_query.get(document, judgement.grade))
    return Qrels(grades, tuple(sorted(name for name, document in resolved.items() if document is None)))
