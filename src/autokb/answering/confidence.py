"""How likely the first thing shown is right: how far it is ahead of what follows, and how near its problem is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

from autokb.answering.answer import Answer

COMPARED = 3  # solutions or passages behind the first
LISTED = 5  # of an answer; with fewer the first would have nothing to be ahead of
# Logistic regression on whether the first thing shown is right, by section, and not for others than the customer:
# ``python -m benchmarks.answers tune --fit-confidence`` fits it on the tuning half and the development questions, five
# knowledge bases, packaged encoder. Of the features tried (the score of the likeliest document, which was used before,
# the fit of the first, the share of the question's words that it has, whether something is asked back) no other helped.
LEAD, SIMILARITY, IS_PASSAGE, OFFSET = 4.67, 5.45, 2.65, -2.87
Features = tuple[float, float, float]


def features_of(answer: Answer) -> Features | None:
    """Return the first thing's lead in fit, the cosine of its node (0 for a passage) and whether it is a passage.

    None where nothing is shown.
    """
    solutions = chain.from_iterable(match.solutions for match in answer.matches)
    shown = [*solutions, *(passage.solution for passage in answer.passages)]
    if not shown:
        return None
    first, *others = (answer.fit.get(one.id, 0.0) for one in shown[: 1 + COMPARED])
    similarity = max(0.0, answer.matches[0].similarity) if answer.matches else 0.0
    return first - max(others, default=0.0), similarity, float(not answer.matches)


def probability(features: Sequence[float]) -> float:
    """Return the probability that the first thing shown is right."""
    lead, similarity, is_passage = features
    return 1 / (1 + math.exp(-(LEAD * lead + SIMILARITY * similarity + IS_PASSAGE * is_passage + OFFSET)))


def confidence_of(answer: Answer) -> float:
    """Return the probability that the first thing shown is right, rounded; 0 where nothing is shown."""
    features = features_of(answer)
    return 0.0 if features is None else round(probability(features), 4)
