"""The answer to a question: what fits with its evidence, a question back, or an honest nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from autokb.core.attributes import Attributes, Match, as_lists
from autokb.core.nouns import Hit, Issue, Solution
from autokb.core.ranking import Ranking
from autokb.retrieval.clarify import Clarification, clarify
from autokb.retrieval.knowledge_index import Asked
from autokb.retrieval.match_issues import Similarities, TreeMatch
from autokb.retrieval.weights import FEW_DOCUMENTS, worth_showing

Outcome = Literal["answered", "asks", "abstains"]
_NEAREST_FIRST = {Match.EXACT: 0, Match.BROADER: 1, Match.NARROWER: 2, Match.OVERLAP: 3}


@dataclass(frozen=True, slots=True)
class Matched:
    """One accepted node with the solutions shown for it, best first."""

    issue: Issue
    match: Match
    similarity: float
    solutions: tuple[Solution, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the shape of one entry of ``matches``; a negative cosine reads 0."""
        return {
            "issue": {
                "id": self.issue.id,
                "text": self.issue.text,
                "parent_id": self.issue.parent_id,
                "attributes": as_lists(self.issue.attributes),
            },
            "match": str(self.match),
            "similarity": min(1.0, max(0.0, self.similarity)),
            "solutions": [solution_json(s) for s in self.solutions],
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything that one question gets back; ``seconds`` is what it took."""

    query: str
    attributes: Attributes
    outcome: Outcome
    question: Clarification | None
    matches: tuple[Matched, ...]
    documents: tuple[Hit, ...]
    seconds: float = field(default=0.0, compare=False)

    def as_json(self) -> dict[str, Any]:
        """Return exactly the object that ``ask`` prints."""
        asked = self.question
        return {
            "query": self.query,
            "attributes": as_lists(self.attributes),
            "outcome": self.outcome,
            "question": asked and {"attribute": asked.attribute, "values": list(asked.values), "text": asked.text},
            "matches": [match.as_json() for match in self.matches],
            "documents": [{"document": hit.id, "score": hit.score} for hit in self.documents],
            "seconds": self.seconds,
        }


def solution_json(solution: Solution) -> dict[str, Any]:
    """Return a solution as answers show it."""
    return {
        "id": solution.id,
        "text": solution.text,
        "steps": list(solution.steps),
        "attributes": as_lists(solution.attributes),
        "evidence": [
            {"document": e.document, "start": e.start, "end": e.end, "quote": e.quote} for e in solution.evidence
        ],
    }


def answer(
    question: str,
    asked: Asked,
    trees: Sequence[TreeMatch],
    documents: Ranking,
    similarities: Similarities,
    *,
    passes: bool,
    k: int = 5,
) -> Answer:
    """Answer from ranked trees: nothing where the gate does not let the question pass, else what fits, else a question.

    ``trees`` are best first and ``k`` bounds both lists of the answer; ``similarities`` has a row per issue;
    ``documents`` also order a node's solutions that fit equally well.
    """
    nearest = documents.best(k)
    if not passes:
        return Answer(question, asked.attributes, "abstains", None, (), nearest)
    scores = documents.by_id()
    returned = [(tree, tree.issue) for tree in trees if tree.issue is not None and asked.has_shown(tree.issue)]
    matches = tuple(_match_with_solutions(tree, issue, asked, scores) for tree, issue in returned[:k])
    back = clarify(trees, asked, similarities)
    outcome: Outcome = "asks" if back else "answered" if matches else "abstains"
    return Answer(question, asked.attributes, outcome, back, matches, nearest)


def _match_with_solutions(
    tree: TreeMatch, issue_id: str, asked: Asked, document_scores: Mapping[str, float]
) -> Matched:
    shown = _leave_out_unlikely(asked.shown(issue_id), document_scores)
    solutions = sorted(
        shown,
        key=lambda s: (
            _NEAREST_FIRST[asked.match(s.id)],
            bool(s.evidence),  # what a person wrote for just this issue comes first
            -_best_document_score(s, document_scores),
            s.id,
        ),
    )
    return Matched(asked.index.issues[issue_id], tree.match, tree.similarity, tuple(solutions))


def _best_document_score(solution: Solution, document_scores: Mapping[str, float]) -> float:
    return max((document_scores.get(e.document, 0.0) for e in solution.evidence), default=0.0)


def _leave_out_unlikely(solutions: Sequence[Solution], document_scores: Mapping[str, float]) -> list[Solution]:
    """Leave out what an unlikely document says, in a library large enough for such documents to crowd others out.

    A solution by hand cites none and stays.
    """
    if len(document_scores) <= FEW_DOCUMENTS:
        return list(solutions)
    cited = [s for s in solutions if s.evidence]
    best = max(document_scores.values())
    likely = worth_showing([_best_document_score(s, document_scores) for s in cited], best)
    left_out = {s.id for s, is_likely in zip(cited, likely, strict=True) if not is_likely}
    return [s for s in solutions if s.id not in left_out]
