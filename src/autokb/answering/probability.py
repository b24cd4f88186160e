"""How sure an answer is: two logistic heads over the same scored question.

``answerable`` is the probability that what is known answers the question at all, by which it is refused;
``first_right`` that the first thing shown does. Their weights are packaged with the ranker's and fitted with them, by
``python -m benchmarks.ranking fit --keep FOLDER --write``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from autokb.answering.present import Choice, Presentation
from autokb.retrieval.everyday_subjects import is_of_company
from autokb.retrieval.index import QuestionIndex, ScoredQuestion
from autokb.retrieval.logistic import probability_of
from autokb.retrieval.ranker import packaged_record

COMPARED = 3  # candidates behind the first
LISTED = 1 + COMPARED  # candidates that the heads read
MOST_LEAD = 5.0  # of the score: what follows nobody leads by no more


@dataclass(frozen=True)
class Shown:
    """A scored question beside what would be shown of it, best first."""

    index: QuestionIndex
    presentation: Presentation
    choices: tuple[Choice, ...]

    @property
    def scored(self) -> ScoredQuestion:
        """The question with the scores of everything that can be shown."""
        return self.presentation.scored


Feature = Callable[[Shown], float]


def lead(shown: Shown) -> float:
    """Return how far the first is ahead of the best of those behind it, in units of the ranker's score."""
    first, *others = (shown.presentation.score(c) for c in shown.choices[: 1 + COMPARED])
    return min(first - max(others, default=-math.inf), MOST_LEAD)


def section(shown: Shown) -> float:
    """Return the cosine of the first section."""
    return float(shown.scored.evidence.sections[shown.choices[0].row])


def late_interaction(shown: Shown) -> float:
    """Return how well each word of the question is met in the first section."""
    return float(shown.scored.evidence.tokens[shown.choices[0].row])


def nearness(shown: Shown) -> float:
    """Return the log-odds of being on topic by the build's gate, which knows the workspace's own questions."""
    return shown.index.nearness(shown.scored)


def unknown(shown: Shown) -> float:
    """Return the share of the question's words, by their idf, that no document has."""
    return shown.index.chunks.words.unknown_share(shown.scored.read)


def foreign_company(shown: Shown) -> float:
    """Return 1 where the question opens with a maker, a shop or a matter of theirs that nothing here speaks of."""
    subject = shown.index.foreign_subject(shown.scored.read)
    return float(subject is not None and is_of_company(subject, shown.index.spec.language))


def foreign_subject(shown: Shown) -> float:
    """Return 1 where it opens with another thing, program or complaint that nothing here speaks of."""
    subject = shown.index.foreign_subject(shown.scored.read)
    return float(subject is not None and not is_of_company(subject, shown.index.spec.language))


FEATURES: Mapping[str, Feature] = {
    feature.__name__: feature
    for feature in (lead, section, late_interaction, nearness, unknown, foreign_company, foreign_subject)
}


def are_fitted(index: QuestionIndex) -> bool:
    """Return whether the heads were fitted on cosines of the encoder in use."""
    return bool(index.encoder == packaged_record()["encoder"])


def first_right(shown: Shown) -> float:
    """Return the probability that the first thing shown answers the question; 0 where nothing is shown."""
    return shown.index.recalibration.of(odds_of_first(shown), shown.scored.evidence.long) if shown.choices else 0.0


def odds_of_first(shown: Shown) -> float:
    """Return the log-odds of the packaged probability that the first thing shown answers; there must be one."""
    return _odds("first_right", shown)


def answerable(shown: Shown) -> float:
    """Return the probability that something known answers the question.

    The heads were fitted on cosines of the packaged encoder; by another one it is that of the build's gate alone.
    """
    if not shown.choices or not are_fitted(shown.index):
        return probability_of(shown.index.nearness(shown.scored) + shown.index.word_odds(shown.scored))
    return probability_of(_odds("answerable", shown))


def _odds(head: str, shown: Shown) -> float:
    weights = packaged_record()[head]
    odds: float = weights["intercept"]
    return odds + sum(float(weights[name]) * FEATURES[name](shown) for name in weights if name in FEATURES)
