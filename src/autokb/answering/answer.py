"""The answer to a question: what fits with its evidence, a question back, or an honest nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import takewhile
from typing import Any, Literal

from autokb.answering.clarify import Clarification, clarify
from autokb.answering.explain import Explanation
from autokb.answering.present import Choice, Presentation
from autokb.answering.telling import TellingLine
from autokb.core.attributes import Attributes, Match, as_lists, in_words
from autokb.core.nouns import Evidence, Hit, Issue, Solution
from autokb.notebook.html import html
from autokb.retrieval.match_issues import TreeMatch
from autokb.retrieval.reader import ReaderRun

Outcome = Literal["answered", "asks", "abstains"]
# Log-odds by which a further help may be behind the first. Of the second and third places of written questions that are
# farther behind 4 % are right (of 616, each base ranked by weights of the others), of the nearer ones 19 % (of 1,766).
FAR_BEHIND = 4.0
IN_CONFLICT = "What is known near the question is not for what it says: {stated}."
HANDED_OVER = "A colleague has to answer this."  # what customers read where a rule keeps the section back
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
    """A section of a document that answers where no node does, and behind those that nodes show."""

    document: str
    heading: str
    solution: Solution

    def as_json(self) -> dict[str, Any]:
        """Return the shape of one entry of ``passages``."""
        return {"document": self.document, "heading": self.heading, **solution_json(self.solution)}


@dataclass(frozen=True, slots=True)
class WrittenSentence:
    """A sentence of a written reply and the places that it stands on, none for a step that a person wrote."""

    text: str
    quotes: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class WrittenReply:
    """A reply that a model wrote from what is shown; without sentences, ``writing`` says why there is none."""

    sentences: tuple[WrittenSentence, ...]
    writing: ReaderRun

    @property
    def text(self) -> str | None:
        """The reply as it can be sent, None where what is shown counts in its place."""
        return " ".join(one.text for one in self.sentences) or None

    def as_json(self) -> dict[str, Any]:
        """Return the shape of ``reply``."""
        sentences = [asdict(one) for one in self.sentences]
        return {"text": self.text, "sentences": sentences, "writer": asdict(self.writing)}


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything that one question gets back; ``seconds`` is what it took.

    A question that is ``unread`` is in a language that nothing here reads; its reason says what to do about it.
    ``shown`` are the solutions of matches and passages in the order in which they are best read; those of the ids in
    ``far`` are so far behind the first that nobody would send them.
    ``explanation`` is there where somebody asked for it. ``reading`` says which reader had a part in it, or why it had
    none. ``telling`` is the line of the first thing shown that says what a question for a fact asks. The ids in
    ``urgent`` are those of warnings, of which the customer's words ``called`` for the first. What a rule keeps back is
    ``withheld``: the reason names it to who works with it. An answer that begins with an urgent warning has the heading
    ``warning`` in place of how sure it is, and shows nothing else. ``near`` is what a refused
    question would have been shown, for a model that reads it and may decline. ``reply`` is there where somebody asked
    for one to be written. ``chosen_by`` is the model that chose what is shown: ``confidence`` does not count that.
    """

    query: str
    attributes: Attributes
    outcome: Outcome
    question: Clarification | None = None
    matches: tuple[Matched, ...] = ()
    passages: tuple[ShownPassage, ...] = ()
    documents: tuple[Hit, ...] = ()
    reason: str | None = None
    confidence: float = 0.0
    seconds: float = field(default=0.0, compare=False)
    unread: bool = False
    shown: tuple[Solution, ...] = field(default=(), compare=False)
    far: frozenset[str] = field(default=frozenset(), compare=False)
    explanation: Explanation | None = field(default=None, compare=False)
    reading: ReaderRun | None = field(default=None, compare=False)
    telling: TellingLine | None = field(default=None, compare=False)
    urgent: frozenset[str] = field(default=frozenset(), compare=False)
    called: bool = field(default=False, compare=False)
    withheld: bool = field(default=False, compare=False)
    warning: str = field(default="", compare=False)
    near: tuple[Solution, ...] = field(default=(), compare=False)
    reply: WrittenReply | None = field(default=None, compare=False)
    chosen_by: str = field(default="", compare=False)

    def for_customers(self) -> Answer:
        """Return the answer without the name of what a rule keeps back."""
        return replace(self, reason=HANDED_OVER, documents=()) if self.withheld else self

    def as_json(self) -> dict[str, Any]:
        """Return exactly the object that ``ask`` prints; ``says`` and ``reader`` are there where they say something."""
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
            **({"warning": self.warning} if self.warning else {}),
            **({"says": asdict(self.telling)} if self.telling else {}),
            **({"explain": self.explanation.as_json()} if self.explanation else {}),
            **(self.reading.as_json() if self.reading else {}),
            **({"reply": self.reply.as_json()} if self.reply else {}),
        }

    def _repr_html_(self) -> str:
        return html("answer", answer=self)


