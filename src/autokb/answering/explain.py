"""Why a question got its answer: what each feature said of the best candidates, and how probable the answer is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import islice

import numpy as np

from autokb.answering.present import Choice, Presentation
from autokb.answering.probability import Shown, answerable, first_right
from autokb.core.attributes import Match
from autokb.retrieval.candidates import cited_first
from autokb.retrieval.features import FEATURES
from autokb.retrieval.reader import WEIGHT, ReaderRun

READER = "reader"  # the name of its column, beside the features
EXPLAINED = 20  # candidates; the right one is among them in .98 of the questions


@dataclass(frozen=True, slots=True)
class ExplainedIssue:
    """The node through which a candidate is shown, how it matches the question, and its cosine to it."""

    id: str
    text: str
    match: Match
    similarity: float


@dataclass(frozen=True, slots=True)
class ExplainedCandidate:
    """A candidate with the value of each feature; one that does not ``fit`` is for other customers, and not shown."""

    document: str
    heading: str
    solution_id: str
    score: float
    values: tuple[float, ...]
    fits: bool
    issue: ExplainedIssue | None


@dataclass(frozen=True, slots=True)
class Probabilities:
    """That something known answers the question, and that the first thing shown does."""

    answerable: float
    first_right: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """The best candidates in the order of their score, which is the sum of each feature's weight x value.

    Where a stronger reader read them, what it said is one more column, and ``reader`` how long that took.
    """

    features: tuple[str, ...]
    weights: Mapping[str, float]
    candidates: tuple[ExplainedCandidate, ...]
    probabilities: Probabilities
    reader: ReaderRun | None = None

    def as_json(self) -> dict[str, object]:
        """Return what ``ask`` adds to its object as ``explain``."""
        return {
            "features": list(self.features),
            "weights": dict(self.weights),
            "candidates": [{**asdict(one), "values": list(one.values)} for one in self.candidates],
            "probabilities": asdict(self.probabilities),
            **({"reader": asdict(self.reader)} if self.reader else {}),
        }


def explain(shown: Shown, presented: Presentation) -> Explanation:
    """Explain what a question found, whether it is answered or refused.

    The probabilities are of what was ``shown`` before a reader, if there is one; the order is that of what is
    ``presented`` after it.
    """
    weights = {name: shown.index.ranker.weights.get(name, 0.0) for name in FEATURES}
    scored, own = presented.scored, shown.index.own
    table = np.zeros((len(scored.scores), 0)) if own is None else own.table(scored.read, scored.evidence)
    if own is not None:
        weights |= {name: own.weights[name] for name in own.functions}
    if presented.scored.by_reader is not None:
        weights[READER] = WEIGHT
    return Explanation(
        features=tuple(weights),
        weights=weights,
        candidates=tuple(_candidate(row, presented, table[row]) for row in islice(presented.ranked_rows(), EXPLAINED)),
        probabilities=Probabilities(answerable(shown), first_right(shown)),
        reader=presented.scored.reading,
    )


def _candidate(row: int, presented: Presentation, own: Iterable[float]) -> ExplainedCandidate:
    candidate, choice = presented.candidates.rows[row], presented.as_shown(row)
    solution = choice.solution if choice else candidate.solution
    scored = presented.scored
    by_reader = [] if scored.by_reader is None else [scored.by_reader[row]]
    return ExplainedCandidate(
        document=cited_first(solution),
        heading=candidate.heading,
        solution_id=solution.id,
        score=float(scored.scores[row]),
        values=tuple(map(float, (*scored.features[row], *own, *by_reader))),
        fits=choice is not None,
        issue=_issue(choice, presented) if choice else None,
    )


def _issue(choice: Choice, presented: Presentation) -> ExplainedIssue | None:
    if choice.tree is None or choice.tree.issue is None:
        return None
    issue = presented.asked.index.issues[choice.tree.issue]
    return ExplainedIssue(issue.id, issue.text, choice.tree.match, choice.tree.similarity)
