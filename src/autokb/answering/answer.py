"""The answer to a question: what fits with its evidence, a question back, or an honest nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from autokb.answering.choose import Choice, Chooser
from autokb.answering.clarify import Clarification, clarify, plain_name
from autokb.core.attributes import ANY, Attributes, Match, as_lists
from autokb.core.nouns import Hit, Issue, Solution
from autokb.core.ranking import Ranking
from autokb.retrieval.match_issues import TreeMatch
from autokb.retrieval.node_index import SAME_WORDS

Outcome = Literal["answered", "asks", "abstains"]
DOCUMENTS_LOOKED_THROUGH = 20  # likeliest documents; one without a fitting solution gives way to the next
PASSAGE_LEAD = 0.3  # score by which a passage's document must lead that of the best node's solution to answer instead
PASSAGE_SAYS_BETTER = 0.02  # cosine and words; .66 instead of .64 of the tuning half's questions begin right by it
IN_CONFLICT = "What is known near the question is not for what it says: {stated}."
NOTHING_TO_SHOW = "The documents near the question hold nothing that could be shown as an answer."


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
class ShownPassage:
    """A section of a document that answers where no node does."""

    document: str
    heading: str
    solution: Solution

    def as_json(self) -> dict[str, Any]:
        """Return the shape of one entry of ``passages``."""
        return {"document": self.document, "heading": self.heading, **solution_json(self.solution)}


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything that one question gets back; ``seconds`` is what it took.

    A question that is ``unread`` is in a language that nothing here reads; its reason says what to do about it.
    ``fit`` is how well the words of each solution that is shown fit the question: the cosine and the words they share.
    """

    query: str
    attributes: Attributes
    outcome: Outcome
    question: Clarification | None
    matches: tuple[Matched, ...]
    passages: tuple[ShownPassage, ...]
    documents: tuple[Hit, ...]
    reason: str | None = None
    confidence: float = 0.0
    seconds: float = field(default=0.0, compare=False)
    unread: bool = False
    fit: Mapping[str, float] = field(default_factory=dict, compare=False)

    def as_json(self) -> dict[str, Any]:
        """Return exactly the object that ``ask`` prints."""
        asked = self.question
        return {
            "query": self.query,
            "attributes": as_lists(self.attributes),
            "outcome": self.outcome,
            "question": asked and {"attribute": asked.attribute, "values": list(asked.values), "text": asked.text},
            "matches": [match.as_json() for match in self.matches],
            "passages": [passage.as_json() for passage in self.passages],
            "documents": [{"document": hit.id, "score": hit.score} for hit in self.documents],
            "confidence": self.confidence,
            "reason": self.reason,
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
    chooser: Chooser,
    documents: Ranking,
    *,
    order: Ranking | None = None,
    refused: str | None = None,
    k: int = 5,
) -> Answer:
    """Answer from the likeliest documents: nothing where the question is ``refused`` for a reason, else what fits.

    ``order`` is that in which documents are read where it is not that of their scores; ``k`` bounds each list.
    """
    asked, order, scores = chooser.asked, order or documents, documents.by_id()
    nearest = tuple(Hit(hit.id, scores[hit.id]) for hit in order.best(k))
    if refused:
        return Answer(question, asked.attributes, "abstains", None, (), (), nearest, refused)
    likely = chooser.rank(documents, order, DOCUMENTS_LOOKED_THROUGH)
    choices = chooser.choose(likely, k)
    passages = chooser.choose_passages(likely, k)
    if _passages_answer(passages, choices, chooser, documents):
        if not passages:
            return Answer(question, asked.attributes, "abstains", None, (), (), nearest, _nothing_fits(chooser, likely))
        back = clarify(chooser, passages[0])
        shown = tuple(_show_passage(passage, chooser) for passage in passages)
        outcome: Outcome = "asks" if back else "answered"
        return Answer(question, asked.attributes, outcome, back, (), shown, nearest, fit=_fit(chooser, passages))
    back = clarify(chooser, choices[0])
    matches = _group_by_tree(choices, chooser, k)
    outcome = "asks" if back else "answered"
    return Answer(question, asked.attributes, outcome, back, matches, (), nearest, fit=_fit(chooser, choices))


def _fit(chooser: Chooser, choices: Sequence[Choice]) -> dict[str, float]:
    return {choice.solution.id: chooser.score(choice.solution) for choice in choices}


def _passages_answer(
    passages: Sequence[Choice], choices: Sequence[Choice], chooser: Chooser, documents: Ranking
) -> bool:
    """Return whether passages answer in place of nodes.

    They do where their first document is so much likelier that no node's solution stands in for it, or says it better
    than the nodes do: the right section is then on no node. Not where the question is nearly a node's own words.
    """
    if not choices or not passages:
        return not choices
    passage, scores = passages[0], documents.by_id()
    if scores[passage.document] - scores.get(choices[0].document, 0.0) > PASSAGE_LEAD:
        return True
    if passage.document != choices[0].document:
        return False
    beside = [chooser.score(c.solution) for c in choices if c.document == passage.document]
    is_better = chooser.score(passage.solution) > max(beside) + PASSAGE_SAYS_BETTER
    return is_better and float(chooser.similarities.max(initial=0.0)) < SAME_WORDS


def _nothing_fits(chooser: Chooser, likely: Sequence[str]) -> str:
    """Say why the likeliest documents answer nothing: what they say is for others, or they say nothing to show."""
    if not any(len(chooser.shown.rows_of.get(document, ())) for document in likely):
        return NOTHING_TO_SHOW
    stated = [
        f"{plain_name(name)} {', '.join(sorted(values))}"
        for name, values in sorted(chooser.asked.attributes.items())
        if values != ANY
    ]
    return IN_CONFLICT.format(stated="; ".join(stated))


def _group_by_tree(choices: Sequence[Choice], chooser: Chooser, k: int) -> tuple[Matched, ...]:
    """Return one match a tree, in the order of the first document that speaks through it."""
    grouped: dict[str, list[Solution]] = {}
    trees: dict[str, TreeMatch] = {}
    for choice in choices:
        if (tree := choice.tree) is not None:
            grouped.setdefault(tree.tree, chooser.fitting_by_hand(tree)).append(choice.solution)
            trees[tree.tree] = tree
    issues = chooser.asked.index.issues
    return tuple(
        Matched(issues[tree.issue], tree.match, tree.similarity, tuple({s.id: s for s in grouped[root]}.values())[:k])
        for root, tree in trees.items()
        if tree.issue is not None
    )


def _show_passage(choice: Choice, chooser: Chooser) -> ShownPassage:
    return ShownPassage(choice.document, chooser.shown.passages[choice.solution.id].headings[-1], choice.solution)