def solution_json(solution: Solution) -> dict[str, Any]:
    """Return a solution as answers show it."""
    return {
        "id": solution.id,
        "text": solution.text,
        "steps": list(solution.steps),
        "attributes": as_lists(solution.attributes),
        "evidence": [asdict(one) for one in solution.evidence],
    }


# Complex: the parts of an answer depend on each other: what is shown decides what is asked, warned of and far.
def answer(
    question: str,
    shown: Presentation,
    *,
    refused: str | None = None,
    k: int = 5,
    warnings: Collection[int] = (),
    chosen: Sequence[Choice] | None = None,
) -> Answer:
    """Answer with the k best that fit: nothing where the question is ``refused`` for a reason.

    What is ``chosen`` already is shown in its order, and nothing is asked back. Nothing is asked back before a customer
    reads a warning that the words called for; ``warnings`` are the rows of all. What nodes show comes as their matches,
    up to the first section that none shows; from there on sections follow.
    """
    asked = shown.asked
    nearest = shown.scored.documents.best(k)
    choices = list(chosen) if chosen is not None else [] if refused else shown.choose(k)
    if not choices:
        reason = refused or _nothing_fits(shown)
        return Answer(question, asked.attributes, "abstains", documents=nearest, reason=reason)
    urgent = frozenset(c.solution.id for c in choices if c.row in warnings or c.row in shown.scored.urgent)
    back = None if shown.scored.urgent or chosen is not None else clarify(shown, choices[0], warnings)
    of_nodes = list(takewhile(lambda choice: choice.tree is not None, choices))
    matches = _group_by_tree(of_nodes, shown, k)
    sections = tuple(
        ShownPassage(c.document, shown.candidates.rows[c.row].heading, c.solution) for c in choices[len(of_nodes) :]
    )
    outcome: Outcome = "asks" if back else "answered"
    read = _in_order(choices, shown)
    return Answer(
        *(question, asked.attributes, outcome, back, matches, sections, nearest),
        shown=tuple(solution for solution, _ in read),
        far=_far_behind(read, shown),
        urgent=urgent,
        called=bool(shown.scored.urgent),
    )


def _far_behind(read: Sequence[tuple[Solution, Choice]], shown: Presentation) -> frozenset[str]:
    least = shown.score(read[0][1]) - FAR_BEHIND
    return frozenset(solution.id for solution, choice in read if shown.score(choice) < least)


def _in_order(choices: Sequence[Choice], shown: Presentation) -> list[tuple[Solution, Choice]]:
    """Return what is shown, best first, and what people wrote for a tree before anything else of it.

    Each stands beside the choice that brings it: a person's text is as near as what it comes before.
    """
    found: dict[str, tuple[Solution, Choice]] = {}
    for choice in choices:
        for solution in (*(shown.by_hand(choice.tree) if choice.tree else ()), choice.solution):
            found.setdefault(solution.id, (solution, choice))
    return list(found.values())


def _nothing_fits(shown: Presentation) -> str:
    """Say why nothing is shown: what is known is for others, or there is nothing to show."""
    stated = in_words(shown.asked.attributes)
    return IN_CONFLICT.format(stated=stated) if shown.candidates.rows and stated else NOTHING_TO_SHOW


def _group_by_tree(choices: Sequence[Choice], shown: Presentation, k: int) -> tuple[Matched, ...]:
    """Return one match a tree, in the order of the first candidate that it shows."""
    grouped: dict[str, list[Solution]] = {}
    trees: dict[str, TreeMatch] = {}
    for choice in choices:
        if (tree := choice.tree) is not None:
            grouped.setdefault(tree.tree, shown.by_hand(tree)).append(choice.solution)
            trees[tree.tree] = tree
    issues = shown.asked.index.issues
    return tuple(
        Matched(issues[tree.issue], tree.match, tree.similarity, tuple({s.id: s for s in grouped[root]}.values())[:k])
        for root, tree in trees.items()
        if tree.issue is not None
    )
